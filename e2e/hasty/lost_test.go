package hasty_test

import (
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// lost is a line on which the answer to a message is lost, as when a laptop changes its network: the page cannot know whether the message
// has come, says that it was not sent, and takes that back when the session shows it. Nobody sends it twice.
func lost() scaffold.Scenario {
	notSent := chromium.AnyName("alert").Within(chromium.CSS(".dock"))
	return scaffold.Scenario{
		Name:     "hasty",
		Provider: &scaffold.Provider{Script: elsewhereAnswers},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(one)
			s.Settle()
			s.Click(chromium.Role("textbox", "Message the agent"))
			read[any](s, `(() => { const ask = fetch;
				globalThis.fetch = (...all) => {
					if (!String(all[0]).includes("session.prompt")) return ask(...all);
					globalThis.fetch = ask;
					globalThis.arrive = () => void ask(all[0], { ...all[1], signal: undefined });
					return Promise.reject(new TypeError("the network has changed"));
				} })()`)
			write(s, two, "Enter")
			s.WaitFor(notSent)
			wantDraft(s, "while nobody knows", two)
			s.SendBy(func() { read[any](s, "arrive()") })
			s.WaitFor(chromium.Role("StaticText", "Two."))
			s.Settle()
			wantDraft(s, "after it has come", "")
			if err := s.Page.WaitGone(s.Context, notSent); err != nil {
				s.Fatalf("%v", err)
			}
			s.SendBy(func() { write(s, six, "Enter") })
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed")
			s.WantPrompts(one, two, six)
			s.WantDurable()
		},
	}
}

func TestAMessageWhoseAnswerIsLostIsNotSentTwice(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, lost())
}

func TestAPageThatKeepsWhatHasComeWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := lost()
	mutant.Edits = []scaffold.Edit{{File: "plugins/composer/client.js", Find: `(\w+)==="unreachable"\|\|(\w+)==="timeout"\)&&`, Put: `!1)&&`}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "after it has come")
}
