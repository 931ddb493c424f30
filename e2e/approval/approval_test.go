// Package approval_test is the person's say: commands and changes wait on a card until they are allowed once, allowed for the session,
// rejected, or withdrawn with their turn; nothing of a call happens before its decision, and a read-only session refuses.
package approval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	first  = "Write me a note."
	second = "Do it once more."
	third  = "Try it anyway."
	fourth = "Now do as you like."
)

var (
	conversation = chromium.Role("main", "Conversation")
	create       = chromium.Role("heading", "Create this file?")
	command      = chromium.Role("heading", "Run this command?")
	allowSession = chromium.Role("button", "Allow for this session")
	reject       = chromium.Role("button", "Reject")
	access       = chromium.Role("combobox", "Access")
)

// shipped puts the row back to what the product ships; the lane's own patch lets everything run.
const shipped = "- id: approval\n  config: {mode: ask}\n"

func scenario(patch string) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "approval",
		Fixture: true,
		Patches: scaffold.Patch("the shipped mode", patch),
		Drive:   drive,
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "aborted", "completed", "completed")
			s.WantToolResults(
				"Created note.txt: 1 line, 20 bytes.",
				"[no output]",
				"Edited note.txt: 1 replacement, in line 1.",
				"Error: the person rejected this call, so bash was not run. Do not try the same in another way; ask what they want.",
				"1\tBuy <bread> & tea.\n[end of file, 1 line]",
				"Error: tool call aborted before dispatch",
				"Error: the session is read-only, so write was not run. Say what you would do instead of trying another way.",
				"[no output]",
			)
			wantDecisions(s,
				"asked write files: change", "decided allowed-session",
				"asked bash bash: echo ran >> ran.txt", "decided allowed-once",
				"asked bash bash: touch rejected.txt", "decided rejected",
				"asked bash bash: touch withdrawn.txt", "decided cancelled",
				"policy read-only", "policy full",
			)
			wantFiles(s, "full.txt", "note.txt", "ran.txt")
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func TestNothingRunsBeforeThePersonHasDecided(t *testing.T) {
	scaffold.Run(t, scenario(shipped))
}

// A host that runs before the decision never shows the card, and has made the file: both are seen.
func TestAHostThatDoesNotAskIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario("- id: approval\n  config: {mode: full}\n")
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(first)
		s.AwaitEvent("a call that waits", func(e session.Event) bool { return e.Type == session.TypeApprovalAsked })
		wantFiles(s)
	}
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	if !strings.Contains(failures, "a call that waits") {
		t.Errorf("the host that does not ask was not seen:\n%s", failures)
	}
}

func drive(s *scaffold.Stage) {
	s.Helper()
	s.Open("/")
	s.Send(first)
	s.WaitFor(create)
	wantFiles(s)
	look(s, "write-waiting")
	if s.Mode() != scaffold.Record {
		s.Reload()
		s.WaitFor(create)
		s.Golden("write-waiting", conversation)
		wantFiles(s)
	}
	s.Click(allowSession)

	s.WaitFor(command)
	wantFiles(s, "note.txt")
	look(s, "command-waiting")
	s.Click(chromium.Role("textbox", "Message the agent"))
	press(s, "Shift+Tab", "Enter") // from the field the nearest button allows once
	// The change after it is covered by the session; what waits next is another command.
	s.AwaitEvent("the second command's card", func(e session.Event) bool {
		return e.Type == session.TypeApprovalAsked && strings.Contains(string(e.Data), "rejected.txt")
	})
	s.Click(reject)
	s.Settle()
	wantFiles(s, "note.txt", "ran.txt")

	s.Send(second)
	s.WaitFor(command)
	s.Click(chromium.Role("button", "Stop"))
	s.Settle()
	look(s, "withdrawn")

	choose(s, "ArrowDown") // read only
	awaitPolicy(s, "read-only")
	s.Send(third)
	s.Settle()

	choose(s, "ArrowDown") // full access, which is asked for twice
	s.WaitFor(chromium.Role("region", "Full access"))
	look(s, "full-asked")
	s.Click(chromium.Role("button", "Allow full access"))
	awaitPolicy(s, "full")
	s.Send(fourth)
	s.Settle()
}

// look compares with a golden, except while a provider answers.
func look(s *scaffold.Stage, name string) {
	s.Helper()
	if s.Mode() != scaffold.Record {
		s.Golden(name, conversation)
	}
}

func choose(s *scaffold.Stage, key string) {
	s.Helper()
	if err := s.Page.Focus(s.Context, access); err != nil {
		s.Fatalf("%v", err)
	}
	press(s, key)
}

// awaitPolicy waits until the page shows the mode that the host has taken.
func awaitPolicy(s *scaffold.Stage, mode string) {
	s.Helper()
	s.WaitFor(chromium.CSS(fmt.Sprintf(".composer-access[data-mode=%q]", mode)))
	s.Settle()
}

func press(s *scaffold.Stage, keys ...string) {
	s.Helper()
	for _, key := range keys {
		if err := s.Page.Press(s.Context, key); err != nil {
			s.Fatalf("pressing %s: %v", key, err)
		}
	}
}

// wantFiles checks what lies in the workspace, in order of names.
func wantFiles(s *scaffold.Stage, want ...string) {
	s.Helper()
	found, err := filepath.Glob(filepath.Join(s.Folders.Workspace, "*"))
	if err != nil {
		s.Fatalf("%v", err)
	}
	var got []string
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			s.Fatalf("%v", err)
		}
		got = append(got, info.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		s.Errorf("the workspace holds %q, want %q", got, want)
	}
}

// wantDecisions checks the events about approvals, in order and nothing else; every decision is about the call asked about before it.
func wantDecisions(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	asked := ""
	for _, event := range s.Events() {
		var data struct{ ID, ToolName, Scope, Outcome, Policy string }
		if !strings.HasPrefix(event.Type, "approval/") {
			continue
		}
		if err := json.Unmarshal(event.Data, &data); err != nil {
			s.Fatalf("%v", err)
		}
		switch event.Type {
		case session.TypeApprovalAsked:
			asked = data.ID
			got = append(got, "asked "+data.ToolName+" "+data.Scope)
		case session.TypeApprovalDecided:
			if data.ID != asked {
				s.Errorf("event %d decides about %q, asked was about %q", event.Seq, data.ID, asked)
			}
			got = append(got, "decided "+data.Outcome)
		default:
			got = append(got, "policy "+data.Policy)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("the decisions are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
