package chromium

import (
	"context"
	"errors"
	"fmt"
)

// errUnstable is the last reason when the context of Stable ends.
var errUnstable = errors.New("the page did not come to rest")

// Stable reads something of the page until it is at rest: two readings, two animation frames apart and with no DOM mutation from
// before the first to after the second, are equal. Between attempts it waits for animation frames of the page, not for time. When the
// context ends, the error says which of the two conditions failed last.
func Stable[T any](ctx context.Context, p *Page, read func(context.Context) (T, error), equal func(a, b T) bool) (T, error) {
	var zero T
	reason := "no attempt was complete"
	for attempts := 1; ; attempts++ {
		value, seen, err := p.attempt(ctx, func(ctx context.Context) (any, error) { return read(ctx) },
			func(a, b any) bool { return equal(a.(T), b.(T)) })
		switch {
		case err != nil && ctx.Err() != nil:
			return zero, fmt.Errorf("chromium: %w in %d attempts; last: %s: %w", errUnstable, attempts, reason, context.Cause(ctx))
		case err != nil && isProtocolError(err): // something read had just gone
			reason = err.Error()
			if err := p.Frames(ctx, 1); err != nil && ctx.Err() == nil {
				return zero, err
			}
			continue
		case err != nil:
			return zero, err
		case seen == "":
			return value.(T), nil
		}
		reason = seen
	}
}

func (p *Page) attempt(ctx context.Context, read func(context.Context) (any, error), equal func(a, b any) bool) (value any, unstable string, err error) {
	before, err := p.mutationCount(ctx)
	if err != nil {
		return nil, "", err
	}
	first, err := read(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := p.Frames(ctx, 2); err != nil {
		return nil, "", err
	}
	second, err := read(ctx)
	if err != nil {
		return nil, "", err
	}
	after, err := p.mutationCount(ctx)
	switch {
	case err != nil:
		return nil, "", err
	case before != after:
		return nil, fmt.Sprintf("the DOM changed between the two readings (count %s, then %s)", before, after), nil
	case !equal(first, second):
		return nil, "two readings differ although the DOM did not change", nil
	}
	return second, "", nil
}

// mutationCount identifies the document and the number of its mutations.
func (p *Page) mutationCount(ctx context.Context) (string, error) {
	return evalObserver[string](ctx, p, "performance.timeOrigin + ':' + globalThis.keptCount.count")
}
