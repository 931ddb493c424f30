// Package question_test is the agent asking the person: the questions stand in the composer's place until they are answered, dismissed
// or withdrawn, also after a reload; the answer reaches the model to the letter.
package question_test

import (
	"encoding/json"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	first  = "Plan a garden for me."
	second = "Ask me again."
	third  = "One more time."
)

var (
	conversation = chromium.Role("main", "Conversation")
	plants       = chromium.Role("region", "Which plants shall grow in the garden?")
	size         = chromium.Role("region", "How large is it?")
	fence        = chromium.Role("region", "What about the fence?")
	submit       = chromium.Role("button", "Submit")
)

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "question",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			drive(s, func() {
				if s.Mode() == scaffold.Record {
					return
				}
				s.Golden("waiting", conversation)
				s.Reload()
				s.WaitFor(plants)
				s.Golden("waiting", conversation)
			})
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "aborted")
			s.WantToolResults(
				`{"answers":[{"id":"plants","selected":["Roses","Herbs & <salad>"],"custom":"and moss"},{"id":"size","selected":["Large"]},{"id":"fence","selected":[]}]}`,
				"Error: the person dismissed the questions without an answer. Go on without it, or say what you need.",
				"Error: the questions were withdrawn, because the turn was stopped",
			)
			wantCodes(s, "", "ASK_CANCELLED", "ASK_ABORTED")
			s.Golden("settled", conversation)
			s.Click(chromium.Role("button", "Question: Which plants shall grow in the garden?"))
			s.Golden("answered-open", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func TestQuestion(t *testing.T) {
	scaffold.Run(t, scenario())
}

// late opens the session in a second tab while the questions wait, and goes on there. The tabs share their event streams, so what waits
// has been told before the second one came.
func late() scaffold.Scenario {
	tab := scenario()
	tab.Drive = func(s *scaffold.Stage) {
		drive(s, func() {
			path := strings.TrimPrefix(s.Page.URL(), s.URL)
			page, err := s.Page.Context().NewPage(s.Context)
			if err != nil {
				s.Fatalf("opening a second tab: %v", err)
			}
			s.Page = page
			s.Open(path)
			s.WaitFor(plants)
			s.Golden("waiting", conversation)
		})
	}
	return tab
}

func TestQuestionsAreAnsweredInATabThatCameLater(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, late())
}

// fits checks the questions that wait: nothing is wider than the page, the list scrolls, and what ends the question stays in sight.
func fits(s *scaffold.Stage) {
	s.Helper()
	for name, holds := range map[string]string{
		"the page is as wide as its window": "document.documentElement.scrollWidth <= innerWidth",
		"no option is wider than its list":  "[...document.querySelectorAll('[data-question-scroll] label')].every(e => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= innerWidth)",
		"the list does not scroll sideways": "(e => e.scrollWidth <= e.clientWidth)(document.querySelector('[data-question-scroll]'))",
		"the list scrolls":                  "(e => { e.scrollTop = 9999; const moved = e.scrollTop > 0; e.scrollTop = 0; return moved && e.clientHeight > 60 })(document.querySelector('[data-question-scroll]'))",
		"the buttons are inside the window": "[...document.querySelectorAll('[data-question-key] button')].every(e => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight && b.left >= 0 && b.right <= innerWidth })",
	} {
		ok, err := chromium.Eval[bool](s.Context, s.Page, holds)
		if err != nil {
			s.Fatalf("%v", err)
		}
		if !ok {
			s.Errorf("it does not hold that %s", name)
		}
	}
}

// small is the scenario on a screen as small as a person may have.
func small() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "question",
		Fixture: true,
		Page:    chromium.ContextOptions{Width: 360, Height: 480},
		Drive:   func(s *scaffold.Stage) { drive(s, func() { fits(s) }) },
		Check:   func(s *scaffold.Stage) { s.WantTurns("completed", "completed", "aborted") },
	}
}

func TestQuestionOnASmallScreen(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, small())
}

// drive answers the first questions, dismisses the second and stops the turn of the third; look is called while the first ones wait.
func drive(s *scaffold.Stage, look func()) {
	s.Helper()
	s.Open("/")
	s.Send(first)
	s.WaitFor(plants)
	look()

	// With the keyboard alone: the first box has the focus. Numbers choose, Enter goes on.
	press(s, "Space", "3", "2", "2") // Lavender is chosen and taken back
	for range 5 {
		press(s, "Tab")
	}
	if err := s.Page.Type(s.Context, "and "); err != nil {
		s.Fatalf("%v", err)
	}
	compose(s, "mosu", "moss")
	press(s, "Enter")
	s.WaitFor(size)
	if s.Mode() != scaffold.Record {
		s.Reload() // what is half answered stays so
		s.WaitFor(size)
		s.Click(chromium.Role("button", "Previous question"))
		s.WaitFor(plants)
		press(s, "Enter")
		s.WaitFor(size)
	}
	s.Click(chromium.Role("radio", "Large")) // a click decides and goes on
	s.WaitFor(fence)
	s.Click(chromium.Role("button", "Previous question"))
	s.WaitFor(size)
	s.Click(chromium.Role("button", "Next question"))
	s.WaitFor(fence)
	s.Click(submit)
	s.WaitFor(chromium.CSS("[data-question-key] [role=status]:not(:empty)")) // nothing is chosen
	s.Click(chromium.Role("button", "Skip this question"))
	s.Settle()

	s.Send(second)
	s.WaitFor(chromium.Role("region", "Are you sure?"))
	s.Click(chromium.Role("button", "Dismiss all questions"))
	s.Settle()

	s.Send(third)
	s.WaitFor(chromium.Role("region", "Shall I stop?"))
	s.Click(chromium.Role("button", "Stop"))
	s.Settle()
}

// compose writes a word with an input method, whose Enters answer nothing: neither the one that ends the composition nor Safari's, which
// comes after it.
func compose(s *scaffold.Stage, typed, chosen string) {
	s.Helper()
	for _, gesture := range []func() error{
		func() error { return s.Page.Compose(s.Context, typed) },
		func() error { return s.Page.PressComposing(s.Context, "Enter") },
		func() error { return s.Page.Commit(s.Context, chosen) },
		func() error { return s.Page.PressComposing(s.Context, "Enter") },
		func() error { _, err := s.Page.Find(s.Context, plants); return err },
	} {
		if err := gesture(); err != nil {
			s.Fatalf("%v", err)
		}
	}
}

func press(s *scaffold.Stage, keys ...string) {
	s.Helper()
	for _, key := range keys {
		if err := s.Page.Press(s.Context, key); err != nil {
			s.Fatalf("pressing %s: %v", key, err)
		}
	}
}

// wantCodes checks the error codes of the tool results, "" for none.
func wantCodes(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, event := range s.Events() {
		if event.Type != session.TypeToolResult {
			continue
		}
		var result session.ToolResult
		if err := json.Unmarshal(event.Data, &result); err != nil {
			s.Fatalf("%v", err)
		}
		code := ""
		if result.Error != nil {
			code = result.Error.Code
		}
		got = append(got, code)
	}
	if len(got) != len(want) {
		s.Fatalf("there are the codes %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			s.Errorf("result %d has the code %q, want %q", i+1, got[i], want[i])
		}
	}
}
