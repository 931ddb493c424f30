// Package cancel_test stops what runs: a model that has begun to answer and says nothing more, and a command that ignores being asked
// to end. What was said is kept and marked, nothing of the command is left, and the session goes on.
package cancel_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The prompts, in order: a model that hangs, a command that hangs, and a turn that shows that all is well again.
const (
	story    = "Tell me a long story."
	stubborn = "Run something stubborn."
	after    = "Say that you are back."
)

// said is what the model has said when it hangs.
const said = "Once upon a time there was a program that never came to its end."

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

var stop = chromium.Role("button", "Stop")

// shortGrace lets the command be killed soon; it is never going to end by itself.
const shortGrace = "- id: tool-bash\n  config: {killGraceMs: 100}\n"

// fifo makes the pipe through which the command says that it has begun to ignore TERM: it is read without looking twice.
func fifo(folders scaffold.Folders) error {
	if err := syscall.Mkfifo(filepath.Join(folders.Workspace, "ready"), 0o600); err != nil {
		return fmt.Errorf("making the pipe: %w", err)
	}
	return nil
}

// awaitReady waits until the command has written to the pipe.
func awaitReady(s *scaffold.Stage) {
	s.Helper()
	// For reading and writing, so that opening does not wait for a writer.
	pipe, err := os.OpenFile(filepath.Join(s.Folders.Workspace, "ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.Fatalf("opening the pipe: %v", err)
	}
	defer pipe.Close()
	if deadline, ok := s.Context.Deadline(); ok {
		if err := pipe.SetReadDeadline(deadline); err != nil {
			s.Fatalf("setting the pipe's deadline: %v", err)
		}
	}
	if _, err := pipe.Read(make([]byte, 16)); err != nil {
		s.Fatalf("waiting for the command to be ready: %v", err)
	}
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "cancel",
		Fixture: true,
		Patches: scaffold.Patch("a short grace", shortGrace),
		Prepare: fifo,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(story)
			s.AwaitEvent("the whole first sentence", func(e session.Event) bool {
				return e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), "its end.")
			})
			s.Reach("told")
			s.Golden("running", conversation)
			s.Click(stop)
			s.Settle()
			s.Golden("stopped", conversation)

			s.Send(stubborn)
			awaitReady(s)
			s.Golden("command-running", conversation)
			s.Click(stop)
			s.Settle()

			s.Send(after)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("aborted", "aborted", "completed")
			s.WantPrompts(story, stubborn, after)
			s.WantToolResults("[killed by signal: SIGKILL]\n[aborted]")
			wantInterrupted(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
}

// wantInterrupted checks that what the stopped model said is in the history, whole and marked.
func wantInterrupted(s *scaffold.Stage) {
	s.Helper()
	var interrupted [][]byte
	for _, e := range s.Events() {
		if e.Type == session.TypeAssistantMessage && bytes.Contains(e.Data, []byte(`"interrupted":true`)) {
			interrupted = append(interrupted, e.Data)
		}
	}
	if len(interrupted) != 1 || !bytes.Contains(interrupted[0], []byte(said)) {
		s.Errorf("want one interrupted message that says %q, got %q", said, interrupted)
	}
}

func TestStopKeepsWhatWasSaidAndLeavesNothingRunning(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A process that hides from the tool (no mark in its environment, no parent) is out of its reach: the leak tripwire sees it, so it would
// see the others as well.
func TestACommandThatGotAwayWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Mutate = func(log []byte) []byte {
		return bytes.ReplaceAll(log, []byte("sleep 600 &"), []byte("(env -i setsid sleep 600 &);"))
	}
	mutant.Check = nil
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	seen := regexp.MustCompile(`process (\d+) outlived the scenario: sleep 600`).FindStringSubmatch(failures)
	if seen == nil {
		t.Fatalf("the command that got away was not seen:\n%s", failures)
	}
	// The leak was the point; now it goes. It is this process's child, adopted when its own parent was killed.
	pid, err := strconv.Atoi(seen[1])
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err == nil {
		_, err = syscall.Wait4(pid, nil, 0, nil)
	}
	if err != nil {
		t.Errorf("ending the command that got away: %v", err)
	}
}

// Waiting for what cannot come ends at once and says why.
func TestWhatCannotComeIsNotWaitedFor(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		says string
		wait func(*scaffold.Stage)
	}{
		{`override.yml has the marker "nowhere"`, func(s *scaffold.Stage) { s.Reach("nowhere") }},
		{"no turn is open that could change it", func(s *scaffold.Stage) {
			s.Reach("told")
			s.Click(stop)
			s.Settle()
			s.AwaitEvent("a second story", func(e session.Event) bool { return strings.Contains(string(e.Data), "a second story") })
		}},
	} {
		broken := scenario()
		broken.Drive = func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(story)
			mutant.wait(s)
		}
		failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
		if !strings.Contains(failures, mutant.says) {
			t.Errorf("no failure says %q:\n%s", mutant.says, failures)
		}
	}
}
