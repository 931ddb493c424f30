package await

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// processStart is close enough to the start of the test binary for a share of its time.
var processStart = time.Now()

// Test is what [Context] needs of a *testing.T.
type Test interface {
	Helper()
	Deadline() (deadline time.Time, ok bool)
	Context() context.Context
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Context returns the test's context, bounded to 90 % of the time that the test binary has: the earlier of go test's own
// -timeout and Bazel's TEST_TIMEOUT (seconds). Without either (-timeout 0, for debugging) there is no bound.
func Context(t Test) context.Context {
	t.Helper()
	own, hasOwn := t.Deadline()
	deadline, bounded, err := shareOf(processStart, own, hasOwn, os.Getenv("TEST_TIMEOUT"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !bounded {
		return t.Context()
	}
	ctx, cancel := context.WithDeadlineCause(t.Context(), deadline, errNoTime)
	t.Cleanup(cancel)
	return ctx
}

// End is when the test binary's time is over and it is killed; what is after the deadline of its [Context] is for saying what happened. It is
// false where nothing bounds the test.
func End(t Test) (time.Time, bool) {
	t.Helper()
	own, hasOwn := t.Deadline()
	end, bounded, err := earlier(processStart, own, hasOwn, os.Getenv("TEST_TIMEOUT"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return end, bounded
}

// shareOf computes the deadline: 90 % of the way from start to the earlier bound.
func shareOf(start, own time.Time, hasOwn bool, testTimeout string) (deadline time.Time, bounded bool, err error) {
	end, bounded, err := earlier(start, own, hasOwn, testTimeout)
	if err != nil || !bounded {
		return time.Time{}, false, err
	}
	return start.Add(end.Sub(start) / 10 * 9), true, nil
}

// earlier is the earlier of the two bounds.
func earlier(start, own time.Time, hasOwn bool, testTimeout string) (end time.Time, bounded bool, err error) {
	end, bounded = own, hasOwn
	if testTimeout != "" {
		seconds, err := strconv.Atoi(testTimeout)
		if err != nil || seconds <= 0 {
			return time.Time{}, false, fmt.Errorf("await: TEST_TIMEOUT=%q is not a positive number of seconds", testTimeout)
		}
		if bazel := start.Add(time.Duration(seconds) * time.Second); !bounded || bazel.Before(end) {
			end, bounded = bazel, true
		}
	}
	return end, bounded, nil
}
