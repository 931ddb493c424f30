package retry_test

import (
	"context"
	"sync"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/scaffold"
)

// heldClock is the machine's clock, but waits of exactly the given time end when the test says so.
type heldClock struct {
	clock.Clock
	held time.Duration

	mu      sync.Mutex // guards waiting
	waiting []chan time.Time
}

// After starts a timer; see clock.Clock.
func (c *heldClock) After(d time.Duration) (<-chan time.Time, func()) {
	if d != c.held {
		return c.Clock.After(d)
	}
	due := make(chan time.Time, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, due)
	return due, func() {} // a timer that nobody waits for any more fires into its own buffer
}

// release ends all waits that are held.
func (c *heldClock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, due := range c.waiting {
		due <- c.Now()
	}
	c.waiting = nil
}

// holding puts the clock in the place of the shipped one.
func holding(s scaffold.Scenario, c *heldClock) scaffold.Scenario {
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
