package agent

import (
	"context"
	"errors"
	"fmt"
	"io"

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

// shorten has the plan's older part summarised and puts the summary in its place. It is false when the history is as it was; the log says
// why. A failed call is no end of a turn; a Stop and a log that takes nothing more are.
func (t *turn) shorten(config compaction.Config, plan compaction.Plan, window int) (done bool, end *stop) {
	a, target := t.a, t.a.Model()
	id := a.host.o.Clock.NewID()
	request := config.Request(llm.Request{
		SessionID: a.log.ID(), ParentSession: a.log.Header().ParentSession, Provider: target.Provider, Model: target.Model,
	}, id, plan, window)
	if _, err := a.log.Append(session.TypeCompactionStart, session.CompactionStart{
		CompactionID: id, Turn: t.place(), Provider: target.Provider, Model: target.Model, MaxTokens: request.MaxTokens,
		Instructions: request.System, ShadowedRange: plan.Range(),
	}); err != nil {
		return false, broken(codeInternal, err)
	}
	got, end := t.summarise(config, request)
	closing := session.CompactionEnd{CompactionID: id, Turn: t.place()}
	if end == nil {
		if err := t.replace(id, plan, request, got); err != nil {
			return false, broken(codeInternal, err)
		}
		closing.ContextTokens = compaction.Measure(a.header, a.log.Surface()).Tokens
	} else {
		closing.Error = &session.Failure{Code: llm.CodeAborted, Message: "the compaction was stopped"}
		if end.reason.Failure != nil {
			closing.Error = end.reason.Failure
		}
	}
	if _, err := a.log.Append(session.TypeCompactionEnd, closing); err != nil {
		return false, broken(codeInternal, err)
	}
	if end == nil {
		return true, nil
	}
	if end.broken || end.reason.Failure == nil {
		return false, end
	}
	t.unpressed = true
	a.host.o.Logger.Warn("the history could not be summarised and is as it was", "session", a.log.ID(), "code", closing.Error.Code)
	return false, nil
}

// summarise asks for the summary, again where the host's policy sees a chance and the config allows it.
func (t *turn) summarise(config compaction.Config, request llm.Request) (*llm.Assembler, *stop) {
	if s := t.barrier(); s != nil {
		return nil, s
	}
	for retry := 1; ; retry++ {
		got, failure := t.a.host.collect(t.ctx, request)
		if failure == nil && compaction.Summary(got.Blocks()) == "" {
			failure = &session.Failure{Code: llm.CodeEmptyResponse, Message: "the summary is empty"}
		}
		if s := t.abortion(); s != nil {
			return nil, s
		}
		if failure == nil {
			return got, nil
		}
		policy := t.a.host.o.Models.RetryPolicy()
		if policy == nil || retry > config.Retries {
			return nil, failed(*failure)
		}
		decided, again := policy.Next(retry, *failure)
		if !again {
			return nil, failed(*failure)
		}
		due, cancel := t.a.host.o.Clock.After(decided.Delay)
		select {
		case <-due:
			cancel()
		case <-t.ctx.Done():
			cancel()
			return nil, t.abortion()
		}
	}
}

// replace logs the summary and puts it into the history.
func (t *turn) replace(id string, plan compaction.Plan, request llm.Request, got *llm.Assembler) error {
	summary := compaction.Summary(got.Blocks())
	if _, err := t.a.log.Append(session.TypeCompaction, session.CompactionSummary{
		CompactionID: id, Summary: []session.Block{{Type: session.BlockText, Text: summary}}, RawOutput: got.Blocks(), LLMStreamCall: true,
		ShadowedRange: plan.Range(), ShadowedSeqs: plan.Seqs(), ShadowedTokenCount: plan.Tokens(),
		Provider: request.Provider, Model: request.Model, MaxTokens: request.MaxTokens, Usage: got.Usage(),
	}); err != nil {
		return err
	}
	shadowed := plan.Range()
	_, err := t.a.log.Append(session.TypeUserMessage, compaction.Message(t.a.host.o.Clock.NewID(), summary),
		session.WithReplace(shadowed.Start, shadowed.End), session.WithSources(plan.Seqs()...))
	return err
}

// collect makes a call whose chunks are in no log, and waits for the whole answer.
func (m *manager) collect(ctx context.Context, request llm.Request) (*llm.Assembler, *session.Failure) {
	fail := func(err error) (*llm.Assembler, *session.Failure) {
		failure := llm.FailureOf(err)
		return nil, &failure
	}
	stream, err := m.o.Models.Stream(ctx, request)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err := stream.Close(); err != nil {
			m.o.Logger.Warn("closing a model stream", "session", request.SessionID, "purpose", request.Purpose, "error", err)
		}
	}()
	var got llm.Assembler
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(err)
		}
		if err := got.Add(chunk); err != nil {
			return fail(llm.NewError(llm.CodeProtocol, err.Error(), nil))
		}
	}
	if finish := got.Finish(); finish.Failed() {
		if finish.Failure == nil {
			return fail(llm.NewError(llm.CodeUnknown, "the provider gave up without a reason", nil))
		}
		return nil, finish.Failure
	}
	return &got, nil
}
