package reconnect_test

import (
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/fault"
)

// page is where the edits are: what all parts of the page share.
const page = "shared/keylane.js"

// A page that takes a frame that it has already would be seen: it takes it for one beyond a gap.
func TestAFrameThatIsTakenTwiceWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(none, nil, fault.Fault{Path: mux, Do: fault.Repeat(2)})
	mutant.Edits = []scaffold.Edit{{File: page, Find: `\w+\.event\.seq<\w+\|\|\(`, Put: `(`}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "connection loss", "gap repair")
}

// A page that does not fetch what it has missed would be seen.
func TestAGapThatStaysWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(gap, nil, on(second("assistant/message"), 1, fault.Lose())...)
	mutant.Edits = []scaffold.Edit{{File: page, Find: `\w+\.length>0&&this\.#\w+\(\)\}subscribed\(`, Put: `0}subscribed(`}}
	failures := scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the trial's 10s are over", "unmet      the page has applied the whole log of the open session")
}

// A loss that the scenario does not cause would be seen, although it causes others.
func TestALossTooManyWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(once, nil, append(on(event("turn/start"), 1, fault.CutBefore()), on(event("turn/end"), 1, fault.CutBefore())...)...)
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "connection loss", "connection lost, retry #")
}

// Faults and losses that never come would be seen: a good line proves nothing about a bad one.
func TestALineThatIsNotSpoiledWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(once, nil, on(event("turn/end"), 9, fault.CutBefore())...)
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(count)
		s.Settle()
		s.Send(again)
		s.Settle()
	}
	mutant.Check = nil
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "a fault of the scenario did not happen: frame 9", "the page reported 0 lost connections and 0 gaps, and the scenario causes 1 and 0")
}

// Losses without a proxy would be nobody's: the scenario is refused.
func TestLossesWithoutAProxyAreRefused(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(once, nil)
	mutant.Proxied = false
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "has losses and no proxy that causes them")
}
