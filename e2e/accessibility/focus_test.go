package accessibility_test

import (
	"strings"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

// opener is something that opens something with the keyboard, and gets the focus back when that is left.
type opener struct {
	name string
	// from is what has the focus, keys what is pressed on it, and opened what is there then.
	from   string
	keys   []string
	opened string
}

var start = []opener{
	{"where to work", `.start-workspace`, []string{"Enter"}, `.menu`},
	{"a dialog of folders", `.start-workspace`, []string{"Enter", "End", "Enter"}, `.folders`},
	{"settings", `.sidebar-foot .button`, []string{"Enter"}, `.settings`},
	{"shortcuts", `.sidebar-foot .icon-button`, []string{"Enter"}, `dialog[open]`},
	{"how sessions are grouped", `.sidebar-view [aria-haspopup=menu]`, []string{"Enter"}, `.menu`},
	{"a new workspace", `.sidebar-view [aria-haspopup=dialog]`, []string{"Enter"}, `dialog[open]`},
	{"what can be done with a session", `[data-session-id]`, []string{"Shift+F10"}, `.menu`},
	{"renaming a session", `[data-session-id]`, []string{"Shift+F10", "Enter"}, `dialog[open] .sidebar-field`},
	{"deleting a session", `[data-session-id]`, []string{"Shift+F10", "End", "Enter"}, `dialog[open] .button-danger`},
	{"what can be done with a workspace", `.tree-head`, []string{"Shift+F10"}, `.menu`},
	{"renaming a workspace", `.tree-head`, []string{"Shift+F10", "ArrowDown", "Enter"}, `dialog[open] .sidebar-field`},
	{"deleting a workspace", `.tree-head`, []string{"Shift+F10", "End", "Enter"}, `dialog[open] .button-danger`},
	{"commands", `.composer textarea`, []string{"/"}, `.floating`},
}

var conversation = []opener{
	{"details", `.topbar > .icon-button:last-child`, []string{"Enter"}, `[data-details-column]`},
	{"settings over a conversation", `.sidebar-foot .button`, []string{"Enter"}, `.settings`},
}

var trajectory = []opener{{"a record's details", `.record .record-button`, []string{"Enter"}, `.inspector`}}

// comeBack opens each, leaves it with Escape, and looks where the focus is.
func comeBack(s *scaffold.Stage, openers []opener) {
	s.Helper()
	for _, each := range openers {
		s.WaitFor(chromium.CSS(each.from).Nth(1))
		do(s, s.Page.Focus(s.Context, chromium.CSS(each.from).Nth(1)))
		if _, err := chromium.Eval[int](s.Context, s.Page, `((window.opener = document.activeElement), 1)`); err != nil {
			s.Fatalf("%v", err)
		}
		for i, key := range each.keys {
			if i > 0 { // the first key has opened a menu
				s.WaitFor(chromium.CSS(`.menu:has(:focus)`))
			}
			s.Press(key)
		}
		s.WaitFor(chromium.CSS(each.opened))
		s.Press("Escape")
		if err := s.Page.WaitGone(s.Context, chromium.CSS(each.opened)); err != nil {
			s.Fatalf("%s: %v", each.name, err)
		}
		// One frame: what the page gives the focus to may have to be drawn first.
		do(s, s.Page.Frames(s.Context, 2))
		on, err := chromium.Eval[string](s.Context, s.Page, `document.activeElement === window.opener ? "" : document.activeElement.outerHTML.slice(0, 120)`)
		if err != nil {
			s.Fatalf("%v", err)
		}
		if on != "" {
			s.Errorf("%s was left, and the focus is on %s, not where it came from", each.name, on)
		}
	}
}

func focus(t *testing.T) scaffold.Scenario {
	t.Helper()
	d := seed.NewDraft()
	d.Prompt("Be opened.")
	d.Step("So be it.", seed.Call{Name: "bash", Arguments: `{"command":"true"}`, Result: "done"})
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	log, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return scaffold.Scenario{
		Name:  "accessibility",
		Seeds: []scaffold.Seed{{SessionID: "session-focus", Log: log, LastActivity: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			comeBack(s, start)
			s.Open("/s/session-focus")
			comeBack(s, conversation)
			s.Open("/s/session-focus/trajectory")
			comeBack(s, trajectory)
		},
	}
}

func TestTheFocusComesBack(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, focus(t))
}

// A menu that lets the focus fall.
func TestAFocusThatIsLostWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	broken := focus(t)
	broken.Edits = []scaffold.Edit{{File: "plugins/sidebar/client.js", Find: `\.isConnected\?(\w+)\.focus\(\{preventScroll:!0\}\)`, Put: `.isConnected?$1.blur()`}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
	if all := strings.Join(failures, "\n"); !strings.Contains(all, "what can be done with a session was left, and the focus is on <body") {
		t.Errorf("it was not seen, only:\n%s", all)
	}
}
