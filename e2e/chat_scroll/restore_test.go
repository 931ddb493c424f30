package chat_scroll_test

import (
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

var (
	chat       = chromium.Role("tab", "Chat")
	trajectory = chromium.Role("tab", "Trajectory")
)

// inSidebar is a session's entry.
func inSidebar(id string) chromium.Query {
	return chromium.CSS(`nav a[href="/s/` + id + `"]`)
}

// toTab shows a view of the session, and waits until it is there.
func toTab(s *scaffold.Stage, tab chromium.Query) {
	s.Helper()
	s.Click(tab)
	s.Settle()
}

// toSession shows another session, and waits until it is there.
func toSession(s *scaffold.Stage, id string) {
	s.Helper()
	s.Click(inSidebar(id))
	s.WaitFor(chromium.Role("heading", "Generated "+id))
	s.Settle()
	s.WaitFor(messages)
	rest(s)
}

// deep goes some way up and puts the beginning of a prompt just below the edge, so that nothing above it is in view.
func deep(s *scaffold.Stage) place {
	s.Helper()
	for range 3 {
		away(s)
	}
	text := evaluate[string](s, `(() => {
		const edge = document.querySelector("[data-conversation-scroll]").getBoundingClientRect().top;
		return [...document.querySelectorAll("main [data-row-kind=user]")].find((row) => row.getBoundingClientRect().top >= edge + 40).textContent;
	})()`)
	row := name(text)
	wheel(s, float64(int(top(s, row)))-10)
	return place{row, top(s, row)}
}

// Where a reader was is where they are after another tab, also when the window has become narrow meanwhile.
var overTabs = contract{name: "the place is kept over tabs", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	read := deep(s)
	toTab(s, trajectory)
	toTab(s, chat)
	wantPlace(s, "after another tab", read)
	wantAway(s, "after another tab")
	toTab(s, trajectory)
	do(s, s.Page.Resize(s.Context, 700, 900))
	toTab(s, chat)
	wantPlace(s, "in a narrow window", read)
}, mutants: []mutant{
	{"no place is remembered", []scaffold.Edit{in(`return [\w$]+\.get\([\w$]+\.id\)`, `return void 0`)}, "after another tab: \""},
}}

// A window that changes its width breaks every line anew, and what is read stays.
var reflow = contract{name: "the place is kept over a width reflow", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	read := deep(s)
	for _, width := range []int{700, 1100, 480, 1680} {
		do(s, s.Page.Resize(s.Context, width, 900))
		wantPlace(s, "in a window of another width", read)
	}
	s.Click(backToBottom)
	do(s, s.Page.Resize(s.Context, 700, 900))
	wantBottom(s, "pinned, in a narrow window")
}, mutants: []mutant{
	{"pixels are kept", []scaffold.Edit{in(`\?[\w$]+\(!0\):`, `?void 0:`)}, "in a window of another width: \""},
}}

// Each session has its place, and whether it was pinned.
var overSessions = contract{name: "place and pin are kept for each session", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	read := deep(s)
	toSession(s, other)
	wantBottom(s, "the other session, opened")
	there := deep(s)
	toSession(s, long)
	wantPlace(s, "the first session again", read)
	s.Click(backToBottom)
	wantBottom(s, "back at the bottom")
	toSession(s, other)
	wantPlace(s, "the other session again", there)
	toSession(s, long)
	wantBottom(s, "the first session, which was left at the bottom")
}, mutants: []mutant{
	{"a place goes with what has shown it", []scaffold.Edit{in(`\.set\([\w$]+\.id,\{key`, `.set({},{key`)}, "the first session again: \""},
}}

// Back to bottom is what counts when the transcript goes at once: it comes back at the bottom, and follows.
var immediate = contract{name: "an immediate remount after back to bottom keeps pinned", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	deep(s)
	evaluate[bool](s, `(() => {
		[...document.querySelectorAll("main button")].find((button) => button.textContent === "Back to bottom").click();
		document.querySelector("[role=tab][aria-selected=false]").click();
		return true;
	})()`)
	s.WaitFor(chromium.Role("table", "Trajectory records"))
	toTab(s, chat)
	wantBottom(s, "back")
	s.Send("Go on.")
	say(s, voice, 4)
	wantBottom(s, "while it streams")
	voice.End(s)
	s.Settle()
}, mutants: []mutant{
	{"a place is remembered, and not the pin", []scaffold.Edit{in(`([\w$]+\([\w$]+,[\w$]+,)![\w$]+\.value\),`, `$1!1),`)}, "while it streams: the view is"},
}}

// Pages that were fetched are there again, and so is the reader in the midst of them, after a tab and after a session.
var expanded = contract{name: "an expanded history is remounted where it was", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	for range 2 {
		pressing("Home")(s)
		older(s)
	}
	wheel(s, -2500)
	read := here(s)
	toTab(s, trajectory)
	toTab(s, chat)
	wantPlace(s, "after another tab", read)
	toSession(s, other)
	toSession(s, long)
	wantPlace(s, "after another session", read)
}, mutants: []mutant{
	{"only the last page is there", []scaffold.Edit{in(`[\w$]+===void 0\|\|[\w$]+\([\w$]+\.window\.peek\(\)\)<=[\w$]+`, `!0`)}, "0 rows say"},
}}
