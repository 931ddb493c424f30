package chat_scroll_test

import (
	"fmt"
	"regexp"
	"strings"

	"keylane/scaffold"
)

var begins = regexp.MustCompile(`^(Prompt \d+:|Answer \d+ )`)

// name is what tells a row from all others, of its text.
func name(text string) string {
	if found := begins.FindString(text); found != "" {
		return found
	}
	return text[:min(len(text), 40)]
}

// say says so many lines, each of them a paragraph.
func say(s *scaffold.Stage, voice *scaffold.Voice, lines int) {
	s.Helper()
	for i := range lines {
		voice.Say(s, fmt.Sprintf("Live line %d of an answer that grows and grows.\n\n", i+1))
	}
}

// Pinned to the bottom, the view follows what is said, what a tool gives, a fence and a formula that are laid out late, and the end.
var follows = contract{name: "pinned follows the stream and a tool's output", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	wantBottom(s, "opened")
	s.Send("Go on.")
	wantBottom(s, "sent")
	for range 6 {
		say(s, voice, 2)
		wantBottom(s, "while it streams")
	}
	voice.Call(s, "live-call", "bash", map[string]any{"command": "seq 40", "description": "Count"})
	say(s, voice, 2)
	wantBottom(s, "after a tool")
	voice.Say(s, "```ts\n"+strings.Repeat("const lock = open(gate);\n", 20))
	wantBottom(s, "in a fence")
	voice.Say(s, "```\n\n$$\\sum_{i=1}^{n} \\frac{1}{i^2}$$\n\n")
	wantBottom(s, "with a formula")
	voice.End(s)
	s.Settle()
	wantBottom(s, "at the end")
}, mutants: []mutant{
	{"nothing is followed", neverFollows, "while it streams: the view is"},
}}

// Away from the bottom, nothing of that moves what is read.
var stays = contract{name: "away nothing moves", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	s.Send("Go on.")
	say(s, voice, 3)
	away(s)
	read := here(s)
	for range 5 {
		say(s, voice, 2)
		wantPlace(s, "while it streams", read)
	}
	voice.Call(s, "live-call", "bash", map[string]any{"command": "seq 40", "description": "Count"})
	say(s, voice, 1)
	voice.End(s)
	s.Settle()
	wantPlace(s, "at the end", read)
	s.Click(backToBottom)
	wantBottom(s, "back at the bottom")
	s.Send("And again.")
	say(s, voice, 6)
	wantBottom(s, "following again")
	voice.End(s)
	s.Settle()
}, mutants: []mutant{
	{"each new layout goes to the bottom", []scaffold.Edit{alwaysFollows}, "while it streams: \""},
}}

// longDraft is taller than the composer ever gets.
var longDraft = strings.Repeat("One line of the draft\n", 18)

// The composer grows by lines: it takes its room from the conversation, whose end stays in view, or whose reader stays where they are.
var composerGrows = contract{name: "a composer that grows keeps the bottom or the row", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	do(s, s.Page.Fill(s.Context, composer, longDraft))
	wantBottom(s, "with a long draft")
	do(s, s.Page.Fill(s.Context, composer, ""))
	wantBottom(s, "with an empty one")
	away(s)
	read := here(s)
	do(s, s.Page.Fill(s.Context, composer, longDraft))
	wantPlace(s, "with a long draft", read)
	do(s, s.Page.Fill(s.Context, composer, ""))
	wantPlace(s, "with an empty one", read)
}, mutants: []mutant{
	{"only the content is watched", []scaffold.Edit{in(`[\w$]+\.observe\([\w$]+\),([\w$]+\.observe\([\w$]+\);let)`, `$1`)}, "with a long draft: the view is"},
}}

// lateAbove makes everything of the rows above the view taller, as a font or a formula that comes late does.
const lateAbove = `(() => {
	const edge = document.querySelector("[data-conversation-scroll]").getBoundingClientRect().top;
	const above = [...document.querySelectorAll("main [data-row-key]")].filter((row) => row.getBoundingClientRect().bottom < edge);
	for (const row of above.slice(-3)) row.style.paddingBlockEnd = "70px";
	return above.length > 2;
})()`

// What is laid out late moves nothing: neither above a reader, nor where the view follows.
var lateLayout = contract{name: "late layout moves nothing", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	grow := func() {
		if !evaluate[bool](s, lateAbove) {
			s.Fatalf("nothing is above the view")
		}
	}
	grow()
	wantBottom(s, "rows above a pinned view grow")
	away(s)
	read := here(s)
	grow()
	wantPlace(s, "rows above grow", read)
}, mutants: []mutant{
	{"what is above moves what is read", neverKeeps[1:], "rows above grow: \""},
}}

// A draft of many lines is sent: the composer becomes small again and a row comes, in one frame.
var sends = contract{name: "a long draft that is sent keeps the bottom", drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
	do(s, s.Page.Fill(s.Context, composer, longDraft))
	rest(s)
	s.SendBy(func() { s.Press("Control+Enter") })
	wantBottom(s, "sent")
	say(s, voice, 3)
	wantBottom(s, "answered")
	voice.End(s)
	s.Settle()
}, mutants: []mutant{
	{"nothing is followed", neverFollows, "sent: the view is"},
}}
