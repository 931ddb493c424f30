package scaffold

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestATrialKeepsItsFailuresAndCleansUp(t *testing.T) {
	cleaned := false
	failures := Trial(t, func(t T) {
		t.Cleanup(func() { cleaned = true })
		t.Errorf("one of %d", 2)
		t.Fatalf("the other")
		t.Errorf("never reached")
	})
	if strings.Join(failures, "; ") != "one of 2; the other" || !cleaned {
		t.Errorf("%q, cleaned up: %v", failures, cleaned)
	}
	WantSeen(t, failures, "one", "other")
}

func TestATrialThatWaitsForWhatNeverComesEnds(t *testing.T) {
	failures := TrialWithin(t, time.Millisecond, func(t T) {
		<-t.Context().Done()
		t.Fatalf("it never came: %v", context.Cause(t.Context()))
	})
	WantSeen(t, failures, "never came: the trial's 1ms are over")
}
