package retry_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/llm/retry"
	"keylane/host/session"
)

// dice is a clock whose random number is always the same.
type dice struct {
	clock.Clock
	value float64
}

func (d dice) Float64() float64 { return d.value }

func policy(t *testing.T, c retry.Config, random float64) *retry.Policy {
	t.Helper()
	p, err := retry.New(c, dice{clock.System(), random})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheShippedPolicyWaitsTwiceAndLongerTheSecondTime(t *testing.T) {
	p := policy(t, retry.Defaults(), 0.5) // in the middle: no jitter
	for n, want := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second} {
		got, again := p.Next(n, session.Failure{Code: llm.CodeServer, Message: "down"})
		if !again || got != (llm.Retry{Delay: want, Max: 2, Mode: "normal", Key: "llm-retry"}) {
			t.Errorf("retry %d: %+v, %v", n, got, again)
		}
	}
	if _, again := p.Next(3, session.Failure{Code: llm.CodeServer}); again {
		t.Error("a third retry")
	}
}

func TestOnlyFailuresThatMayPassAreRetried(t *testing.T) {
	p := policy(t, retry.Defaults(), 0.5)
	for code, want := range map[string]bool{
		llm.CodeEmptyResponse: true, llm.CodeRateLimit: true, llm.CodeServer: true, llm.CodeTimeout: true, llm.CodeTransport: true,
		llm.CodeAuth: false, llm.CodeAuthMissing: false, llm.CodeQuota: false, llm.CodeContextWindowExceeded: false, llm.CodeInvalidRequest: false,
		llm.CodeNoAdapter: false, llm.CodeProtocol: false, llm.CodeAborted: false, llm.CodeUnknown: false, "HTTP_418": false, "": false,
	} {
		if _, again := p.Next(1, session.Failure{Code: code}); again != want {
			t.Errorf("%s: retried %v", code, again)
		}
	}
}

func TestWhatTheProviderAsksForIsDoneToTheLetterUpToTheCap(t *testing.T) {
	p := policy(t, retry.Defaults(), 0.99)
	for ms, want := range map[int64]time.Duration{1: time.Millisecond, 7_001: 7001 * time.Millisecond, 10_000: 10 * time.Second} {
		got, again := p.Next(2, session.Failure{Code: llm.CodeRateLimit, RetryAfterMs: ms})
		if !again || got.Delay != want {
			t.Errorf("asked for %d ms: %+v, %v", ms, got, again)
		}
	}
	if _, again := p.Next(1, session.Failure{Code: llm.CodeRateLimit, RetryAfterMs: 10_001}); again {
		t.Error("a wait beyond the cap is for the person to decide")
	}
}

func TestAWaitIsNeverBeyondTheCapNorFurtherFromItsPlaceThanTheJitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := retry.Config{
			Max: 10_000, Base: time.Duration(rapid.IntRange(1, 5000).Draw(t, "base")) * time.Millisecond, Jitter: rapid.Float64Range(0, 1).Draw(t, "jitter"),
		}
		c.Cap = c.Base + time.Duration(rapid.IntRange(0, 60_000).Draw(t, "above"))*time.Millisecond
		p, err := retry.New(c, dice{clock.System(), rapid.Float64Range(0, 0.999999).Draw(t, "random")})
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, 10_000).Draw(t, "n")
		place := c.Base
		for doubled := 1; doubled < n && place < c.Cap; doubled++ {
			place *= 2
		}
		place = min(place, c.Cap)
		got, again := p.Next(n, session.Failure{Code: llm.CodeTimeout})
		low, high := time.Duration(float64(place)*(1-c.Jitter)), min(c.Cap, time.Duration(float64(place)*(1+c.Jitter)))
		if !again || got.Delay < low-time.Microsecond || got.Delay > high+time.Microsecond || got.Delay > c.Cap {
			t.Fatalf("retry %d of %+v waits %s, want %s to %s", n, c, got.Delay, low, high)
		}
	})
}

func TestAConfigThatMakesNoSenseIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*retry.Config)
		says  string
	}{
		"fewer than none": {func(c *retry.Config) { c.Max = -1 }, "number of retries is -1"},
		"no first wait":   {func(c *retry.Config) { c.Base = 0 }, "first wait above 0"},
		"a low cap":       {func(c *retry.Config) { c.Cap = time.Millisecond }, "a cap that is not below it"},
		"much jitter":     {func(c *retry.Config) { c.Jitter = 1.5 }, "from 0 to 1"},
	} {
		config := retry.Defaults()
		c.spoil(&config)
		if _, err := retry.New(config, clock.System()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
