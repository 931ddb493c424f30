package chat_scroll_test

import (
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// messages is the conversation as what has the keyboard.
var messages = chromium.Role("log", "Messages")

// A device is how a reader leaves the bottom and comes back to it.
type device struct {
	name     string
	up, down func(*scaffold.Stage)
	broken   mutant
}

var devices = []device{
	{"the wheel", func(s *scaffold.Stage) { wheel(s, -900) }, func(s *scaffold.Stage) { wheel(s, 9000) }, yanked},
	{"a wheel turned by a little", func(s *scaffold.Stage) { wheel(s, -8) }, func(s *scaffold.Stage) { wheel(s, 9000) }, coarse},
	{"the keyboard", pressing("PageUp", "PageUp", "PageUp"), pressing("End"), onlyTheWheel},
	{"the arrows", pressing("ArrowUp", "ArrowUp"), pressing("End"), onlyTheWheel},
	{"the scroll bar", scrollbar(-200), scrollbar(400), onlyTheWheel},
	{"a finger", swiping(250), swiping(-300, -300, -300, -300, -300, -300), onlyTheWheel},
	{"the focus", focusing(chromium.Role("button", "Copy message").Within(chromium.CSS("main article:nth-last-of-type(6)")).Nth(1)), pressing("End"), onlyTheWheel},
}

func pressing(keys ...string) func(*scaffold.Stage) {
	return func(s *scaffold.Stage) {
		do(s, s.Page.Focus(s.Context, messages))
		for _, key := range keys {
			s.Press(key)
			rest(s)
		}
	}
}

func scrollbar(by float64) func(*scaffold.Stage) {
	return func(s *scaffold.Stage) {
		do(s, s.Page.DragScrollbar(s.Context, port, by, 8))
		rest(s)
	}
}

func swiping(distances ...float64) func(*scaffold.Stage) {
	return func(s *scaffold.Stage) {
		for _, by := range distances {
			do(s, s.Page.Swipe(s.Context, port, by, 10))
			rest(s)
		}
	}
}

func focusing(element chromium.Query) func(*scaffold.Stage) {
	return func(s *scaffold.Stage) {
		do(s, s.Page.Focus(s.Context, element))
		rest(s)
	}
}

// owned says that a reader leaves the bottom and comes back by one device, in the middle of an answer.
func owned(d device) contract {
	return contract{name: "the reader owns the view by " + d.name, drive: func(s *scaffold.Stage, voice *scaffold.Voice) {
		s.Send("Go on.")
		say(s, voice, 8)
		wantBottom(s, "before")
		d.up(s)
		wantAway(s, "having left")
		read := here(s)
		say(s, voice, 4)
		wantPlace(s, "having left", read)
		d.down(s)
		wantPinned(s, "having come back")
		say(s, voice, 4)
		wantBottom(s, "having come back")
		voice.End(s)
		s.Settle()
	}, mutants: []mutant{d.broken}}
}

// How a page can take the view from a reader.
var (
	yanked       = mutant{"each new layout goes to the bottom", []scaffold.Edit{alwaysFollows}, "having left: \""}
	coarse       = mutant{"a little is nothing", []scaffold.Edit{in(`\([\w$]+\?1:([\w$]+)\)`, `$1`)}, "having left: the reader has left"}
	onlyTheWheel = mutant{"only the wheel counts", []scaffold.Edit{in(`\.addEventListener\("scroll",([\w$]+),\{passive:!0\}\)`, `.addEventListener("wheel",()=>setTimeout($1),{passive:!0})`)}, "having left: the reader has left"}
)

// The wheel over the draft moves the draft, and when that is at its end, the conversation.
var chains = contract{name: "a wheel over the composer chains to the conversation", drive: func(s *scaffold.Stage, _ *scaffold.Voice) {
	over := func(by float64) {
		do(s, s.Page.Wheel(s.Context, composer, 0, by))
		rest(s)
	}
	draft := func() float64 { return evaluate[float64](s, `document.querySelector("main textarea").scrollTop`) }
	over(-300)
	wantAway(s, "over an empty draft")
	over(3000)
	wantBottom(s, "with an empty draft")
	do(s, s.Page.Fill(s.Context, composer, longDraft))
	rest(s)
	at := draft()
	over(-100)
	if now := draft(); now >= at {
		s.Errorf("the wheel did not move the draft: it was at %.0f and is at %.0f", at, now)
	}
	wantBottom(s, "while the draft moves")
	over(-5000)
	over(-300)
	wantAway(s, "over a draft that is at its beginning")
}, mutants: []mutant{
	{"nothing chains", []scaffold.Edit{in(`\.addEventListener\("wheel",`, `.addEventListener("never",`)}, "over an empty draft: the reader has left"},
	{"both move at once", []scaffold.Edit{in(`\|\|[\w$]+\([\w$]+,[\w$]+,[\w$]+\.deltaY\)\)return`, `)return`)}, "while the draft moves: the view is"},
}}
