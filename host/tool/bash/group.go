package bash

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"keylane/host/clock"
)

// pollInterval is how often a process group is looked at while it is being ended: the kernel tells nobody when a group becomes empty.
const pollInterval = 10 * time.Millisecond

// settleTime is what processes that end together with their shell (a process substitution) get to do so.
const settleTime = 200 * time.Millisecond

// killTime bounds the wait after KILL: only a process stuck in the kernel survives it, and no wait helps against that.
const killTime = 5 * time.Second

// group is the process group of one command; its id is the shell's process id.
type group struct {
	id    int
	clock clock.Clock
	grace time.Duration
}

// settle waits a moment for the group to become empty after the shell ended, and reports whether something is left.
func (g *group) settle() (left bool) { return !g.gone(settleTime, nil) }

// endWithShell ends a group whose shell still runs and returns how the shell's wait came out.
func (g *group) endWithShell(exited <-chan error) error {
	reaped := make(chan error, 1)
	shell := func() bool {
		select {
		case err := <-exited:
			reaped <- err
			return true
		default:
			return len(reaped) > 0
		}
	}
	g.end(shell)
	if len(reaped) == 0 {
		return <-exited
	}
	return <-reaped
}

// end sends TERM, waits the grace for the group to be empty (and for the shell, if one is given, to be reaped), and sends KILL to the rest.
func (g *group) end(shell func() bool) {
	// An error means that there is nobody left to signal.
	_ = syscall.Kill(-g.id, syscall.SIGTERM)
	// A stopped process takes a TERM only when it goes on.
	_ = syscall.Kill(-g.id, syscall.SIGCONT)
	if g.gone(g.grace, shell) {
		return
	}
	_ = syscall.Kill(-g.id, syscall.SIGKILL)
	g.gone(killTime, shell)
}

// gone waits up to limit for the group to be empty.
func (g *group) gone(limit time.Duration, shell func() bool) bool {
	expired, stop := g.clock.After(limit)
	defer stop()
	for {
		shellGone := shell == nil || shell()
		if shellGone && !g.alive() {
			return true
		}
		tick, stopTick := g.clock.After(pollInterval)
		select {
		case <-expired:
			stopTick()
			return false
		case <-tick:
		}
	}
}

// alive reports whether the group has a process that is not a zombie. A group of zombies only waits for somebody else's reaping, and
// in a container that somebody may never come.
func (g *group) alive() bool {
	if errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) {
		return false
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		// pid (name) state ppid pgrp …; the name may hold anything, so what counts comes after the last parenthesis.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(g.id) && string(fields[0]) != "Z" && string(fields[0]) != "X" {
			return true
		}
	}
	return false
}
