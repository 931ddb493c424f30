package replay

import (
	"time"

	"keylane/host/clock"
	"keylane/host/llm/recorded"
)

// Options say what to replay, and how.
type Options struct {
	// Fixture is the path of the recorded session.jsonl; its folder may hold session.<name>.jsonl files.
	Fixture string
	// Override is the path of an override.yml; "" for none. A file that is not there is an error.
	Override string
	// Pace is how fast chunks come; the zero value is Burst.
	Pace Pace
	// ContextWindow is what the catalogue says about every model, in tokens; 0 stands for 128 000.
	ContextWindow int
	// Clock times the pace; nil stands for the system's.
	Clock clock.Clock
	// Transform fills a fixture's tokens before it is parsed; nil leaves the bytes as they are.
	Transform func([]byte) []byte
	// Marker is told the marker of a hang when whoever asked has consumed its prefix, on the goroutine that reads the stream; it must not
	// block. Nothing calls it without an override; nil is fine.
	Marker func(name string)
}

// Pace is how long each chunk waits before it is given.
type Pace struct {
	recorded bool
	fixed    time.Duration
}

// Burst waits for nothing.
func Burst() Pace { return Pace{} }

// Fixed waits d before every chunk.
func Fixed(d time.Duration) Pace { return Pace{fixed: max(0, d)} }

// Recorded waits as long as the recording did; a fixture without times is a burst.
func Recorded() Pace { return Pace{recorded: true} }

func (p Pace) delays(call recorded.Call) func(int) time.Duration {
	switch {
	case p.recorded:
		return func(k int) time.Duration {
			if k < len(call.Delays) {
				return call.Delays[k]
			}
			return 0
		}
	case p.fixed > 0:
		return func(int) time.Duration { return p.fixed }
	}
	return nil
}
