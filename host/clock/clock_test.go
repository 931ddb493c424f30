package clock_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"keylane/host/clock"
)

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestIdentifiersAndRandomNumbersOfBothClocks(t *testing.T) {
	for name, c := range map[string]clock.Clock{"system": clock.System(), "manual": clock.NewManual(time.Unix(0, 0), 7)} {
		first, second := c.NewID(), c.NewID()
		if !uuid4.MatchString(first) || first == second {
			t.Errorf("%s: ids %s and %s", name, first, second)
		}
		if f := c.Float64(); f < 0 || f >= 1 {
			t.Errorf("%s: random number %v", name, f)
		}
	}
}

func TestAManualClockRepeatsItself(t *testing.T) {
	a, b, other := clock.NewManual(time.Unix(0, 0), 7), clock.NewManual(time.Unix(9, 0), 7), clock.NewManual(time.Unix(0, 0), 8)
	if first := a.NewID(); first != b.NewID() || first == other.NewID() || a.Float64() != b.Float64() {
		t.Error("the seed does not determine the sequence")
	}
}

func TestAManualTimerFiresWhenItsTimeHasCome(t *testing.T) {
	start := time.Unix(100, 0)
	c := clock.NewManual(start, 1)
	late, stopLate := c.After(3 * time.Second)
	soon, stopSoon := c.After(time.Second)
	gone, stopGone := c.After(time.Second)
	stopGone()
	stopGone()
	if c.Timers() != 2 {
		t.Fatalf("%d timers wait", c.Timers())
	}
	c.Advance(2 * time.Second)
	if at := <-soon; !at.Equal(start.Add(time.Second)) || !c.Now().Equal(start.Add(2*time.Second)) {
		t.Errorf("fired at %v, now is %v", at, c.Now())
	}
	stopSoon()
	select {
	case <-late:
		t.Error("fired too early")
	case <-gone:
		t.Error("fired although it was stopped")
	default:
	}
	c.Advance(time.Second)
	<-late
	stopLate()
	now, stop := c.After(0)
	defer stop()
	<-now
}

func TestASystemTimerFires(t *testing.T) {
	fired, stop := clock.System().After(time.Millisecond)
	defer stop()
	<-fired
}

func TestATestCanWaitForATimer(t *testing.T) {
	c := clock.NewManual(time.Unix(0, 0), 1)
	waited := make(chan error)
	go func() { waited <- c.AwaitTimers(context.Background(), 2) }()
	for range 2 {
		_, stop := c.After(time.Second)
		defer stop()
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.AwaitTimers(ctx, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
