package bash

import (
	"errors"
	"os"
	"syscall"
	"time"

	"keylane/host/clock"
)

// pollInterval is how often processes are looked at while they are being ended: the kernel tells nobody when a group becomes empty.
const pollInterval = 10 * time.Millisecond

// settleTime is what processes that end together with their shell (a process substitution) get to do so.
const settleTime = 200 * time.Millisecond

// killTime bounds the wait after KILL: only a process stuck in the kernel survives it, and no wait helps against that.
const killTime = 5 * time.Second

// family is the processes of one command: the shell's process group, and those that left the group for a session of their own.
type family struct {
	id    int    // of the group, which is the shell's process id
	mark  string // the entry of the environment that all of them were started with, unless they took care not to be
	clock clock.Clock
	grace time.Duration
	known map[int]string // members that were seen, by their start; whose parents end are still known
}

// settle waits a moment for the group to become empty after the shell ended, and reports whether something is left.
func (f *family) settle() (left bool) { return !f.gone(settleTime, f.groupIsEmpty) }

// endWithShell ends the whole family, whose shell still runs, and returns how the shell's wait came out.
func (f *family) endWithShell(exited <-chan error) error {
	var reaped bool
	var result error
	f.end(func() bool {
		if !reaped {
			select {
			case result = <-exited:
				reaped = true
			default:
			}
		}
		return reaped && f.isGone()
	}, f.all)
	if !reaped {
		result = <-exited
	}
	return result
}

// endGroup ends what is left of the group, and nobody who left it.
func (f *family) endGroup() { f.end(f.groupIsEmpty, nil) }

// end sends TERM, waits the grace until over says that nothing is left, and sends KILL to the rest, again and again, because who is not
// dead yet may start another. Others lists who is to be ended besides the group; it may be nil.
func (f *family) end(over func() bool, others func() []process) {
	signal := func(s syscall.Signal) {
		// First who is to be found by its parents: they may end with the first signal.
		var outside []process
		if others != nil {
			outside = others()
		}
		// An error means that there is nobody left to signal.
		_ = syscall.Kill(-f.id, s)
		for _, p := range outside {
			if p.group != f.id {
				p.signal(s)
			}
		}
	}
	signal(syscall.SIGTERM)
	// A stopped process takes a TERM only when it goes on.
	signal(syscall.SIGCONT)
	if f.gone(f.grace, over) {
		return
	}
	f.gone(killTime, func() bool {
		signal(syscall.SIGKILL)
		return over()
	})
}

// signal sends to this very process: the handle that os holds is not another's, even if the id is meanwhile.
func (p process) signal(s syscall.Signal) {
	handle, err := os.FindProcess(p.id)
	if err != nil {
		return // it ended
	}
	if p.same() {
		_ = handle.Signal(s) // an error means that it ended just now, or is another person's
	}
	_ = handle.Release()
}

// gone waits up to limit for over.
func (f *family) gone(limit time.Duration, over func() bool) bool {
	expired, stop := f.clock.After(limit)
	defer stop()
	for {
		if over() {
			return true
		}
		tick, stopTick := f.clock.After(pollInterval)
		select {
		case <-expired:
			stopTick()
			return false
		case <-tick:
		}
	}
}

// groupIsEmpty reports whether the group has nothing but zombies: they only wait for somebody else's reaping, and in a container that
// somebody may never come.
func (f *family) groupIsEmpty() bool {
	if errors.Is(syscall.Kill(-f.id, 0), syscall.ESRCH) {
		return true
	}
	all, err := processes()
	if err != nil {
		return false
	}
	for _, p := range all {
		if p.group == f.id {
			return false
		}
	}
	return true
}

func (f *family) isGone() bool { return f.groupIsEmpty() && len(f.all()) == 0 }

// all lists the family: the group, who bears the mark, who was seen before, and whoever descends from one of these.
func (f *family) all() []process {
	everybody, err := processes()
	if err != nil {
		return nil // without proc there is only the group
	}
	members := map[int]bool{}
	var found []process
	for _, p := range everybody {
		if started, seen := f.known[p.id]; p.group == f.id || seen && started == p.started || p.marked(f.mark) {
			members[p.id] = true
			found = append(found, p)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range everybody {
			if members[p.parent] && !members[p.id] {
				members[p.id], grown = true, true
				found = append(found, p)
			}
		}
	}
	if f.known == nil {
		f.known = map[int]string{}
	}
	for _, p := range found {
		f.known[p.id] = p.started
	}
	return found
}

// outside lists the members that have left the group.
func (f *family) outside() []process {
	var found []process
	for _, p := range f.all() {
		if p.group != f.id {
			found = append(found, p)
		}
	}
	return found
}
