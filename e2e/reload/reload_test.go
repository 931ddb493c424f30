// Package reload_test loads the page again in the middle of a turn: while a question waits, while a command runs, while a retry waits, while
// an answer streams, and when all is over. The page shows the same before and after, and ends with the one golden whenever that was.
package reload_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keylane/host/session"
	"keylane/replay"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Plan the trip."

// The moments at which the turn stands still; each has a golden of that name.
const (
	question  = "question"
	tool      = "tool"
	retry     = "retry"
	streaming = "streaming"
	idle      = "settled"
)

var (
	conversation = chromium.Role("main", "Conversation")
	where        = chromium.Role("region", "Where to?")
)

// longWaits lets the provider ask for a wait that no slow machine sits out before the test ends it.
const longWaits = "- id: llm-retry\n  config: {baseDelayMs: 20, maxDelayMs: 60000}\n"

// pipes are what the command talks through: it says that it runs, and waits for a word.
func pipes(folders scaffold.Folders) error {
	for _, name := range []string{"ready", "go"} {
		if err := syscall.Mkfifo(filepath.Join(folders.Workspace, name), 0o600); err != nil {
			return fmt.Errorf("making a pipe: %w", err)
		}
	}
	return nil
}

// pipe opens one of them, for reading and writing: opening must not wait for the other end.
func pipe(s *scaffold.Stage, name string) *os.File {
	s.Helper()
	opened, err := os.OpenFile(filepath.Join(s.Folders.Workspace, name), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.Fatalf("opening a pipe: %v", err)
	}
	if deadline, ok := s.Context.Deadline(); ok {
		if err := opened.SetDeadline(deadline); err != nil {
			s.Fatalf("setting a pipe's deadline: %v", err)
		}
	}
	return opened
}

// scenario is the turn, and what happens at each moment at which it stands still.
func scenario(at func(s *scaffold.Stage, moment string)) scaffold.Scenario {
	held := newHeldClock()
	return holding(scaffold.Scenario{
		Name:    "reload",
		Fixture: true,
		Pace:    replay.Fixed(pace),
		Patches: scaffold.Patch("as long as the provider asks for", longWaits),
		Prepare: pipes,
		Drive: func(s *scaffold.Stage) {
			ready, word := pipe(s, "ready"), pipe(s, "go")
			defer ready.Close()
			defer word.Close()
			s.Open("/")
			s.Send(prompt)
			s.WaitFor(where)
			s.AwaitEvent("the call that asks", typed(session.TypeToolCall, 1))
			at(s, question)
			s.Click(chromium.Role("radio", "The sea"))
			s.Click(chromium.Role("button", "Submit"))

			s.AwaitEvent("the command's call", typed(session.TypeToolCall, 2))
			if _, err := ready.Read(make([]byte, 16)); err != nil {
				s.Fatalf("waiting for the command: %v", err)
			}
			at(s, tool)
			if _, err := word.WriteString("noon\n"); err != nil {
				s.Fatalf("telling the command to go on: %v", err)
			}

			s.AwaitEvent("a retry that waits", typed(session.TypeRetry, 1))
			at(s, retry)
			if s.Mode() != scaffold.Record { // a provider has a pace of its own
				held.stopAfter(8)
			}
			held.release()

			s.AwaitEvent("the eighth chunk of the answer", func(e session.Event) bool {
				return e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), "ntil n")
			})
			at(s, streaming)
			held.release()
			s.Settle()
			at(s, idle)
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantPrompts(prompt)
			s.WantToolResults(`{"answers":[{"id":"where","selected":["The sea"]}]}`, "the tide says noon\n")
			s.Golden(idle, conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}, held)
}

// typed finds the n-th event of a type; it is asked of each event of a log in order, from the first.
func typed(eventType string, n int) func(session.Event) bool {
	last := map[int64]bool{}
	return func(e session.Event) bool {
		if e.Type == eventType {
			last[e.Seq] = true
		}
		return len(last) >= n
	}
}

// reloads loads the page again at these moments, and captures the page at each moment, before and after.
func reloads(moments ...string) func(*scaffold.Stage, string) {
	return func(s *scaffold.Stage, moment string) {
		if s.Mode() == scaffold.Record {
			return
		}
		s.Golden(moment, conversation)
		for _, each := range moments {
			if each != moment {
				continue
			}
			s.ReloadAtWork()
			if moment == idle {
				s.Settle()
			}
			s.Golden(moment, conversation)
		}
	}
}

func TestATurnWithoutAReload(t *testing.T) {
	scaffold.Run(t, scenario(reloads()))
}

func TestAReloadAtEachMoment(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, moment := range []string{question, tool, retry, streaming, idle} {
		t.Run(moment, func(t *testing.T) { scaffold.Run(t, scenario(reloads(moment))) })
	}
}

func TestAReloadAtEveryMoment(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scenario(reloads(question, tool, retry, streaming, idle)))
}
