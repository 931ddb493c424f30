package composition

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Options of a boot.
type Options struct {
	// Logger is what rows log to; nil drops their records.
	Logger *slog.Logger
	// Supplied are services that come from the program instead of a row.
	Supplied []Supplied
	// DisposalLimit is how long Close waits for one row; 0 means ten seconds.
	DisposalLimit time.Duration
}

const defaultDisposalLimit = 10 * time.Second

// Reporting is there for every row of every tree: what became of the rows so far. Ask it while a request is served rather than during Start.
var Reporting = NewService[*BootReport]("boot-report")

// BootReport is the report of a boot, readable from any goroutine while it goes on and after it.
type BootReport struct {
	mu     sync.Mutex // guards report
	report Report
}

// Read returns the report as it is now. It is the caller's own.
func (b *BootReport) Read() Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Report{slices.Clone(b.report.Started), slices.Clone(b.report.Failed), slices.Clone(b.report.Pending), slices.Clone(b.report.Disabled)}
}

func (b *BootReport) change(change func(*Report)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.report)
}

// Instance is a booted tree. Close it.
type Instance struct {
	services map[string]any
	scopes   []*Scope // in start order
	report   *BootReport
	limit    time.Duration // of one row's disposal

	closing sync.Once
	closed  error // valid once closing is done
}

// Boot checks the tree against the plugins and starts its rows. Everything that
// can be wrong without starting anything is found first and reported together.
//
// A row that fails to start is disposed at once, and the Report says why; the rows
// that need its services are not started and wait. When one of them is required,
// or ctx has ended, the boot fails: those that run are disposed, and the error
// holds the cause first and then what could not be disposed. ctx bounds the boot only.
func Boot(ctx context.Context, t *Tree, plugins []Plugin, o Options) (*Instance, error) {
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	arranged, supplied, err := t.plan(plugins, o.Supplied)
	if err != nil {
		return nil, fmt.Errorf("composition: booting: %w", err)
	}
	limit := o.DisposalLimit
	if limit == 0 {
		limit = defaultDisposalLimit
	}
	in := &Instance{services: supplied, report: &BootReport{report: Report{Pending: arranged.pending, Disabled: arranged.off}}, limit: limit}
	supplied[Reporting.name] = in.report
	waiting := map[*row]bool{}
	for i, p := range arranged.order {
		if waiting[p.row] {
			continue
		}
		scope := &Scope{
			row: p.row.info(), plugin: p.plugin, services: in.services, provided: map[string]any{},
			logger: logger.With("row", p.row.id),
		}
		err := ctx.Err()
		if err == nil {
			err = scope.begin(ctx, p.config)
		}
		if err != nil {
			// The boot's own context may be what ended; disposal still has to happen.
			ending := context.WithoutCancel(ctx)
			err = errors.Join(err, scope.end(ending, limit))
			lost := stranded(p, arranged.order[i+1:])
			if failure := fatal(ctx, p, lost, err); failure != nil {
				return nil, errors.Join(fmt.Errorf("composition: booting: %w", failure), in.Close(ending))
			}
			in.report.change(func(r *Report) {
				r.Failed = append(r.Failed, Failed{p.row.info(), err.Error(), p.row.blame(err).String()})
				for _, each := range lost {
					if !waiting[each.row] {
						r.Pending = append(r.Pending, waitingFor(each, p, arranged.order, waiting))
						waiting[each.row] = true
					}
				}
			})
			continue
		}
		in.scopes = append(in.scopes, scope)
		for name, v := range scope.provided {
			in.services[name] = v
		}
		in.report.change(func(r *Report) { r.Started = append(r.Started, p.row.info()) })
	}
	// Whoever boots shows the report as it sees fit; the log has it for those who read logs.
	report := in.Report()
	for _, f := range report.Failed {
		logger.Info("row did not start", "row", f.Row.ID, "reason", f.Reason)
	}
	for _, p := range report.Pending {
		logger.Info("row is not started", "row", p.Row.ID, "waits", p.Reasons)
	}
	return in, nil
}

// fatal says whether a boot can go on after p failed with err and left the rows lost behind; nil when it can.
func fatal(ctx context.Context, p planned, lost []planned, err error) error {
	failure := p.row.blame(err).errorf(p.row.id, "starting: %w", err)
	if p.row.required || ctx.Err() != nil {
		return failure
	}
	for _, each := range lost {
		if each.row.required {
			return p.row.blame(err).errorf(p.row.id, "starting, and the required row %q cannot do without it: %w", each.row.id, err)
		}
	}
	return nil
}

// waitingFor tells of a row that waits since the row failed did not start: for it, or for one that waits for it.
func waitingFor(p, failed planned, order []planned, waiting map[*row]bool) Pending {
	out := Pending{Row: p.row.info()}
	for _, name := range p.plugin.needs {
		for _, from := range order {
			switch {
			case !contains(from.plugin.provides, name):
			case from.row == failed.row:
				out.Waits = append(out.Waits, name)
				out.Reasons = append(out.Reasons, fmt.Sprintf("service %q of row %q, which did not start", name, from.row.id))
			case waiting[from.row]:
				out.Waits = append(out.Waits, name)
				out.Reasons = append(out.Reasons, fmt.Sprintf("service %q of row %q, which waits itself", name, from.row.id))
			}
		}
	}
	return out
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
	supplied := map[string]any{Reporting.name: (*BootReport)(nil)}
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
// joins what failed. A row that is not done within the boot's DisposalLimit, or
// when ctx has ended, is named in the error and left behind, so that one row
// cannot keep the others from ending. A second Close does nothing and returns the
// first one's result.
func (in *Instance) Close(ctx context.Context) error {
	in.closing.Do(func() {
		var problems []error
		for i := len(in.scopes) - 1; i >= 0; i-- {
			problems = append(problems, in.scopes[i].end(ctx, in.limit))
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
func (in *Instance) Report() Report { return in.report.Read() }
