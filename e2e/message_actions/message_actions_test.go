// Package message_actions_test copies messages to the byte and branches a conversation at the end of a turn that completed: the new one has
// what came before and goes on by itself, and the one it came from is not touched.
package message_actions_test

import (
	"bytes"
	"os"
	"path/filepath"
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
	sessionID = "session-parent"
	prompt    = "Name a lock.\n\n\t<b>Indented</b> & spaced  twice. 锁 🔒 "
	answer    = "A **canal lock**:\n\n```go\n\tmu.Lock() // \"tab\"\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	later     = "Name another."
	followUp  = "And a third?"
	forking   = "Branch into a new conversation"
)

var (
	conversation = chromium.Role("main", "Conversation")
	copying      = chromium.Role("button", "Copy message")
)

// row is the nth row of a kind, counted from 0.
func row(kind string, n int) chromium.Query {
	return chromium.CSS(`main [data-row-kind="` + kind + `"]`).Nth(n + 1)
}

func parent(t *testing.T) []byte {
	t.Helper()
	d := seed.NewDraft()
	d.Prompt(prompt)
	d.Add("session/title", map[string]any{"title": "Locks", "messageSeqs": []int{2}, "source": map[string]any{"kind": "user"}}, false)
	d.Step("Let me see.", seed.Call{Name: "bash", Arguments: `{"command":"true","description":"Look"}`, Result: "[no output]"})
	d.Step(answer)
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	d.Prompt(later)
	d.Step("A padl")
	d.End(session.TurnReason{Kind: session.ReasonAborted, Abort: "user"})
	log, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func opened(t *testing.T, look func(*scaffold.Stage)) scaffold.Scenario {
	return scaffold.Scenario{
		Name:  "message_actions",
		Seeds: []scaffold.Seed{{SessionID: sessionID, Log: parent(t), LastActivity: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			look(s)
		},
	}
}

func copies(s *scaffold.Stage) {
	for _, c := range []struct {
		kind string
		n    int
		want string
	}{{"user", 0, prompt}, {"text", 1, answer}, {"text", 2, "A padl"}} {
		within := row(c.kind, c.n)
		s.Click(copying.Within(within))
		s.WaitFor(chromium.Role("button", "Copied").Within(within))
		got, err := s.Page.ReadClipboard(s.Context)
		if err != nil {
			s.Fatalf("%v", err)
		}
		if got != c.want {
			s.Errorf("copied %q, want %q", got, c.want)
		}
	}
}

func TestAMessageIsCopiedToTheByte(t *testing.T) { scaffold.Run(t, opened(t, copies)) }

// unavailable: the first message is not its turn's last, and the turn of the third was stopped.
func unavailable(s *scaffold.Stage) {
	for _, n := range []int{0, 2} {
		if err := s.Page.Focus(s.Context, chromium.Role("button", forking).Within(row("text", n))); err != nil {
			s.Fatalf("a branch that cannot be is out of the keyboard's reach: %v", err)
		}
		s.Press("Enter")
		s.Settle()
		if at := s.Page.URL(); !strings.HasSuffix(at, "/s/"+sessionID) {
			s.Errorf("a message that ends no completed turn was branched: %s", at)
			return
		}
	}
}

func TestABranchIsOnlyWhereATurnCompleted(t *testing.T) { scaffold.Run(t, opened(t, unavailable)) }

func TestTheActionsAreNamedInChinese(t *testing.T) {
	chinese := opened(t, func(s *scaffold.Stage) {
		s.WaitFor(chromium.Role("button", "复制消息").Within(row("user", 0)))
		s.WaitFor(chromium.Role("button", "从这里另开对话").Within(row("text", 1)))
	})
	chinese.Page.Locale = "zh-CN"
	scaffold.Run(t, chinese)
}

// branched goes on in a branch, by keyboard; at is the row that it begins at.
func branched(t *testing.T) scaffold.Scenario {
	var before []byte
	from := opened(t, func(s *scaffold.Stage) {
		before = stored(s, sessionID)
		if err := s.Page.Focus(s.Context, chromium.Role("button", forking).Within(row("text", 1))); err != nil {
			s.Fatalf("%v", err)
		}
		s.Press("Enter")
		if err := s.Page.WaitGone(s.Context, chromium.CSS("main article:nth-of-type(3)")); err != nil { // the turn that was stopped
			s.Fatalf("the branch is not on the page: %v", err)
		}
		s.Settle()
		s.Golden("branch", conversation)
		s.Send(followUp)
		s.Settle()
		s.Golden("gone-on", conversation)
	})
	from.Fixture = true
	from.Check = func(s *scaffold.Stage) {
		child := s.SessionID()
		s.WantTurns("completed", "completed")
		s.WantPrompts(prompt, followUp)
		s.WantDurable()
		if after := stored(s, sessionID); child == sessionID || !bytes.Equal(before, after) {
			s.Errorf("the conversation that was branched has changed, from %d bytes to %d", len(before), len(after))
		}
		if child == sessionID {
			return
		}
		s.Reload()
		s.Golden("gone-on", conversation)
		s.Open("/s/" + sessionID)
		s.WaitFor(row("text", 2))
	}
	return from
}

// stored is the session's file.
func stored(s *scaffold.Stage, id string) []byte {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.Folders.Sessions, "*", id, "session.jsonl.zstd"))
	if err != nil || len(files) != 1 {
		s.Fatalf("the files of %s: %v, %v", id, files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		s.Fatalf("%v", err)
	}
	return content
}

func TestABranchGoesOnByItself(t *testing.T) { scaffold.Run(t, branched(t)) }
