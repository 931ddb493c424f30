package reconnect_test

import (
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// updated is a tab that stays open while the host below it becomes another keylane, which announces another page.
func updated() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "reconnect",
		Proxied: true,
		Losses:  scaffold.Losses{Connections: 1},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Click(chromium.Role("textbox", "Message the agent"))
			if err := s.Page.Type(s.Context, "Half a thought"); err != nil {
				s.Fatalf("%v", err)
			}
			if _, err := chromium.Eval[any](s.Context, s.Page, `((ask) => { globalThis.fetch = (...all) => all[0] === "/boot.json" ? Promise.resolve(Response.json({rev: "another", plugins: []})) : ask(...all) })(fetch)`); err != nil {
				s.Fatalf("%v", err)
			}
			s.RestartBeneath()
			s.Losses(scaffold.Losses{Connections: 1})
			s.WaitFor(chromium.CSS("[data-outdated]"))
			s.Click(chromium.Role("button", "Later"))
			if err := s.Page.WaitGone(s.Context, chromium.CSS("[data-outdated]")); err != nil {
				s.Fatalf("%v", err)
			}
			if draft, err := chromium.Eval[string](s.Context, s.Page, `document.querySelector("textarea").value`); err != nil || draft != "Half a thought" {
				s.Errorf("the draft is %q, %v", draft, err)
			}
		},
	}
}

func TestATabThatIsOpenWhileKeylaneIsUpdatedSaysSo(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, updated())
}

func TestATabThatDoesNotLookWhichKeylaneAnswersWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := updated()
	mutant.Edits = []scaffold.Edit{{File: "assets/shell.js", Find: `this\.outdated\.value=`, Put: `0&&`}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "[data-outdated]")
}

// The same keylane, started again, is no other one.
func TestATabThatIsOpenWhileKeylaneIsStartedAgainSaysNothing(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scaffold.Scenario{
		Name: "reconnect", Proxied: true, Losses: scaffold.Losses{Connections: 1},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			if _, err := chromium.Eval[any](s.Context, s.Page, `((ask) => { globalThis.looked = new Promise((done) => globalThis.fetch = (...all) => { const answer = ask(...all); if (all[0] === "/boot.json") void answer.then((r) => r.clone().json()).then(() => setTimeout(done)); return answer }) })(fetch)`); err != nil {
				s.Fatalf("%v", err)
			}
			s.RestartBeneath()
			s.Losses(scaffold.Losses{Connections: 1})
			if _, err := chromium.Eval[any](s.Context, s.Page, `looked.then(() => null)`); err != nil {
				s.Fatalf("waiting until the page has looked: %v", err)
			}
			s.Settle()
			if _, outdated, err := s.Page.Attribute(s.Context, "[data-outdated]", "role"); outdated {
				s.Errorf("the page believes that keylane is another one: %v", err)
			}
		},
	})
}
