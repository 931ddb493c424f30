// Package title_and_compaction_test has a model name the session and summarise its older part, both live: beside the turns and between their
// steps, each call is answered from its own script; people keep seeing everything, the model only the summary and what is newest.
package title_and_compaction_test

import (
	"testing"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	first  = "Print the numbers from 1 to 6000 and tell me the last one."
	second = "Remember the word marigold."
	third  = "What was the last number, and which word should you remember?"

	fallback = "Print the numbers from 1"
	named    = "Counting to six thousand" // by the model, without its quotes and its full stop
	renamed  = "My own name for it"
)

var (
	conversation = chromium.Role("main", "Conversation")
	statistics   = chromium.Role("contentinfo", "Session statistics")
	summary      = chromium.Role("button", "Context compacted: view compaction summary")
)

// live switches the title model on, which the lane switches off, and keeps little enough word for word that a short conversation has
// something to summarise. What fills the window is what the provider counted.
const live = `
- id: session-title-model
  disabled: false
- id: compaction
  config: {keepPart: 0.01}
`

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "title_and_compaction",
		Fixture: true,
		Patches: scaffold.Patch("title and compaction live", live),
		Drive:   drive,
		Check:   check,
	}
}

func TestAModelNamesTheSessionAndSummarisesItsOlderPart(t *testing.T) {
	scaffold.Run(t, scenario())
}

func drive(s *scaffold.Stage) {
	s.Open("/")
	s.Send(first)
	s.Settle()
	s.Golden("named", conversation)
	s.Send(second)
	s.Settle()
	s.Golden("nearly-full", statistics)
	s.Send(third)
	s.Settle()
}

func check(s *scaffold.Stage) {
	s.WantTurns("completed", "completed", "completed")
	s.WantPrompts(first, second, third)
	wantTitles(s, "fallback "+fallback, "provider "+named)
	wantInSidebar(s, named)
	wantCalls(s, llm.PurposeTitle, 1)
	wantCalls(s, llm.PurposeCompaction, 1)
	wantCalls(s, llm.PurposeTurn, 4)
	wantShortened(s)
	wantOneResultEach(s)
	s.GoldenText("title-request", words(callsFor(s, llm.PurposeTitle)))
	s.GoldenText("summary-request", words(callsFor(s, llm.PurposeCompaction)))
	turns := callsFor(s, llm.PurposeTurn)
	if len(turns) > 0 {
		s.GoldenText("next-request", words(turns[len(turns)-1:]))
	}
	s.Golden("compacted", conversation)
	s.Golden("statistics", statistics)
	if s.Count(session.TypeCompaction) == 0 {
		return // there is nothing to open
	}
	s.Click(summary)
	s.Golden("summary-open", conversation)
	s.Reload()
	s.Settle()
	s.Golden("compacted", conversation)
	s.Golden("statistics", statistics)
	wantInSidebar(s, named)
	s.WantDurable()
}

// ofType are the open session's events of a type.
func ofType(s *scaffold.Stage, eventType string) []session.Event {
	s.Helper()
	var found []session.Event
	for _, event := range s.Events() {
		if event.Type == eventType {
			found = append(found, event)
		}
	}
	return found
}
