package composition

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// grace is how long a disposer may go on after its context has ended: one that heeds it has things to put away.
const grace = time.Second

// end runs the disposers in reverse and returns what failed. They have limit together, and their context says so; one that does not come
// back is left behind and named, and the next is still attempted.
func (s *Scope) end(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("disposal has %v", limit))
	defer cancel()
	var problems []error
	for i := len(s.disposers) - 1; i >= 0; i-- {
		d := s.disposers[i]
		if err := d.within(ctx); err != nil {
			problems = append(problems, fmt.Errorf("row %q: disposing %s: %w", s.row.ID, d.name, err))
		}
	}
	s.disposers = nil
	return errors.Join(problems...)
}

// within runs the disposer until it is done, or ctx has ended and grace is over. Then its goroutine goes on alone: Go cannot end it.
func (d disposer) within(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- d.safely(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case err := <-done:
		return err
	case <-last.C:
		return fmt.Errorf("it hangs, and is left behind: %w", context.Cause(ctx))
	}
}

func (d disposer) safely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return d.run(ctx)
}
