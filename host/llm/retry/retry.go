// Package retry is the policy by which failed model calls are made again.
//
//	policy, err := retry.New(retry.Defaults(), clock)
//	dispose, err := registry.SetRetryPolicy(policy)
//
// A failure whose code says that another try may help (the provider is busy or down, the connection broke, nothing came) is retried a few
// times. The wait before retry n is Base·2^(n-1), at most Cap, spread by Jitter so that many sessions do not come back at the same moment.
// Where the provider says itself how long to wait, that is done to the letter if it is within the cap; beyond it the failure stands at once,
// because a person who waits should decide that.
//
// The policy only decides. Waiting, logging and asking again are the caller's, who must be able to cancel the wait.
package retry

import (
	"fmt"
	"math"
	"slices"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/session"
)

// What the log calls this policy.
const (
	mode = "normal" // a bounded number of retries of certain codes
	key  = "llm-retry"
)

// codes are the failures that may be gone at the next try.
var codes = []string{llm.CodeEmptyResponse, llm.CodeRateLimit, llm.CodeServer, llm.CodeTimeout, llm.CodeTransport}

// Config is what a composition decides.
type Config struct {
	// Max is how many retries a step may make; 0 makes none.
	Max int
	// Base is the wait before the first retry, Cap the longest wait.
	Base, Cap time.Duration
	// Jitter is the part of a wait by which it is made shorter or longer at random, from 0 to 1.
	Jitter float64
}

// Defaults are what keylane ships.
func Defaults() Config {
	return Config{Max: 2, Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 0.1}
}

// Policy is an [llm.RetryPolicy].
type Policy struct {
	config Config
	clock  clock.Clock
}

// New makes a policy; the clock gives the randomness of the jitter. A config that makes no sense is an error.
func New(c Config, clk clock.Clock) (*Policy, error) {
	switch {
	case c.Max < 0:
		return nil, fmt.Errorf("retry: the number of retries is %d: want 0 or more", c.Max)
	case c.Base <= 0 || c.Cap < c.Base:
		return nil, fmt.Errorf("retry: the waits go from %s to %s: want a first wait above 0, and a cap that is not below it", c.Base, c.Cap)
	case !(c.Jitter >= 0 && c.Jitter <= 1):
		return nil, fmt.Errorf("retry: the jitter is %v: want a part from 0 to 1", c.Jitter)
	}
	return &Policy{c, clk}, nil
}

// Next decides about retry n of a step.
func (p *Policy) Next(n int, failure session.Failure) (llm.Retry, bool) {
	if n > p.config.Max || !slices.Contains(codes, failure.Code) {
		return llm.Retry{}, false
	}
	decided := llm.Retry{Max: p.config.Max, Mode: mode, Key: key}
	if failure.RetryAfterMs > 0 {
		if failure.RetryAfterMs > p.config.Cap.Milliseconds() {
			return llm.Retry{}, false
		}
		decided.Delay = time.Duration(failure.RetryAfterMs) * time.Millisecond
		return decided, true
	}
	// In floating point, where doubling cannot overflow.
	wait := min(float64(p.config.Base)*math.Pow(2, float64(n-1)), float64(p.config.Cap))
	wait *= 1 + p.config.Jitter*(2*p.clock.Float64()-1)
	decided.Delay = min(time.Duration(wait), p.config.Cap)
	return decided, true
}
