package bash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"keylane/host/clock"
	"keylane/host/spill"
	"keylane/host/tool"
)

// run runs one command to its end, and to the end of everything that is to end with it.
func (b *bash) run(ctx context.Context, c tool.Call, command, cwd string, timeout time.Duration) (*outcome, error) {
	clk := c.Clock
	if clk == nil {
		clk = clock.System()
	}
	mark := markVariable + "=" + newMark()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = cwd, environment(os.Environ(), cwd, b.added(c, mark)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, stderr, err := b.start(cmd, c)
	if err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }() // ends with the shell, which is killed below if it must be

	// Processes live in real time, also where the host's clock is pinned: only the timeout is the host's time.
	kernel := clock.System()
	family := &family{id: cmd.Process.Pid, mark: mark, clock: kernel, grace: b.config.KillGrace}
	out := &outcome{}
	expired, stopTimer := clk.After(timeout)
	defer stopTimer()
	var waitErr error
	select {
	case waitErr = <-exited:
		if out.leftovers = family.settle(); out.leftovers {
			family.endGroup()
		}
		out.detached = family.outside()
	case <-expired:
		out.timedOut = true
		waitErr = family.endWithShell(exited)
	case <-ctx.Done():
		out.aborted = true
		waitErr = family.endWithShell(exited)
	}
	out.take(stdout, stderr, kernel)
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return nil, fmt.Errorf("waiting for the shell: %w", waitErr)
	}
	out.state = cmd.ProcessState
	return out, nil
}

// added is what a command has in its environment besides the host's.
func (b *bash) added(c tool.Call, mark string) []string {
	added := []string{"KEYLANE_SHELL=1", "KEYLANE_SESSION_ID=" + c.SessionID, mark}
	if b.config.Spill != nil {
		added = append(added, "KEYLANE_SPILL="+b.config.Spill.Session(c.SessionID))
	}
	return added
}

// start starts the command with its output captured.
func (b *bash) start(cmd *exec.Cmd, c tool.Call) (stdout, stderr *capture, err error) {
	var keep func(stream string) (*spill.File, error)
	if b.config.Spill != nil {
		keep = func(stream string) (*spill.File, error) { return b.config.Spill.Create(c.SessionID, c.CallID, stream) }
	}
	if stdout, err = newCapture("stdout", b.config.OutputCapBytes, keep); err != nil {
		return nil, nil, err
	}
	if stderr, err = newCapture("stderr", b.config.OutputCapBytes, keep); err != nil {
		stdout.abandon()
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout.writer, stderr.writer
	if err := cmd.Start(); err != nil {
		stdout.abandon()
		stderr.abandon()
		return nil, nil, err
	}
	stdout.start()
	stderr.start()
	return stdout, stderr, nil
}

// take takes what was written so far: whoever still holds the pipes has left the group.
func (o *outcome) take(stdout, stderr *capture, clk clock.Clock) {
	var left *cut
	if o.stdout, left = stdout.finish(clk); left != nil {
		o.cuts = append(o.cuts, *left)
	}
	if o.stderr, left = stderr.finish(clk); left != nil {
		o.cuts = append(o.cuts, *left)
	}
}
