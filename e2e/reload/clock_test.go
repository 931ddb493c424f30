package reload_test

import (
	"context"
	"sync"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/scaffold"
)

// The waits that the scenario holds: what the provider asks for before a retry, and what each chunk waits for.
const (
	asked = 55 * time.Second
	pace  = 7 * time.Hour
)

// heldClock stands still at the moment at which it was made, so that how long a command took, and with it whether the page says so, is the
// same on every machine. Its waits are the machine's, but a wait of asked ends when the test says so, and one of pace at once, unless it is the one that the
// test has chosen to stop at. It is the host's clock and the replay's.
type heldClock struct {
	clock.Clock
	now time.Time

	mu    sync.Mutex // guards the fields below
	held  []chan time.Time
	chunk int // how many more waits of pace end at once before one is held; -1 all
}

func newHeldClock() *heldClock { return &heldClock{Clock: clock.System(), now: time.Now(), chunk: -1} }

// Now is always the same; see clock.Clock.
func (c *heldClock) Now() time.Time { return c.now }

// After starts a timer; see clock.Clock.
func (c *heldClock) After(d time.Duration) (<-chan time.Time, func()) {
	if d != asked && d != pace {
		return c.Clock.After(d)
	}
	due := make(chan time.Time, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	stop := func() {} // a timer that nobody waits for any more fires into its own buffer
	if d == pace && c.chunk != 0 {
		c.chunk = max(c.chunk-1, -1)
		due <- c.now
		return due, stop
	}
	c.chunk = -1
	c.held = append(c.held, due)
	return due, stop
}

// stopAfter lets so many more chunks come, and holds the one behind them.
func (c *heldClock) stopAfter(chunks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chunk = chunks
}

// release ends all waits that are held.
func (c *heldClock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, due := range c.held {
		due <- c.now
	}
	c.held = nil
}

// holding puts the clock in the place of the shipped one and of the replay's.
func holding(s scaffold.Scenario, c *heldClock) scaffold.Scenario {
	s.Clock = c
	s.Plugins = append(s.Plugins, composition.Define("held-clock", "time that the test lets pass", composition.Definition[struct{}]{
		Provides: []composition.Key{clock.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			composition.Provide[clock.Clock](scope, clock.Service, c)
			return nil
		},
	}))
	s.Patches = append(s.Patches, scaffold.Patch("held clock", "- id: clock\n  disabled: true\n- insert:\n    - id: held-clock\n      plugin: held-clock\n")...)
	return s
}
