package scaffold

import (
	"context"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
)

// stillClock is the machine's clock whose Now stands still. Timers run.
type stillClock struct {
	clock.Clock
	now time.Time
}

func (c stillClock) Now() time.Time { return c.now }

// StandStill gives everything that the host logs one time, that of the call. How long a command takes that waits for the person's gestures
// says how fast the machine is, and the page shows it from one second on: in such a scenario no time passes.
func (s *Scenario) StandStill() {
	c := stillClock{clock.System(), clock.System().Now()}
	s.Plugins = append(s.Plugins, composition.Define("still-clock", "time that stands still", composition.Definition[struct{}]{
		Provides: []composition.Key{clock.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			composition.Provide[clock.Clock](scope, clock.Service, c)
			return nil
		},
	}))
	s.Patches = append(s.Patches, Patch("a clock that stands still", "- id: clock\n  disabled: true\n- insert:\n    - id: still-clock\n      plugin: still-clock\n")...)
}
