// Package resume_test opens a cold session whose log a crash has cut inside a turn, and goes on with it: the turn that was cut is shown as
// interrupted, the next prompt continues the same log and the same page without a gap or a double, and what a person had allowed for the
// session before the crash needs no second leave.
package resume_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	sessionID = "session-resume"
	first     = "Write a note of one line."
	cut       = "Add a second line."
	goOn      = "Go on."
)

var conversation = chromium.Role("main", "Conversation")

// before is the log as the crash left it; outcome is what the person decided about the first command.
func before(t *testing.T, outcome string) []byte {
	t.Helper()
	d := seed.NewDraft()
	d.Prompt(first)
	d.Step("I will.", seed.Call{Name: "bash", Arguments: `{"command":"echo one >> note.txt","description":"Write the first line"}`, Result: "[no output]",
		Approval: outcome, Scope: "bash: echo one >> note.txt",
		Meta: map[string]any{"card": "terminal", "command": "echo one >> note.txt", "cwd": "/", "description": "Write the first line", "exitCode": 0}})
	d.Step("It is written.")
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	d.Prompt(cut)
	d.Answer([]session.Block{{Type: session.BlockText, Text: "At once."}},
		seed.Call{Name: "bash", Arguments: `{"command":"echo two >> note.txt","description":"Write the second line"}`, Begun: true},
		seed.Call{Name: "bash", Arguments: `{"command":"cat note.txt","description":"Read the note"}`, Pending: true})
	log, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func scenario(t *testing.T, outcome string) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "resume",
		Fixture: true,
		Seeds:   []scaffold.Seed{{SessionID: sessionID, Log: before(t, outcome), LastActivity: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Cut: true}},
		Patches: scaffold.Patch("ask before what changes something", "- {id: approval, config: {mode: ask}}\n"),
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			s.Golden("cut", conversation)
			s.Send(goOn)
			// The first command was allowed for the session; only the other one asks.
			s.WaitFor(chromium.Role("button", "Allow once"))
			if asked := s.Text(".dock"); !strings.Contains(asked, "echo three") {
				s.Fatalf("asks for leave: %s", asked)
			}
			s.Click(chromium.Role("button", "Allow once"))
			s.Settle()
			s.Golden("gone-on", conversation)
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "interrupted", "completed")
			s.WantPrompts(first, cut, goOn)
			wantSeamless(s)
			wantAsked(s, "echo one >> note.txt", "echo three >> note.txt")
			note, err := os.ReadFile(filepath.Join(s.Folders.Workspace, "note.txt"))
			if err != nil || string(note) != "one\nthree\n" {
				s.Errorf("the note is %q, %v", note, err)
			}
			wantTold(s)
			s.Reload()
			s.Golden("gone-on", conversation)
			s.WantDurable()
		},
	}
}

// wantSeamless checks that the log goes on where it ended, and that the page has each row of it once.
func wantSeamless(s *scaffold.Stage) {
	s.Helper()
	starts := 0
	for i, event := range s.Events() {
		if event.Seq != int64(i) {
			s.Errorf("event %d of the log has the seq %d", i, event.Seq)
		}
		if event.Type == session.TypeTurnStart {
			starts++
		}
	}
	rows, err := chromium.Eval[[]string](s.Context, s.Page, `[...document.querySelectorAll("main [data-row-key]")].map((row) => row.dataset.rowKey)`)
	if err != nil {
		s.Fatalf("%v", err)
	}
	seen := map[string]bool{}
	for _, key := range rows {
		if seen[key] {
			s.Errorf("the row %s is on the page twice", key)
		}
		seen[key] = true
	}
	// Three prompts; five calls; I will, It is written, At once, The second line …, The note is whole; Interrupted.
	if starts != 3 || len(rows) != 14 {
		s.Errorf("%d turns in the log and %d rows on the page, want 3 and 14: %s", starts, len(rows), strings.Join(rows, " "))
	}
}

// wantAsked checks which commands have ever asked for leave.
func wantAsked(s *scaffold.Stage, commands ...string) {
	s.Helper()
	var asked []string
	for _, event := range s.Events() {
		if event.Type != "approval/asked" {
			continue
		}
		var data struct{ Scope string }
		if err := json.Unmarshal(event.Data, &data); err != nil {
			s.Fatalf("%v", err)
		}
		asked = append(asked, strings.TrimPrefix(data.Scope, "bash: "))
	}
	if diff := cmp.Diff(commands, asked); diff != "" {
		s.Errorf("other commands have asked for leave (-want +got):\n%s", diff)
	}
}

// wantTold checks that the model was told, before it went on, what became of the calls that the crash had cut.
func wantTold(s *scaffold.Stage) {
	s.Helper()
	var codes []string
	for _, event := range s.Events() {
		var data struct{ Error struct{ Code string } }
		if event.Type != session.TypeToolResult {
			continue
		}
		if err := json.Unmarshal(event.Data, &data); err != nil {
			s.Fatalf("%v", err)
		}
		if data.Error.Code != "" {
			codes = append(codes, data.Error.Code)
		}
	}
	if diff := cmp.Diff([]string{"TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED"}, codes); diff != "" {
		s.Errorf("the calls that were cut ended otherwise (-want +got):\n%s", diff)
	}
	if requests := s.Requests(); len(requests) == 0 || len(requests[0].Messages) < 8 {
		s.Errorf("the model went on without the history: %d requests", len(requests))
	}
}

func TestASessionThatWasCutGoesOn(t *testing.T) { scaffold.Run(t, scenario(t, "allowed-session")) }
