// Package accessibility_test has axe-core look at every surface of the page, in both themes, wide and narrow: nothing that hinders
// people seriously is found. What a surface does is for the scenarios about it; here it is only opened.
package accessibility_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/axe"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	everything = "Show me everything."
	another    = "And once more."
)

func button(name string) chromium.Query { return chromium.Role("button", name) }

// look opens surfaces one after the other; found is told what axe-core finds on each.
func scenario(page chromium.ContextOptions, script string, found func(s *scaffold.Stage, surface string, violations []axe.Violation)) scaffold.Scenario {
	look := func(s *scaffold.Stage, surface string) {
		s.Helper()
		if s.Mode() != scaffold.Replay {
			return
		}
		violations, err := axe.Check(s.Context, s.Page, script)
		if err != nil {
			s.Fatalf("%v", err)
		}
		found(s, surface, violations)
	}
	return scaffold.Scenario{
		Name:    "accessibility",
		Fixture: true,
		Patches: scaffold.Patch("the shipped mode", "- id: approval\n  config: {mode: ask}\n"),
		Page:    page,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			look(s, "the start")
			s.Send(everything)
			s.WaitFor(chromium.Role("heading", "Run this command?"))
			s.Send(another)
			look(s, "a card that asks for leave, and a queue")
			s.Click(button("Allow once"))
			s.WaitFor(chromium.Role("heading", "Which plants?"))
			look(s, "a card with questions, and to-dos")
			s.Click(button("Dismiss all questions"))
			s.WaitFor(chromium.Role("heading", "Create this file?"))
			look(s, "a change that waits")
			s.Click(button("Allow once"))
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed")
			look(s, "a conversation")
			if rows := evaluate[int](s, `[...document.querySelectorAll("main [data-row-kind] [aria-expanded=false]")].map((button) => button.click()).length`); rows == 0 {
				s.Errorf("no row of the conversation opens")
			}
			s.Settle()
			look(s, "a conversation with all rows open")
			evaluate[bool](s, `(document.activeElement.blur(), true)`) // in a field ? is text
			s.Press("?")
			s.WaitFor(chromium.Role("dialog", "Keyboard shortcuts"))
			look(s, "the shortcuts")
			s.Press("Escape")
			s.Open("/s/" + s.SessionID() + "/trajectory")
			s.WaitFor(chromium.Role("table", "Trajectory records"))
			look(s, "the trajectory")
			s.Click(chromium.Role("button", "Request #1"))
			s.WaitFor(chromium.Role("complementary", "Details"))
			look(s, "a record's details")
			s.Open("/s/no-such-session")
			look(s, "a session that is not there")
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

// pages are how people may have the page.
var pages = map[string]chromium.ContextOptions{
	"light and wide":  {},
	"dark and narrow": {ColorScheme: chromium.Dark, Width: 480, Height: 900},
}

func TestNothingHindersPeopleSeriously(t *testing.T) {
	script, err := axe.Source("//e2e/accessibility")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			if name != "light and wide" {
				scaffold.OnlyReplay(t)
			}
			scaffold.Run(t, scenario(page, script, func(s *scaffold.Stage, surface string, violations []axe.Violation) {
				for _, violation := range violations {
					s.Errorf("%s: %s", surface, violation)
				}
			}))
		})
	}
}

// Pages that some people could not use: each is found on the first surface already.
func TestWhatHindersPeopleWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	script, err := axe.Source("//e2e/accessibility")
	if err != nil {
		t.Fatal(err)
	}
	for name, mutant := range map[string]struct {
		edit scaffold.Edit
		rule string
	}{
		"a choice without a name":   {scaffold.Edit{File: "plugins/composer/client.js", Find: `"aria-label":(\w+\("model"\))`, Put: `"data-label":$1`}, "select-name"},
		"text that is hard to read": {scaffold.Edit{File: "assets/shell.css", Find: `--text-3: light-dark\(#6a665d`, Put: `--text-3: light-dark(#c9c5bc`}, "color-contrast"},
	} {
		t.Run(name, func(t *testing.T) {
			rules := map[string]bool{}
			broken := scenario(chromium.ContextOptions{}, script, func(_ *scaffold.Stage, _ string, violations []axe.Violation) {
				for _, violation := range axe.AtLeast(axe.Serious, violations) {
					rules[violation.Rule] = true
				}
			})
			broken.Edits = []scaffold.Edit{mutant.edit}
			scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			if !rules[mutant.rule] {
				t.Errorf("%s was not found, only %v", mutant.rule, rules)
			}
		})
	}
}
