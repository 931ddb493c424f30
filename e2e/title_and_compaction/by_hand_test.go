package title_and_compaction_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// byHandScript has one summary that never ends and one that does; each fits no other request.
const byHandScript = `
replies:
  - expect: <conversation>
    text: This summary is never
    hangAfterChunks: 2
  - expect: <conversation>
    text: The person said two things, and each was answered.
    usage: {inputTokens: 300, outputTokens: 12}
  - expect: Say one thing
    text: One thing.
    usage: {inputTokens: 700, outputTokens: 4}
  - expect: Say another
    text: Another thing.
    usage: {inputTokens: 720, outputTokens: 4}
  - expect: Go on
    text: I go on.
    usage: {inputTokens: 730, outputTokens: 4}
`

const (
	one     = "Say one thing."
	another = "Say another one."
	goOn    = "Go on."
)

// byHand has the person name the session and ask for compactions, of which Stop ends the first.
func byHand() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "title_and_compaction",
		Provider: &scaffold.Provider{Script: byHandScript},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(one)
			s.Settle()
			rename(s)
			compact(s)
			s.AwaitEvent("the beginning of a compaction", func(e session.Event) bool { return e.Type == session.TypeCompactionStart })
			if err := s.Provider.AwaitRequest(s.Context, 2); err != nil {
				s.Fatalf("%v", err)
			}
			s.Golden("compacting", conversation)
			s.Click(chromium.Role("button", "Stop"))
			s.Settle()
			s.Golden("compaction-stopped", conversation)
			s.Send(another)
			s.Settle()
			compact(s)
			s.Settle()
			s.Send(goOn)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed")
			wantTitles(s, "fallback Say one thing.", "user "+renamed)
			wantInSidebar(s, renamed)
			wantEnds(s)
			wantOneResultEach(s)
			var asked []string
			turns := callsFor(s, llm.PurposeTurn)
			for _, message := range turns[len(turns)-1].Messages {
				asked = append(asked, message.Source.Kind)
			}
			// The summary, the newest answer, the prompt: what was said before is in none of them.
			if diff := cmp.Diff([]string{session.SourcePlugin, session.SourceModel, session.SourceUser}, asked); diff != "" {
				s.Errorf("the last request shows something else (-want +got):\n%s", diff)
			}
			s.Golden("by-hand", conversation)
			s.Reload()
			s.Settle()
			s.Golden("by-hand", conversation)
			s.WantDurable()
		},
	}
}

func TestAPersonNamesTheSessionAndAsksForCompactions(t *testing.T) {
	scaffold.Run(t, byHand())
}

func rename(s *scaffold.Stage) {
	s.Helper()
	s.Call("session.rename", map[string]any{"sessionId": s.SessionID(), "title": " My own  name\nfor it "}, nil)
	s.Settle()
}

func compact(s *scaffold.Stage) {
	s.Helper()
	s.Call("session.compact", map[string]any{"sessionId": s.SessionID()}, nil)
}

// wantEnds checks that both compactions stand between turns: the first was stopped, which closed the provider's answer, the second worked.
func wantEnds(s *scaffold.Stage) {
	s.Helper()
	var got []string
	for _, event := range ofType(s, session.TypeCompactionEnd) {
		end := decoded[session.CompactionEnd](s, event)
		how := "worked"
		if end.Error != nil {
			how = end.Error.Code
		}
		if end.Turn != nil {
			how += " in a turn"
		}
		got = append(got, how)
	}
	if diff := cmp.Diff([]string{llm.CodeAborted, "worked"}, got); diff != "" {
		s.Errorf("the compactions ended otherwise (-want +got):\n%s", diff)
	}
	if end, err := s.Provider.AwaitEnd(s.Context, 2); err != nil || end != script.Left {
		s.Errorf("the provider saw its summary end as %q, %v, want the connection closed by the host", end, err)
	}
}
