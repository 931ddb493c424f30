// Package tool_details_test opens the rows of tool calls: a terminal, a file that was read, a change. What is copied from each is exact to
// the byte, and each row opens and closes by itself and stays as it was left while another session is on screen. No model is asked.
package tool_details_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	sessionID = "session-details"
	other     = "session-other"
)

var (
	conversation = chromium.Role("main", "Conversation")
	terminal     = chromium.Role("button", "Bash: Count")
	file         = chromium.Role("button", "Read: src/odd name.txt")
	change       = chromium.Role("button", "Edit: src/odd name.txt")
	quiet        = chromium.Role("button", "Bash: Say nothing")
)

// What the calls gave: more lines than are shown, white space at every end, characters of several bytes, no line break at the end.
var (
	counted = "  first \n\tsecond\n\n" + numbers(4, 30) + "last 锁🔒 \n"
	content = "one\t\n  two  \n\nfour <&> \"é\" 锁"
)

// changed is the edit as a patch.
const changed = "--- a/src/odd name.txt\n+++ b/src/odd name.txt\n@@ -1,3 +1,3 @@\n one\t\n-  two  \n+  2  \n \n@@ -20,1 +20,2 @@\n last\n+\tmore\n"

func numbers(from, to int) string {
	var text strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintln(&text, n)
	}
	return text.String()
}

type object = map[string]any

func log(t *testing.T, title string, calls ...seed.Call) []byte {
	t.Helper()
	d := seed.NewDraft()
	d.Prompt("Show me.")
	d.Add("session/title", object{"title": title, "messageSeqs": []int{2}, "source": object{"kind": "user"}}, false)
	d.Step("Look.", calls...)
	d.Step("That is all.")
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func details(t *testing.T) []byte {
	return log(t, "Details",
		seed.Call{Name: "bash", Arguments: `{"command":"count 30","description":"Count"}`, Result: counted,
			Meta: object{"card": "terminal", "command": "count 30", "cwd": "/srv/work", "description": "Count", "exitCode": 0}},
		seed.Call{Name: "read", Arguments: `{"file_path":"src/odd name.txt"}`, Result: "1\tone\t\n…",
			Meta: object{"card": "file", "path": "src/odd name.txt", "firstLine": 1, "lastLine": 4, "totalLines": 4, "content": content}},
		seed.Call{Name: "edit", Arguments: `{"file_path":"src/odd name.txt","old_string":"two","new_string":"2"}`, Result: "Edited.",
			Meta: object{"card": "diff", "path": "src/odd name.txt", "action": "edited", "added": 2, "removed": 1, "hunks": []object{
				{"oldStart": 1, "newStart": 1, "lines": []string{" one\t", "-  two  ", "+  2  ", " "}}, {"oldStart": 20, "newStart": 20, "lines": []string{" last", "+\tmore"}}}}},
		seed.Call{Name: "bash", Arguments: `{"command":"true","description":"Say nothing"}`, Result: "",
			Meta: object{"card": "terminal", "command": "true", "cwd": "/srv/work", "description": "Say nothing", "exitCode": 0}})
}

func opened(t *testing.T, look func(*scaffold.Stage)) scaffold.Scenario {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return scaffold.Scenario{
		Name:  "tool_details",
		Seeds: []scaffold.Seed{{SessionID: sessionID, Log: details(t), LastActivity: at}, {SessionID: other, Log: log(t, "Another"), LastActivity: at.Add(-time.Hour)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			look(s)
		},
	}
}

// copies opens each row, pins it, and copies from it.
func copies(s *scaffold.Stage) {
	for _, c := range []struct {
		row           chromium.Query
		state, button string
		want          string
	}{
		{terminal, "terminal", "Copy output", counted},
		{file, "file", "Copy content", content},
		{change, "change", "Copy changes", changed},
	} {
		s.Click(c.row)
		s.Golden(c.state, conversation)
		s.Click(chromium.Role("button", c.button))
		s.WaitFor(chromium.Role("button", "Copied"))
		got, err := s.Page.ReadClipboard(s.Context)
		if err != nil {
			s.Fatalf("%v", err)
		}
		if got != c.want {
			s.Errorf("%s copied %q, want %q", c.button, got, c.want)
		}
		s.Click(c.row)
	}
}

func TestWhatIsCopiedIsExact(t *testing.T) { scaffold.Run(t, opened(t, copies)) }

// independent opens two rows of four and comes back to them from another session.
func independent(s *scaffold.Stage) {
	s.Click(terminal)
	s.Click(change)
	wantOpen(s, "Bash: Count", "Edit: src/odd name.txt")
	s.Click(quiet)
	s.Click(terminal)
	wantOpen(s, "Edit: src/odd name.txt", "Bash: Say nothing")
	s.Click(chromium.RoleContaining("treeitem", "Another"))
	if err := s.Page.WaitGone(s.Context, quiet); err != nil {
		s.Fatalf("the other session is not on the page: %v", err)
	}
	s.Settle()
	wantOpen(s)
	s.Click(chromium.RoleContaining("treeitem", "Details"))
	s.WaitFor(quiet)
	s.Settle()
	wantOpen(s, "Edit: src/odd name.txt", "Bash: Say nothing")
	s.Reload()
	wantOpen(s)
}

// wantOpen checks which rows are open.
func wantOpen(s *scaffold.Stage, rows ...string) {
	s.Helper()
	got, err := chromium.Eval[[]string](s.Context, s.Page, `[...document.querySelectorAll("main [data-row-kind] .disclosure-button[aria-expanded=true]")].map((button) => button.ariaLabel)`)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if strings.Join(got, ", ") != strings.Join(rows, ", ") {
		s.Errorf("the rows that are open are %q, want %q", got, rows)
	}
}

func TestEachRowOpensByItselfAndStaysAsItWasLeft(t *testing.T) {
	scaffold.Run(t, opened(t, independent))
}
