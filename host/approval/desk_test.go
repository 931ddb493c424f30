package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"keylane/host/approval"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waiting puts a call on the desk and returns once it waits.
func waiting(t *testing.T, ctx context.Context, d *approval.Desk, id string) (outcome <-chan approval.Outcome) {
	t.Helper()
	begun, ended := make(chan struct{}), make(chan approval.Outcome, 1)
	dispose := d.Observe(func(c approval.Change) {
		if c.Request.ID == id && c.Outcome == approval.Pending {
			close(begun)
		}
	})
	defer dispose()
	go func() { ended <- d.Wait(ctx, approval.Request{ID: id, SessionID: "s"}) }() // ends with the decision
	<-begun
	return ended
}

func TestACallWaitsForItsOwnDecisionAndTakesOne(t *testing.T) {
	d := approval.NewDesk(approval.Ask)
	first, second := waiting(t, t.Context(), d, "1"), waiting(t, t.Context(), d, "2")
	if err := d.Decide("1", "other", approval.AllowedOnce); !errors.Is(err, approval.ErrNotPending) {
		t.Errorf("another session decided: %v", err)
	}
	if err := d.Decide("2", "s", approval.Rejected); err != nil {
		t.Error(err)
	}
	if got := <-second; got != approval.Rejected {
		t.Error(got)
	}
	if err := d.Decide("2", "s", approval.AllowedOnce); !errors.Is(err, approval.ErrNotPending) {
		t.Errorf("it was decided twice: %v", err)
	}
	d.DecideAll("s", approval.AllowedSession)
	if got := <-first; got != approval.AllowedSession {
		t.Error(got)
	}
}

func TestAStoppedTurnWithdrawsItsCallAndObserversAreTold(t *testing.T) {
	d := approval.NewDesk(approval.Ask)
	ctx, cancel := context.WithCancel(t.Context())
	ended := waiting(t, ctx, d, "1")
	var told []string
	defer d.Observe(func(c approval.Change) { told = append(told, c.Request.ID+" "+string(c.Outcome)) })()
	cancel()
	if got := <-ended; got != approval.Cancelled {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"1 ", "1 cancelled"}, told); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyKnownModesAndDecisionsAreRead(t *testing.T) {
	for _, m := range approval.Modes() {
		if got, err := approval.ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s: %v", m, err)
		}
	}
	for _, word := range []string{"", "Full", "yolo"} {
		if _, err := approval.ParseMode(word); err == nil {
			t.Errorf("%q is read as a mode", word)
		}
	}
	for _, word := range []string{"", "cancelled", "allowed"} {
		if _, err := approval.ParseDecision(word); err == nil {
			t.Errorf("%q is read as a decision", word)
		}
	}
	if err := (approval.Config{Mode: "yolo"}).Validate(); err == nil {
		t.Error("the row takes an unknown mode")
	}
}
