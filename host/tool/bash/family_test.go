package bash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/tool"
)

// ready makes the pipe "ready" in a folder, and a channel that is closed when a command has written to it.
func ready(t *testing.T, folder string) <-chan struct{} {
	t.Helper()
	fifo := filepath.Join(folder, "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		_, _ = os.ReadFile(fifo) // returns when the command has opened and closed it
		close(written)
	}()
	return written
}

// endAtOnce makes sure that nothing of a test is left, whatever the tool did.
func endAtOnce(t *testing.T, ids ...int) {
	t.Helper()
	for _, id := range ids {
		_ = syscall.Kill(id, syscall.SIGKILL) // it is this test's own; an error means that it is gone
	}
}

// The ways to leave a command's process group that are known: each writes its id to pids, and to ready when it is where it wants to be.
var escapes = map[string]string{
	"a session of its own":                                 `setsid bash -c 'echo $$ > pids; echo > ready; exec sleep 1000' & wait`,
	"a daemon, whose parents are gone":                     `(setsid bash -c 'echo $BASHPID > first; (echo $BASHPID > pids; echo > ready; exec sleep 1000) & exit' &) ; sleep 1000`,
	"one with an empty environment, whose parent is there": `setsid env -i bash -c 'echo $$ > pids; echo > ready; while :; do read -t 1000 <> nothing; done' & wait`,
	"one that ignores TERM":                                `setsid bash -c 'trap "" TERM; echo $$ > pids; echo > ready; while :; do sleep 1000; done' & wait`,
	"one that is stopped":                                  `setsid bash -c 'echo $$ > pids; (echo > ready; kill -STOP '"'"'0'"'"') ; sleep 1000' & wait`,
}

func TestStopEndsAlsoWhoLeftTheGroup(t *testing.T) {
	for name, command := range escapes {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := syscall.Mkfifo(filepath.Join(folder, "nothing"), 0o600); err != nil {
				t.Fatal(err)
			}
			written := ready(t, folder)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-written
				cancel()
			}()
			got := runIn(t, ctx, Config{KillGrace: 300 * time.Millisecond}, folder, command)
			ids := pids(t, filepath.Join(folder, "pids"))
			defer endAtOnce(t, ids...)
			if !got.IsError || got.Error.Code != CodeAborted || len(ids) != 1 {
				t.Errorf("%+v %v", got, ids)
			}
			for _, id := range ids {
				if running(id) {
					t.Errorf("process %d is left", id)
				}
			}
		})
	}
}

func TestATimeoutEndsAlsoWhoLeftTheGroup(t *testing.T) {
	folder, manual := t.TempDir(), clock.NewManual(time.Unix(0, 0), 1)
	written := ready(t, folder)
	go func() {
		<-written
		manual.Advance(time.Minute)
	}()
	raw := fmt.Sprintf(`{"command":%q,"description":"d"}`, escapes["a session of its own"])
	got := registry(t, Config{}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: folder, Clock: manual})
	id := pids(t, filepath.Join(folder, "pids"))[0]
	defer endAtOnce(t, id)
	if !strings.Contains(got.Text, "[timed out after 1m0s]") || running(id) {
		t.Errorf("process %d runs: %v; %+v", id, running(id), got)
	}
}

// Who asks for a session of its own wants to outlive the command (a server, a build daemon), and the result says that it does. That it
// holds the output open keeps nobody waiting.
func TestWhoLeftTheGroupOutlivesACommandThatEndsByItself(t *testing.T) {
	folder := t.TempDir()
	got := runIn(t, t.Context(), Config{}, folder, `setsid sh -c 'echo $$ > pids; echo > ready; exec sleep 1000' & until [ -e ready ]; do :; done; echo done`)
	id := pids(t, filepath.Join(folder, "pids"))[0]
	defer endAtOnce(t, id)
	if want := fmt.Sprintf("done\n[left running in a session of its own: sleep (process %d)]", id); got.Text != want || !running(id) {
		t.Errorf("%q, want %q", got.Text, want)
	}
}

func TestACommandsOwnProcessesAreReaped(t *testing.T) {
	if got := runIn(t, t.Context(), Config{}, t.TempDir(), `sleep 1000 & echo done`); got.IsError {
		t.Errorf("%+v", got)
	}
	everybody, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range everybody {
		children, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		if err != nil {
			t.Skip("the kernel does not list children")
		}
		if len(children) > 0 {
			t.Errorf("children are left: %s", children)
		}
	}
}
