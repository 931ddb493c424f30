package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Errors that callers branch on.
var (
	// ErrConflict: a session of this id exists with another working directory.
	ErrConflict = errors.New("a session of this id exists with another working directory")
	// ErrModelUnavailable: no registered provider has this model.
	ErrModelUnavailable = errors.New("the model is not available")
	// ErrClosed: the agent or its manager is closed.
	ErrClosed = errors.New("the agent is closed")
)

// Agent runs one session. It is safe for concurrent use.
type Agent struct {
	host   *manager
	log    *session.Log
	writer *persistence.Writer
	life   context.Context // ends when the agent closes: for what runs beside turns
	end    context.CancelFunc

	// mu guards what is below. It is held while inbox events are appended, so that the
	// log's inbox and the decision to run agree; log observers must not call the agent.
	mu      sync.Mutex
	chosen  session.ModelTarget // by SelectModel or at creation; zero: follow the log
	running bool
	parked  bool // the inbox waits for the next Prompt
	closed  bool
	turn    *turn         // nil between turns
	idle    chan struct{} // closed when the running driver has become idle
	naming  chan struct{} // closed when the call for a title is over; nil when there was none
	compact bool          // somebody asked for a compaction that has not begun

	// The last logged request header and context, as logged; the driver's alone.
	header        session.RequestHeaderBody
	context       session.RequestContext
	headerLogged  bool // any header is in the log
	headerByMe    bool // this instance logged one
	headerFirst   bool // this instance logged the first one of the session, and it was for nothing sent yet
	contextLogged bool

	callIDs callIDs

	announced bool                 // the observers know the agent; guarded by host.observing
	trouble   *persistence.Trouble // why the log cannot be stored for now; guarded by host.observing
}

// newAgent takes over a log that nobody else appends to. The agent is whole once it has a writer.
func newAgent(host *manager, log *session.Log, chosen session.ModelTarget) (*Agent, error) {
	a := &Agent{host: host, log: log, chosen: chosen, callIDs: callIDs{log: log}}
	a.life, a.end = context.WithCancel(context.Background())
	events := log.Events(0, -1)
	for i := len(events) - 1; i >= 0 && !(a.headerLogged && a.contextLogged); i-- {
		switch e := events[i]; {
		case e.Type == session.TypeRequestHeader && !a.headerLogged:
			if err := a.readHeader(e); err != nil {
				return nil, err
			}
		case e.Type == session.TypeRequestContext && !a.contextLogged:
			if err := json.Unmarshal(e.Data, &a.context); err != nil {
				return nil, fmt.Errorf("agent: session %s: event %d: %w", log.ID(), e.Seq, err)
			}
			a.contextLogged = true
		}
	}
	if err := a.requeue(); err != nil { // no turn is open that would take it
		return nil, fmt.Errorf("agent: session %s: %w", log.ID(), err)
	}
	return a, nil
}

// Log is the session's log. Only the agent appends to it.
func (a *Agent) Log() *session.Log { return a.log }

// Prompt puts m into the inbox and returns once that is durable. It runs as soon as
// what is before it is done; a parked inbox is drained first. On an error m
// may or may not be in the inbox; the session/queue of the log tells.
func (a *Agent) Prompt(ctx context.Context, m session.Message) error {
	return a.send(ctx, m, false)
}

func (a *Agent) send(ctx context.Context, m session.Message, steer bool) error {
	if err := a.enqueue(m, steer); err != nil {
		return fmt.Errorf("agent: prompting session %s: %w", a.log.ID(), err)
	}
	if err := a.writer.Flush(ctx); err != nil {
		return fmt.Errorf("agent: prompting session %s: %w", a.log.ID(), err)
	}
	return nil
}

func (a *Agent) enqueue(m session.Message, steer bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	p := a.log.Projection()
	if steer && a.steerable() {
		return a.splice(session.InboxSpliced{Target: session.InboxNextStep, Start: len(p.InboxNextStep), Inserted: []session.Message{m}})
	}
	if err := a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: len(p.Inbox), Inserted: []session.Message{m}}); err != nil {
		return err
	}
	// While a cancelled turn unwinds this is the latch that its driver sees when it is
	// done; a second driver never starts before the first has ended.
	a.parked = false
	a.wake()
	return nil
}

// wake starts the driver unless it runs; called with mu held.
func (a *Agent) wake() {
	if a.running {
		return
	}
	a.running = true
	a.idle = make(chan struct{})
	a.host.active()
	a.host.changed(Change{Kind: Status, Agent: a, Running: true})
	go a.drive()
}

