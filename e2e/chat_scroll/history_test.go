package chat_scroll_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// page is how many turns come at once.
const page = 24

// prompt is how the prompt of a turn begins.
func prompt(turn int) string { return fmt.Sprintf("Prompt %d:", turn) }

// older asks for the page before with the keyboard, and waits until it is there.
func older(s *scaffold.Stage) {
	s.Helper()
	do(s, s.Page.Focus(s.Context, loadEarlier))
	s.Press("Enter")
	s.Settle()
	rest(s)
}

// A page of history that comes in front of what is read leaves it where it is, all the way to the beginning.
var prepends = contract{name: "prepending at rest keeps the row", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	for first := 88 - page + 1; first > 1; first -= page {
		pressing("Home")(s)
		read := here(s)
		older(s)
		wantPlace(s, fmt.Sprintf("the page before turn %d has come", first), read)
		top(s, prompt(max(first-page, 1)))
	}
	if err := s.Page.WaitGone(s.Context, loadEarlier); err != nil {
		s.Errorf("there is nothing earlier, and still it can be asked for: %v", err)
	}
}, mutants: []mutant{
	{"what comes in front moves what is read", neverKeeps, "has come: \""},
}}

// The page is held back while an answer streams and the reader moves on: what counts is where they are when it comes.
var prependsLive = contract{name: "prepending while streaming keeps the row", proxied: true, drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	s.Send("Go on.")
	say(s, voice, 4)
	pressing("Home")(s)
	release := s.HoldRequests()
	s.Click(loadEarlier)
	wheel(s, 420)
	read := here(s)
	for range 5 {
		say(s, voice, 1)
		wantPlace(s, "while the page is on its way", read)
	}
	release()
	do(s, s.Page.WaitGone(s.Context, chromium.RoleContaining("button", "Loading")))
	say(s, voice, 1)
	wantPlace(s, "the page has come", read)
	top(s, prompt(88-2*page+1))
	voice.End(s)
	s.Settle()
	wantPlace(s, "at the end", read)
}, mutants: []mutant{
	{"what comes in front moves what is read", neverKeeps, "the page has come: \""},
}}

// A command that runs writes when it is let: its output, as it comes, moves no reader who is away, and is followed by one who is not.
var liveTool = contract{name: "a running tool's output moves nobody who is away", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	word := filepath.Join(s.Folders.Workspace, "go")
	do(s, syscall.Mkfifo(word, 0o600))
	pipe, err := os.OpenFile(word, os.O_RDWR, 0o600)
	do(s, err)
	defer pipe.Close()
	s.Send("Go on.")
	say(s, voice, 2)
	voice.Call(s, "live-call", "bash", map[string]any{"command": "read word < go; seq 30", "description": "Wait and count"})
	wantBottom(s, "while the command runs")
	away(s)
	read := here(s)
	_, err = pipe.WriteString("now\n")
	do(s, err)
	for range 5 {
		say(s, voice, 1)
		wantPlace(s, "the command has ended", read)
	}
	s.Click(backToBottom)
	say(s, voice, 3)
	wantBottom(s, "following again")
	voice.End(s)
	s.Settle()
}, mutants: []mutant{
	{"each new layout goes to the bottom", []scaffold.Edit{alwaysFollows}, "the command has ended: \""},
}}

// What was opened is open when it comes back into view, and its neighbour is not.
var disclosure = contract{name: "a disclosure is as it was off-screen and back", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	first := chromium.RoleContaining("button", "First of 88")
	s.Click(first)
	rest(s)
	open := func(when string) {
		rest(s)
		if shown := evaluate[bool](s, `document.querySelector("main").textContent.includes("First of 88, line 12")`); !shown {
			s.Errorf("%s: what was opened is closed", when)
		}
		if shown := evaluate[bool](s, `document.querySelector("main").textContent.includes("Second of 88, line 12")`); shown {
			s.Errorf("%s: its neighbour is open", when)
		}
	}
	open("opened")
	pressing("Home")(s)
	pressing("End")(s)
	open("after a way to the beginning and back")
	toTab(s, trajectory)
	toTab(s, chat)
	open("after another tab")
}, mutants: []mutant{
	{"a transcript that comes back is closed", []scaffold.Edit{in(`(new Map;return )[\w$]+\.set\([\w$]+,[\w$]+\),([\w$]+)\}var`, `${1}${2}}var`)}, "after another tab: what was opened is closed"},
}}
