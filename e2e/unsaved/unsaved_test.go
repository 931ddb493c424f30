// Package unsaved_test takes the session's file away before the last write of a turn: the page says what is not saved and why, also after
// a reload, and stops saying it when the file is there again and everything is in it.
package unsaved_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The prompts: a model that hangs until it is stopped, and a turn that shows that all is well again.
const (
	count = "Count to three."
	after = "Say that all is well."
)

var (
	conversation = chromium.Role("main", "Conversation")
	stop         = chromium.Role("button", "Stop")
	notice       = chromium.Role("region", "This session is not saved")
)

// away gives the only session's file another name; the result gives it its own again.
func away(s *scaffold.Stage) (back func()) {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.Folders.Sessions, "*", "*", "*.jsonl*"))
	if err != nil || len(files) != 1 {
		s.Fatalf("want the file of one session, got %q %v", files, err)
	}
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			s.Fatalf("renaming the session's file: %v", err)
		}
	}
	rename(files[0], files[0]+".away")
	return func() { rename(files[0]+".away", files[0]) }
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "unsaved",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(count)
			s.Reach("counting")
			back := func() {}
			if s.Mode() != scaffold.Record {
				back = away(s)
			}
			s.Click(stop) // from here on there is only the write of the turn's end
			s.AwaitEvent("the turn's end", func(e session.Event) bool { return e.Type == session.TypeTurnEnd })
			if s.Mode() != scaffold.Record {
				wantNotice(s)
				s.Reload()
				wantNotice(s)
			}
			back()
			if err := s.Page.WaitGone(s.Context, notice); err != nil {
				s.Fatalf("the notice stays: %v", err)
			}
			s.Send(after)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("aborted", "completed")
			s.WantPrompts(count, after)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
}

// wantNotice checks what the page says: how much is not saved, and the cause with the file's name.
func wantNotice(s *scaffold.Stage) {
	s.Helper()
	s.WaitFor(notice)
	shown := s.Text(".unsaved")
	for _, want := range []string{"This session is not saved", "could not be written to disk", "no such file or directory", "NOT_STORED"} {
		if !strings.Contains(shown, want) {
			s.Errorf("the notice does not say %q:\n%s", want, shown)
		}
	}
}

func TestAnEndThatCannotBeWrittenIsSeenUntilItIs(t *testing.T) { scaffold.Run(t, scenario()) }

// TestAPageThatHearsNothingOfItWouldBeSeen breaks the page's ear for it.
func TestAPageThatHearsNothingOfItWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `case"session/storage":`, Put: `case"session/storage-unheard":`}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 8*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "This session is not saved")
}
