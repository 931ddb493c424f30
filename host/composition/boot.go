package composition

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Options of a boot.
type Options struct {
	// Logger is what rows log to; nil drops their records.
	Logger *slog.Logger
	// Supplied are services that come from the program instead of a row.
	Supplied []Supplied
}

// Instance is a booted tree. Close it.
type Instance struct {
	services map[string]any
	scopes   []*Scope // in start order
	report   Report

	closing sync.Once
	closed  error // valid once closing is done
}

// Boot checks the tree against the plugins and starts its rows. Everything that
// can be wrong without starting anything is found first and reported together.
// When a row fails to start, those that run are disposed, and the error holds
// the cause first and then what could not be disposed. ctx bounds the boot only.
func Boot(ctx context.Context, t *Tree, plugins []Plugin, o Options) (*Instance, error) {
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	arranged, supplied, err := t.plan(plugins, o.Supplied)
	if err != nil {
		return nil, fmt.Errorf("composition: booting: %w", err)
	}

	in := &Instance{services: supplied, report: Report{Pending: arranged.pending, Disabled: arranged.off}}
	for _, p := range arranged.order {
		scope := &Scope{
			row: p.row.info(), plugin: p.plugin, services: in.services, provided: map[string]any{},
			logger: logger.With("row", p.row.id),
		}
		in.scopes = append(in.scopes, scope)
		err = ctx.Err()
		if err == nil {
			err = scope.begin(ctx, p.config)
		}
		if err != nil {
			where, ok := p.row.blamed(err)
			if !ok {
				where = p.row.at
			}
			failure := fmt.Errorf("composition: booting: %w", where.errorf(p.row.id, "starting: %w", err))
			// The boot's own context may be what ended; disposal still has to happen.
			return nil, errors.Join(failure, in.Close(context.WithoutCancel(ctx)))
		}
		for name, v := range scope.provided {
			in.services[name] = v
		}
		in.report.Started = append(in.report.Started, p.row.info())
	}
	for _, p := range in.report.Pending {
		logger.Warn("row is not started", "row", p.Row.ID, "waits", p.Reasons)
	}
	return in, nil
}

// Check says everything that is wrong with a tree and can be known without starting anything, as Boot would. The report of a sound tree
// lists as Started what a boot would start, in that order.
func Check(t *Tree, plugins []Plugin, o Options) (Report, error) {
	arranged, _, err := t.plan(plugins, o.Supplied)
	if err != nil {
		return Report{}, fmt.Errorf("composition: checking: %w", err)
	}
	out := Report{Pending: arranged.pending, Disabled: arranged.off}
	for _, p := range arranged.order {
		out.Started = append(out.Started, p.row.info())
	}
	return out, nil
}

// plan is what becomes of the tree with these plugins, and the services that are there from the start; an error joins all that is wrong.
func (t *Tree) plan(plugins []Plugin, given []Supplied) (plan, map[string]any, error) {
	supplied := map[string]any{}
	for _, s := range given {
		supplied[s.name] = s.value
	}
	all, problems := t.resolve(plugins)
	var arranged plan
	if len(problems) == 0 { // else rows are missing, and others would seem to wait for them
		arranged, problems = arrange(all, supplied)
	}
	return arranged, supplied, errors.Join(problems...)
}

// Close disposes the rows in reverse start order. It attempts every disposer and
// joins what failed; ctx is handed to them and bounds only what heeds it. A
// second Close does nothing and returns the first one's result.
func (in *Instance) Close(ctx context.Context) error {
	in.closing.Do(func() {
		var problems []error
		for i := len(in.scopes) - 1; i >= 0; i-- {
			problems = append(problems, in.scopes[i].end(ctx))
		}
		if err := errors.Join(problems...); err != nil {
			in.closed = fmt.Errorf("composition: closing: %w", err)
		}
	})
	return in.closed
}

// Get returns the service svc of a booted tree; false when no started row
// provides it.
func Get[T any](in *Instance, svc Service[T]) (T, bool) {
	v, ok := in.services[svc.name].(T)
	return v, ok
}

// Report tells what the boot did.
func (in *Instance) Report() Report { return in.report }
