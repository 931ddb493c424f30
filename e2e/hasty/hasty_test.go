// Package hasty_test writes faster than the host takes: a message that is finished while the one before it is on its way goes after it, and
// what was typed while a session was made is in that session's field. Nothing is swallowed, and nothing is sent twice.
package hasty_test

import (
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	one   = "Say one."
	early = "Typed while the session was made."
	two   = "Say two."
	three = "Say three."
	four  = "Say four."
)

const answers = `
replies:
  - {expect: Say one, text: One.}
  - {expect: Say two, text: Two.}
  - {expect: Say three, text: Three.}
  - {expect: Say four, text: Four.}
`

func read[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}

func write(s *scaffold.Stage, text string, keys ...string) {
	s.Helper()
	if err := s.Page.Type(s.Context, text); err != nil {
		s.Fatalf("%v", err)
	}
	for _, key := range keys {
		s.Press(key)
	}
}

// hold keeps the page's calls of a method on the wire until release.
func hold(s *scaffold.Stage, method string) {
	s.Helper()
	read[any](s, `(() => { const ask = fetch; let open; const gate = new Promise((done) => open = done);
		globalThis.release = () => { globalThis.fetch = ask; open() };
		globalThis.fetch = async (...all) => { if (String(all[0]).includes("`+method+`")) await gate; return ask(...all) } })()`)
}

func release(s *scaffold.Stage) {
	s.Helper()
	read[any](s, "release()")
}

func wantDraft(s *scaffold.Stage, when, want string) {
	s.Helper()
	if got := read[string](s, `document.querySelector(".composer textarea").value`); got != want {
		s.Errorf("%s the draft is %q, want %q", when, got, want)
	}
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "hasty",
		Provider: &scaffold.Provider{Script: answers},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Click(chromium.Role("textbox", "Message the agent"))
			hold(s, "session.create")
			write(s, one, "Enter")
			write(s, early)
			s.SendBy(func() { release(s) })
			s.Settle()
			wantDraft(s, "in the session that was made meanwhile", early)
			s.Press("Control+a")
			s.Press("Delete")

			hold(s, "session.prompt")
			write(s, two, "Enter")
			write(s, three, "Enter")
			wantDraft(s, "while the message before it is on its way", three)
			s.SendBy(func() { release(s) })
			s.WaitFor(chromium.Role("StaticText", "Three."))
			s.Settle()
			wantDraft(s, "after both were sent", "")
			s.Send(four)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed", "completed")
			s.WantPrompts(one, two, three, four)
			s.WantDurable()
		},
	}
}

func TestNothingIsSwallowedWhenSomebodyIsFasterThanTheHost(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A page that lets the key go that came too early would be seen, and one that leaves what was typed behind.
func TestAPageThatSwallowsIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, c := range map[string]struct{ find, put, says string }{
		"the key":  {`if\((\w+\.value\.has\(\w+\))\)\{\w+\.set\(\w+,\w+\);return\}`, `if(${1})return;`, `Three.`},
		"the text": {`(\w+)\((\w+),(\w+)\(""\)\+\w+\(\w+\)\)`, `${1}(${2},"")`, "in the session that was made meanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant := scenario()
			mutant.Edits = []scaffold.Edit{{File: "plugins/composer/client.js", Find: c.find, Put: c.put}}
			scaffold.WantSeen(t, scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), c.says)
		})
	}
}
