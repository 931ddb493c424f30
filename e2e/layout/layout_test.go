// Package layout_test measures the three columns of the page: how wide they are, what their separators do by mouse and by keys, which of
// them gives way in a window that is too small, and what another session or a reload makes of it. What is asserted are the boxes of named
// regions, to two pixels. No model is asked.
package layout_test

import (
	"fmt"
	"math"
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
	first  = "session-first"
	second = "session-second"
)

var (
	details       = chromium.Role("complementary", "Details")
	closing       = chromium.Role("button", "Close details")
	toggle        = chromium.Role("button", "Details")
	showing       = chromium.Role("button", "Show details")
	call          = chromium.Role("button", "Bash: Count 12")
	sidebarEdge   = chromium.Role("separator", "Resize sidebar")
	detailsEdge   = chromium.Role("separator", "Resize details")
	openSidebar   = chromium.Role("button", "Open sidebar")
	secondSession = chromium.RoleContaining("treeitem", "The second")
	firstSession  = chromium.RoleContaining("treeitem", "The first")
)

// log is a session of turns with a call each and paragraphs that break into more lines where there is less room.
func log(t *testing.T, title string, turns int) []byte {
	t.Helper()
	d := seed.NewDraft()
	for turn := 1; turn <= turns; turn++ {
		d.Prompt(fmt.Sprintf("Count to %d.", turn))
		if turn == 1 {
			d.Add("session/title", map[string]any{"title": title, "messageSeqs": []int{2}, "source": map[string]any{"kind": "user"}}, false)
		}
		d.Step("I count.", seed.Call{Name: "bash", Arguments: fmt.Sprintf(`{"command":"seq %d","description":"Count %d"}`, turn, turn), Result: fmt.Sprint(turn),
			Meta: map[string]any{"card": "terminal", "command": fmt.Sprintf("seq %d", turn), "cwd": "/srv/work", "description": fmt.Sprintf("Count %d", turn), "exitCode": 0}})
		var text strings.Builder
		for paragraph := range 4 {
			fmt.Fprintf(&text, "Paragraph %d of turn %d. %s\n\n", paragraph, turn, strings.Repeat("It goes on for as long as it takes to fill several lines. ", 9))
		}
		d.Step(strings.TrimSpace(text.String()))
		d.End(session.TurnReason{Kind: session.ReasonCompleted})
	}
	lines, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// opened has a page of a width at the first of two sessions.
func opened(t *testing.T, width int, look func(*scaffold.Stage)) scaffold.Scenario {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return scaffold.Scenario{
		Name:  "layout",
		Seeds: []scaffold.Seed{{SessionID: first, Log: log(t, "The first", 12), LastActivity: at}, {SessionID: second, Log: log(t, "The second", 1), LastActivity: at.Add(-time.Hour)}},
		Page:  chromium.ContextOptions{Width: width, Height: 1000},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + first)
			look(s)
		},
	}
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}

func do(s *scaffold.Stage, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

// near tells whether two lengths are the same on a screen.
func near(got, want float64) bool { return math.Abs(got-want) <= 2 }

// box is where a region begins and ends from left to right, and its top.
type box struct{ Left, Right, Top float64 }

// The regions by their roles and names; one that nobody can see has no box.
const measure = `Object.fromEntries(Object.entries({sidebar: "nav[aria-label=Sessions]", centre: "main[aria-label=Conversation]", details: "aside[aria-label=Details]"}).map(([name, selector]) => {
	const element = document.querySelector(selector);
	const {left, right, top} = element?.checkVisibility({visibilityProperty: true}) ? element.getBoundingClientRect() : {left: 0, right: 0, top: 0};
	return [name, {Left: left, Right: right, Top: top}];
}))`

// wantColumns checks how wide the sidebar and the details are, 0 being gone, and that the centre has all the rest.
func wantColumns(s *scaffold.Stage, when string, sidebar, details float64) {
	s.Helper()
	do(s, s.Page.Frames(s.Context, 2))
	got, page := evaluate[map[string]box](s, measure), evaluate[float64](s, "innerWidth")
	want := map[string]box{"sidebar": {Right: sidebar}, "centre": {Left: sidebar, Right: page - details}, "details": {Left: page - details, Right: page}}
	if details == 0 {
		want["details"] = box{}
	}
	for name, b := range want {
		if g := got[name]; !near(g.Left, b.Left) || !near(g.Right, b.Right) || !near(g.Top, 0) {
			s.Errorf("%s: the %s reaches from %v to %v (top %v), want from %v to %v", when, name, g.Left, g.Right, g.Top, b.Left, b.Right)
		}
	}
	if over := evaluate[float64](s, "document.documentElement.scrollWidth"); over > page {
		s.Errorf("%s: the page scrolls sideways, %v in %v", when, over, page)
	}
}

// openDetails goes from a row of the conversation to its details.
func openDetails(s *scaffold.Stage) {
	s.Helper()
	s.Click(call)
	s.Click(showing)
	s.WaitFor(details)
}

func gone(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	do(s, s.Page.WaitGone(s.Context, query))
}

// wantFocus checks which element has the focus, by its name.
func wantFocus(s *scaffold.Stage, when, name string) {
	s.Helper()
	if got := evaluate[string](s, `document.activeElement.ariaLabel ?? document.activeElement.textContent`); got != name {
		s.Errorf("%s: the focus is at %q, not at %q", when, got, name)
	}
}
