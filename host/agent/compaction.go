package agent

import (
	"errors"
	"fmt"

	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/session"
)

// ErrNotCompacted says that a history cannot be shortened; the error is an *UnavailableError, which says why.
var ErrNotCompacted = errors.New("the history cannot be shortened")

// The reasons of an UnavailableError.
const (
	ReasonDisabled      = "disabled"           // the host has no compaction
	ReasonUnknownWindow = "unknown-window"     // nobody says how much the model takes
	ReasonNothing       = "nothing-to-compact" // there is no older part that a summary could stand for
)

// UnavailableError says why a history cannot be shortened.
type UnavailableError struct{ Reason string }

func (e *UnavailableError) Error() string { return ErrNotCompacted.Error() + ": " + e.Reason }

func (e *UnavailableError) Unwrap() error { return ErrNotCompacted }

func (m *manager) SetCompaction(c compaction.Config) (dispose func(), err error) {
	if field, err := c.Check(); err != nil {
		return nil, fmt.Errorf("agent: compaction: %s: %w", field, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shortens != nil {
		return nil, errors.New("agent: there is a compaction already")
	}
	mounted := &c
	m.shortens = mounted
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.shortens == mounted {
			m.shortens = nil
		}
	}, nil
}

func (m *manager) compaction() (compaction.Config, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shortens == nil {
		return compaction.Config{}, false
	}
	return *m.shortens, true
}

// Compact asks for a summary in the place of the older history: at once when the agent is idle, at the next step, or else after the turn,
// when one runs. It returns before that has happened; the log tells how it went. An error is ErrNotCompacted, with its reason, or ErrClosed.
func (a *Agent) Compact() error {
	config, ok := a.host.compaction()
	if !ok {
		return &UnavailableError{ReasonDisabled}
	}
	window := a.host.describe(a.Model()).ContextWindow
	if window <= 0 {
		return &UnavailableError{ReasonUnknownWindow}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if !a.running {
		if _, ok := config.Plan(a.log.Surface(), window); !ok {
			return &UnavailableError{ReasonNothing}
		}
	}
	a.compact = true
	a.wake()
	return nil
}

// asked tells whether somebody asked for a compaction since the last one, and takes the wish.
func (a *Agent) asked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.compact
	a.compact = false
	return asked
}

// relieve shortens the history before a step's request, when the window is nearly full or somebody asked. That it could not is no end of the
// turn: the provider has the last word on what fits.
func (t *turn) relieve() *stop {
	asked := t.a.asked()
	config, window, ok := t.a.capacity()
	if !ok {
		return nil
	}
	nodes := t.a.log.Surface()
	var plan compaction.Plan
	switch {
	case asked:
		plan, ok = config.Plan(nodes, window)
	case t.unpressed:
		return nil
	default:
		plan, ok = config.Pressed(t.a.header, nodes, window)
	}
	if !ok {
		return nil
	}
	_, end := t.shorten(config, plan, window)
	return end
}

// recover shortens the history after the provider said that it exceeds the window, and returns the request to try the step with again, or
// how the turn ends.
func (t *turn) recover(end *stop) (*llm.Request, *stop) {
	if end.reason.Failure == nil || end.reason.Failure.Code != llm.CodeContextWindowExceeded {
		return nil, end
	}
	config, window, ok := t.a.capacity()
	if !ok || t.recoveries >= config.OverflowRecoveries {
		return nil, end
	}
	plan, ok := config.Plan(t.a.log.Surface(), window)
	if !ok {
		return nil, end
	}
	t.recoveries++
	switch shorter, problem := t.shorten(config, plan, window); {
	case problem != nil:
		return nil, problem
	case !shorter:
		return nil, end
	}
	request, err := t.a.request()
	if err != nil {
		return nil, broken(codeInternal, err)
	}
	if s := t.barrier(); s != nil {
		return nil, s
	}
	return &request, nil
}

// compactBetween runs a compaction that was asked for while no turn ran.
func (t *turn) compactBetween() (park bool) {
	config, window, ok := t.a.capacity()
	if !t.a.asked() || !ok {
		return false
	}
	plan, ok := config.Plan(t.a.log.Surface(), window)
	if !ok {
		return false
	}
	_, end := t.shorten(config, plan, window)
	return end != nil && end.broken
}

// capacity is how histories are shortened and what the model takes; false when they are not. That nobody knows what it takes is said once.
func (a *Agent) capacity() (compaction.Config, int, bool) {
	config, ok := a.host.compaction()
	if !ok {
		return config, 0, false
	}
	target := a.Model()
	window := a.host.describe(target).ContextWindow
	if window <= 0 && a.host.firstWarning(target) {
		a.host.o.Logger.Warn("nobody says how large the model's context window is, so histories are not shortened for it",
			"session", a.log.ID(), "provider", target.Provider, "model", target.Model)
	}
	return config, window, window > 0
}

// firstWarning tells whether a model's unknown window is still to be warned of, and takes note.
func (m *manager) firstWarning(target session.ModelTarget) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.warned[target] {
		return false
	}
	if m.warned == nil {
		m.warned = map[session.ModelTarget]bool{}
	}
	m.warned[target] = true
	return true
}

// place is where a compaction happens: in this turn, or between turns.
func (t *turn) place() *int {
	if t.compacts {
		return nil
	}
	return &t.number
}
