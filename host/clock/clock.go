// Package clock is where the host gets its time, its identifiers and its randomness.
//
// Nothing in the host calls time.Now, time.After or a random source by itself: it asks a Clock that it was given. The composition
// decides which one that is, so that a pinned run (a recording, a test) is a configuration and not a branch in the code.
//
// Use System for a real host. Use Manual where time must stand still until it is told to move: Advance fires the timers that became
// due, in order of their deadlines. Do not keep a package-level Clock, and do not compare times of two different clocks.
package clock

import (
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"keylane/host/composition"
)

// Clock is a source of time, identifiers and randomness. Every method is safe for concurrent use.
type Clock interface {
	// Now is the current time of this clock.
	Now() time.Time
	// After starts one timer. The channel receives once, d after the call; it is never closed. The returned function releases the
	// timer; it may be called at any time, more than once, and after the timer fired. A d of zero or less fires at once.
	After(d time.Duration) (<-chan time.Time, func())
	// NewID is a fresh identifier: a UUID of version 4 (RFC 9562) as lower-case text.
	NewID() string
	// Float64 is a number in [0,1), for jitter. It is not fit for secrets.
	Float64() float64
}

// System is the clock of the machine: wall time, real timers, random identifiers.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) After(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

func (system) NewID() string { return uuid.NewString() }

func (system) Float64() float64 { return rand.Float64() }

// Service is the clock of a composed host.
var Service = composition.NewService[Clock]("clock")
