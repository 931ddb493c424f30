// Package round_trip_test is the main job end to end: a prompt typed into the real page travels through call, agent loop, recorded
// reply, a real bash call, the log on disk and the event stream back into the page.
package round_trip_test

import (
	"testing"
	"time"

	"keylane/host/session"
	"keylane/replay"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Use bash to print the marker KEYLANE_ROUND_TRIP, then answer DONE."

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "round_trip",
		Fixture: true,
		Pace:    replay.Fixed(5 * time.Millisecond),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantPrompts(prompt)
			s.WantToolResults("KEYLANE_ROUND_TRIP\n")
			wantStreamed(s)
			s.Golden("settled", conversation)

			reasoning := chromium.Role("button", "Reasoning").Nth(1)
			s.Click(reasoning)
			s.Golden("reasoning-open", conversation)
			s.Click(reasoning)
			s.Golden("settled", conversation)

			s.Click(chromium.RoleContaining("button", "Bash"))
			s.Golden("bash-open", conversation)

			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func TestRoundTrip(t *testing.T) {
	scaffold.Run(t, scenario())
}

// wantStreamed checks that the reply came in pieces; the page cannot tell by looking once.
func wantStreamed(s *scaffold.Stage) {
	s.Helper()
	if chunks := s.Count(session.TypeAssistantChunk); chunks <= 10 {
		s.Errorf("the reply came in %d chunks, want more than 10: it was not streamed", chunks)
	}
}
