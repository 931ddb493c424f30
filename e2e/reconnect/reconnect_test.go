// Package reconnect_test spoils the line between page and host while a turn runs: the stream is cut before and after frames, frames come
// twice, late, in another order, byte by byte or not at all, and the host is replaced by another run of it. Whatever happens, the page ends
// with the one golden, before and after a reload, and has reported exactly the losses that were caused.
package reconnect_test

import (
	"fmt"
	"regexp"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/fault"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	count = "Count the words."
	again = "And once more."
)

// The streams: of all sessions, and of the host itself.
const (
	mux  = "/api/events.mux"
	host = "/api/events.host"
)

// conversation is the region that the golden holds.
var conversation = chromium.Role("main", "Conversation")

// event is the frames that carry a session event of a type.
func event(eventType string) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`"method":"session/event".*"type":%q`, eventType))
}

// second is event in the second turn: the page has the session's history by then, so that what it misses is a gap. In the first it may still
// be fetching the history, which would have what was missed.
func second(eventType string) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`"method":"session/event".*"type":%q.*"turn":2\b`, eventType))
}

// on is one fault on the session stream.
func on(like *regexp.Regexp, frame int, do fault.Deed) []fault.Fault {
	return []fault.Fault{{Path: mux, Like: like, Frame: frame, Do: do}}
}

// scenario is two turns over a line with these faults. During, if set, acts between the turns.
func scenario(losses scaffold.Losses, during func(*scaffold.Stage), faults ...fault.Fault) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "reconnect",
		Fixture: true,
		Proxied: true,
		Faults:  faults,
		Losses:  losses,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(count)
			s.Settle()
			if during != nil {
				during(s)
			}
			s.Send(again)
			s.Settle()
			s.Losses(losses)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed")
			s.WantPrompts(count, again)
			s.WantToolResults("4\n")
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
}

var (
	none  = scaffold.Losses{}
	once  = scaffold.Losses{Connections: 1}
	twice = scaffold.Losses{Connections: 2}
	gap   = scaffold.Losses{Gaps: 1}
)

func TestAGoodLine(t *testing.T) {
	scaffold.Run(t, scenario(none, nil))
}

func TestALineThatIsCut(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, cut := range []struct {
		where     string
		do        fault.Deed
		eventType string
		number    int
	}{
		{"before", fault.CutBefore(), "agent/inbox/spliced", 1},
		{"after", fault.CutAfter(), "user/message", 1},
		{"before", fault.CutBefore(), "assistant/chunk", 4},
		{"after", fault.CutAfter(), "assistant/chunk", 4},
		{"inside", fault.CutInside(60), "tool/call", 1},
		{"before", fault.CutBefore(), "tool/result", 1},
		{"after", fault.CutAfter(), "turn/end", 2},
	} {
		t.Run(fmt.Sprintf("%s %s %d", cut.where, cut.eventType, cut.number), func(t *testing.T) {
			scaffold.Run(t, scenario(once, nil, on(event(cut.eventType), cut.number, cut.do)...))
		})
	}
}

func TestALineThatIsCutTwice(t *testing.T) {
	scaffold.OnlyReplay(t)
	// The second time before anything new has come.
	scaffold.Run(t, scenario(twice, nil, append(on(event("assistant/chunk"), 3, fault.CutBefore()), on(event("assistant/chunk"), 4, fault.CutBefore())...)...))
}

func TestTheHostsOwnStreamIsCut(t *testing.T) {
	scaffold.OnlyReplay(t)
	status := regexp.MustCompile(`"method":"host/session-status"`)
	scaffold.Run(t, scenario(twice, nil,
		fault.Fault{Path: host, Like: status, Frame: 1, Do: fault.CutBefore()}, fault.Fault{Path: host, Like: status, Frame: 3, Do: fault.CutAfter()}))
}

func TestAnIdleLineIsCut(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scenario(once, func(s *scaffold.Stage) {
		if n := s.Proxy.Cut(mux); n != 1 {
			s.Fatalf("%d session streams were open, want 1", n)
		}
		s.Losses(once)
	}))
}

func TestFramesThatComeTwice(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scenario(none, nil,
		fault.Fault{Path: mux, Do: fault.Repeat(2)}, fault.Fault{Path: host, Do: fault.Repeat(2)}))
}

func TestFramesInSingleBytes(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scenario(none, nil, on(regexp.MustCompile(`🙂|三|四`), 0, fault.Split(1))...))
}

func TestAFrameThatIsOvertaken(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, eventType := range []string{"assistant/chunk", "assistant/message"} {
		t.Run(eventType, func(t *testing.T) {
			scaffold.Run(t, scenario(gap, nil, on(second(eventType), 1, fault.Behind(1))...))
		})
	}
}

func TestAFrameThatIsLost(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, eventType := range []string{"assistant/chunk", "assistant/message"} {
		t.Run(eventType, func(t *testing.T) {
			scaffold.Run(t, scenario(gap, nil, on(second(eventType), 1, fault.Lose())...))
		})
	}
}

func TestFramesThatAreLate(t *testing.T) {
	scaffold.OnlyReplay(t)
	gate := make(chan struct{})
	late := scenario(none, nil, on(event("tool/result"), 1, fault.Wait(gate))...)
	late.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(count)
		s.AwaitLogged("the end of the turn", func(e session.Event) bool { return e.Type == session.TypeTurnEnd })
		close(gate)
		s.Settle()
		s.Send(again)
		s.Settle()
	}
	scaffold.Run(t, late)
}

func TestAnotherRunOfTheHost(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scenario(once, func(s *scaffold.Stage) {
		s.RestartBeneath()
		s.Losses(once)
		s.Settle()
	}))
}
