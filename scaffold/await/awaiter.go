package await

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Source tells when a state may have changed.
type Source interface {
	// OnChange calls the function on every change until stop is called. The function
	// returns at once. A change that happens after OnChange has returned is never missed.
	OnChange(function func()) (stop func())
}

// Signal is a [Source] that is notified by hand. The zero value is ready; all methods may be called from any goroutine.
type Signal struct {
	mu        sync.Mutex // guards the fields below; never held while calling a function
	functions map[int]func()
	lastID    int
}

// Notify says that something may have changed.
func (s *Signal) Notify() {
	s.mu.Lock()
	functions := make([]func(), 0, len(s.functions))
	for _, function := range s.functions {
		functions = append(functions, function)
	}
	s.mu.Unlock()
	for _, function := range functions {
		function()
	}
}

// OnChange implements [Source].
func (s *Signal) OnChange(function func()) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.functions == nil {
		s.functions = map[int]func(){}
	}
	s.lastID++
	id := s.lastID
	s.functions[id] = function
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.functions, id)
	}
}

// Awaiter evaluates expectations against states of type S, once per event.
type Awaiter[S any] struct {
	signal  Signal
	take    func(context.Context) (S, error)
	sources []Source
}

// New makes an Awaiter. take copies the state, at one moment and so that it does not change afterwards; an error of take
// ends the wait at once (the thing observed is gone). Besides the sources, [Awaiter.Notify] triggers an evaluation.
func New[S any](take func(context.Context) (S, error), sources ...Source) *Awaiter[S] {
	return &Awaiter[S]{take: take, sources: sources}
}

// Notify says that the state may have changed. It never blocks.
func (a *Awaiter[S]) Notify() { a.signal.Notify() }

// Await returns nil in the first state that meets the expectation. Otherwise it returns an [*UnmeetableError]
// as soon as it can't be met any more, a [*TimeoutError] when the context ends, or the error of taking
// the state. Any number of goroutines may await at the same time.
func (a *Awaiter[S]) Await(ctx context.Context, expectation Expectation[S]) error {
	changed := make(chan struct{}, 1) // one pending notification stands for any number
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	for _, source := range append([]Source{&a.signal}, a.sources...) {
		defer source.OnChange(notify)()
	}
	start, evaluations, seen := time.Now(), 0, "nothing: no state was taken"
	for {
		state, err := a.take(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return timeout(ctx, start, evaluations, expectation.Description, seen)
		case err != nil:
			return fmt.Errorf("await: waiting until %s: %w", expectation.Description, err)
		}
		var verdict Verdict
		verdict, seen = expectation.Check(state)
		evaluations++
		switch verdict {
		case Met:
			return nil
		case Unmeetable:
			return &UnmeetableError{Description: expectation.Description, Reason: seen}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return timeout(ctx, start, evaluations, expectation.Description, seen)
		}
	}
}

func timeout(ctx context.Context, start time.Time, evaluations int, description, seen string) error {
	return &TimeoutError{
		Description: description, Seen: seen, Waited: time.Since(start), Evaluations: evaluations, cause: context.Cause(ctx),
	}
}

// UnmeetableError says that waiting had no point any more.
type UnmeetableError struct {
	Description string // of the expectation
	Reason      string // of the verdict; several lines when the expectation has parts
}

func (e *UnmeetableError) Error() string {
	return "await: it cannot happen any more that " + e.Description + ":" + indent(e.Reason)
}

// TimeoutError says that the context ended first.
type TimeoutError struct {
	Description string        // of the expectation
	Seen        string        // the last reason; several lines when the expectation has parts
	Waited      time.Duration // from the call to the end of the context
	Evaluations int           // how often the state was judged: 1 means that no event came
	cause       error
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("await: gave up after %v (%d evaluations, %v) waiting until %s; seen last:%s",
		e.Waited.Round(time.Millisecond), e.Evaluations, e.cause, e.Description, indent(e.Seen))
}

// Unwrap returns why the context ended.
func (e *TimeoutError) Unwrap() error { return e.cause }

func indent(text string) string {
	if !strings.Contains(text, "\n") {
		return " " + text
	}
	return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

var errNoTime = errors.New("90 % of the test's time is over")
