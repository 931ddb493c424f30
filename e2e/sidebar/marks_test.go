package sidebar_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

const (
	long = "Watch the water"
	ask  = "Ask me about it"
)

// answers keep one session running and have another one wait for the person.
const answers = `
replies:
  - expect: Watch the water
    text: It is level. It is still level.
    hangAfterChunks: 3
  - expect: Ask me about
    toolCalls:
      - name: ask_user_question
        arguments:
          questions:
            - {id: gate, question: "Shall I open the gate?", options: [{label: "Yes"}, {label: "No"}]}
    chunkRunes: 48
`

func marks() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "sidebar", Provider: &scaffold.Provider{Script: answers},
		Drive: func(s *scaffold.Stage) {
			sidebar := chromium.Role("tree", "Sessions")
			s.Open("/")
			s.Send(long)
			s.WaitFor(row(long + " now, Running"))
			running := s.SessionID()
			s.Click(chromium.Role("button", "New session"))
			s.Send(ask)
			s.WaitFor(row(ask + " now, Waiting for you")) // although it runs as well
			waiting := s.SessionID()
			s.Golden("running-and-waiting", sidebar)
			s.Call("session.cancel", map[string]any{"sessionId": running}, nil)
			s.WaitFor(row(long + " now, Finished, not seen yet"))
			s.Golden("news", sidebar)
			s.Reload()
			s.Golden("news", sidebar)
			s.Click(row(long + " now, Finished, not seen yet"))
			s.WaitFor(row(long + " now"))
			s.Call("session.cancel", map[string]any{"sessionId": waiting}, nil)
			s.WaitFor(row(ask + " now, Finished, not seen yet"))
			s.Settle()
		},
	}
}

func TestWhatRunsAndWaitsAndIsNewsIsMarked(t *testing.T) { scaffold.Run(t, marks()) }
