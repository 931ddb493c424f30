package scaffold

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// T is what a scenario needs of a test. *testing.T is one; Trial makes another, which is how the lane's own guards are tried.
type T interface {
	Helper()
	Name() string
	Context() context.Context
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
	Deadline() (deadline time.Time, ok bool)
	Cleanup(function func())
}

// Trial runs function with a T that keeps its failures instead of failing the test, and returns them. It is for the mutants: a
// guard is worth something only when the broken thing makes it fail, with words that help.
//
//	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, brokenScenario) })
func Trial(t *testing.T, function func(T)) []string {
	t.Helper()
	return try(t, &trial{outer: t, context: t.Context()}, function)
}

// TrialWithin is Trial for a mutant that makes something never come, which the scenario awaits: the trial's context ends after limit. It
// should be several times what the unbroken scenario takes to get there, because a mutant must fail by what it broke.
func TrialWithin(t *testing.T, limit time.Duration, function func(T)) []string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, fmt.Errorf("the trial's %v are over", limit))
	defer cancel()
	return try(t, &trial{outer: t, context: ctx}, function)
}

func try(t *testing.T, trial *trial, function func(T)) []string {
	t.Helper()
	if *serving {
		t.Skip("a trial is not what -serve is for")
	}
	done := make(chan any, 1)
	go func() {
		finished := false
		defer func() {
			trial.cleanUp()
			if cause := recover(); cause != nil || finished {
				done <- cause
				return
			}
			done <- nil // Fatalf ended the goroutine
		}()
		function(trial)
		finished = true
	}()
	if cause := <-done; cause != nil {
		t.Fatalf("the trial panicked: %v", cause)
	}
	trial.mu.Lock()
	defer trial.mu.Unlock()
	return trial.failures
}

// WantSeen fails the test unless some failure of a trial has each of these words: the mutant was seen, and for what it is.
func WantSeen(t *testing.T, failures []string, words ...string) {
	t.Helper()
	all := strings.Join(failures, "\n")
	for _, each := range words {
		if !strings.Contains(all, each) {
			t.Errorf("no failure of the mutant says %q; there are %d:\n%s", each, len(failures), all)
		}
	}
}

type trial struct {
	outer    *testing.T
	context  context.Context
	mu       sync.Mutex // guards the fields below
	failures []string
	cleanups []func()
}

func (t *trial) Deadline() (time.Time, bool) { return t.outer.Deadline() }

func (t *trial) Cleanup(function func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, function)
}

func (t *trial) cleanUp() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

func (t *trial) Helper()                  {}
func (t *trial) Name() string             { return t.outer.Name() }
func (t *trial) Context() context.Context { return t.context }

func (t *trial) Logf(format string, args ...any) {
	t.outer.Logf("trial: "+format, args...)
}

func (t *trial) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.mu.Lock()
	t.failures = append(t.failures, text)
	t.mu.Unlock()
	t.outer.Logf("trial failed, as a mutant should: %s", strings.ReplaceAll(text, "\n", "\n    "))
}

func (t *trial) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}