// Cancel ends the running turn, or compaction, and returns when it has ended. The inbox
// is kept and waits for the next Prompt; a compaction that has not begun is called off. Without a running turn it does nothing.
func (a *Agent) Cancel(ctx context.Context) error { return a.abort(ctx, session.AbortUser) }

func (a *Agent) abort(ctx context.Context, by string) error {
	a.mu.Lock()
	t := a.turn
	if a.running {
		a.parked, a.compact = true, false
	}
	a.mu.Unlock()
	if t == nil {
		return nil
	}
	t.cancel(aborted{by})
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("agent: cancelling the turn of session %s: %w", a.log.ID(), ctx.Err())
	}
}

// Running tells whether the agent works: from the prompt that woke it until everything
// is done and durable.
func (a *Agent) Running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running
}

// WhenIdle returns once the agent is idle, no call for a title is under way, and its log
// is durable. The error is ctx's, or why the log could not be stored.
func (a *Agent) WhenIdle(ctx context.Context) error {
	for {
		a.mu.Lock()
		running, over := a.running, a.idle
		if !running {
			over = a.naming
		}
		a.mu.Unlock()
		if !running && isOver(over) {
			return a.writer.Flush(ctx) // once more when the turn's end could not be stored: it may be now
		}
		select {
		case <-over:
		case <-ctx.Done():
			return fmt.Errorf("agent: waiting for session %s to be idle: %w", a.log.ID(), ctx.Err())
		}
	}
}

func isOver(over chan struct{}) bool {
	if over == nil {
		return true
	}
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// SelectModel chooses the model for the next step on. ErrModelUnavailable when no
// registered provider has it.
func (a *Agent) SelectModel(provider, model string) error {
	target, err := a.host.resolve(provider, model)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chosen = target
	return nil
}

// Model is the model that the next step will use.
func (a *Agent) Model() session.ModelTarget {
	a.mu.Lock()
	chosen := a.chosen
	a.mu.Unlock()
	if chosen != (session.ModelTarget{}) {
		return chosen
	}
	if logged := a.log.Projection().Model; logged != (session.ModelTarget{}) {
		return logged
	}
	return a.host.o.Default
}

// drive runs turns, and compactions between them, until there is nothing to run. It is the only goroutine that runs
// turns, and close waits for it.
func (a *Agent) drive() {
	var stored error
	for {
		t := a.nextTurn()
		if t == nil {
			if a.becomeIdle(stored) {
				return
			}
			continue
		}
		broken := t.perform()
		// A turn is over when it is durable. Without that the inbox is not drained into
		// turns that would fail the same way.
		stored = a.writer.Flush(context.Background())
		a.endTurn(t, broken || stored != nil)
	}
}

// nextTurn is what the driver does next: a turn, or a compaction that was asked for
// between turns, which comes first.
func (a *Agent) nextTurn() *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.runnable() {
		return nil
	}
	a.turn = newTurn(a)
	a.turn.compacts = a.compact
	return a.turn
}

// runnable is called with mu held.
func (a *Agent) runnable() bool {
	return !a.closed && (a.compact || !a.parked && len(a.log.Projection().Inbox) > 0)
}

func (a *Agent) endTurn(t *turn, park bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if park {
		a.parked = true
	}
	a.turn = nil
	t.cancel(nil) // releases the context
	close(t.ended)
}

// noticed is called by the writer: storing the log began to fail, or works again (nil).
func (a *Agent) noticed(trouble *persistence.Trouble) {
	a.host.observing.Lock()
	defer a.host.observing.Unlock()
	a.trouble = trouble
	if a.announced {
		a.host.tell(Change{Kind: Storage, Agent: a, Trouble: trouble})
	}
}

// becomeIdle is false when a prompt came in meanwhile; err is why the last turn is not
// durable.
func (a *Agent) becomeIdle(err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runnable() {
		return false
	}
	if err != nil {
		a.host.o.Logger.Error("the session could not be stored", "session", a.log.ID(), "error", err)
	}
	a.running = false
	a.host.changed(Change{Kind: Status, Agent: a, Running: false})
	close(a.idle)
	return true
}

// close aborts what runs, waits for it and stores everything.
func (a *Agent) close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	idle, naming := a.idle, a.naming
	a.mu.Unlock()
	problem := a.abort(ctx, session.AbortDisposed)
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			problem = errors.Join(problem, fmt.Errorf("agent: closing session %s: still running: %w", a.log.ID(), ctx.Err()))
		}
	}
	a.end()
	if !isOver(naming) {
		select {
		case <-naming:
		case <-ctx.Done():
			problem = errors.Join(problem, fmt.Errorf("agent: closing session %s: a title is still being asked for: %w", a.log.ID(), ctx.Err()))
		}
	}
	return errors.Join(problem, a.writer.Close(ctx))
}
