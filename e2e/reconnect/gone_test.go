package reconnect_test

import (
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// gone is an open session of which the next run of the host knows nothing: nothing was ever said in it.
func gone() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "reconnect",
		Proxied: true,
		Losses:  scaffold.Losses{Connections: 1},
		Drive: func(s *scaffold.Stage) {
			var created struct{ SessionID string }
			s.Call("session.create", map[string]any{}, &created)
			s.Open("/s/" + created.SessionID)
			s.RestartBeneath()
			s.Losses(scaffold.Losses{Connections: 1})
			s.Click(chromium.Role("textbox", "Message the agent"))
			if err := s.Page.Type(s.Context, "Is anybody there?"); err != nil {
				s.Fatalf("%v", err)
			}
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			if says := s.Text(".composer-problem"); !strings.Contains(says, "This session is not there any more.") || strings.Contains(says, "send it again") {
				s.Errorf("the page says %q", says)
			}
			if draft, err := chromium.Eval[string](s.Context, s.Page, `document.querySelector("textarea").value`); err != nil || draft != "Is anybody there?" {
				s.Errorf("the draft is %q, %v", draft, err)
			}
		},
	}
}

func TestAMessageToASessionThatIsGoneIsNotAskedForAgain(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, gone())
}

func TestAPageThatAsksForItAgainWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := gone()
	mutant.Edits = []scaffold.Edit{{File: "plugins/composer/client.js", Find: `==="session-not-found"`, Put: `==="never"`}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "send it again")
}
