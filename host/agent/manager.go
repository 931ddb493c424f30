package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/prompt"
	"keylane/host/session"
	"keylane/host/title"
	"keylane/host/tool"
)

// CreateOptions of a new session.
type CreateOptions struct {
	// SessionID is the id to use; empty makes a fresh one.
	SessionID string
	// Cwd is the working directory, absolute; it must exist when a tool runs.
	Cwd string
	// Provider and Model choose the model. Both empty follow the default; without Model
	// it is the provider's first.
	Provider, Model string
	// Mode is what a session that is new may do; empty follows the host. One that exists keeps its own.
	Mode approval.Mode
}

// Manager owns the attached sessions' agents. It is safe for concurrent use.
type Manager interface {
	// Create makes a session and attaches it. A session of the same id and Cwd that exists
	// is returned, attached; with another Cwd it is ErrConflict. A model nobody offers is
	// ErrModelUnavailable. Nothing is on disk before the first event.
	Create(ctx context.Context, o CreateOptions) (*Agent, error)
	// Open returns the attached agent of the session, or resumes it from the store: an
	// open turn is closed, session/end-seed appended, and an inbox found in the log
	// waits for the next prompt. Unknown ids give persistence.ErrNotFound, a session that another host has open
	// persistence.ErrLocked, a damaged one a *persistence.Damage.
	Open(ctx context.Context, id string) (*Agent, error)
	// Fork makes a session that begins as a copy of another one, up to the end of the turn that holds event atSeq; negative: the last
	// completed one. session.ErrForkUnavailable when that turn is not completed.
	Fork(ctx context.Context, id string, atSeq int64) (*Agent, error)
	// Delete ends a session if it is attached, and removes its log for good. Unknown ids give persistence.ErrNotFound, one that
	// another host has open persistence.ErrLocked.
	Delete(ctx context.Context, id string) error
	// Attached returns the attached agents, oldest attachment first.
	Attached() []*Agent
	// Get returns an attached agent.
	Get(id string) (*Agent, bool)
	// WhenIdle returns once every attached agent is idle at one moment with everything
	// durable; an agent that could not store its log makes it fail.
	WhenIdle(ctx context.Context) error
	// OnChange has f called for every change, in order per session, until dispose. f must
	// not block and must not call the manager or the agent's own methods other than Log.
	OnChange(f func(Change)) (dispose func())
	// SetCompaction has histories shortened from now on, until dispose is called, which may be more than once. A second
	// config at the same time is an error.
	SetCompaction(c compaction.Config) (dispose func(), err error)
	// DefaultModel is what a session without a choice of its own uses.
	DefaultModel() session.ModelTarget
	// Close aborts what runs (reason disposed), waits for it, and stores everything. Later
	// calls give ErrClosed.
	Close(ctx context.Context) error
}

// Kinds of Change.
const (
	Added   = "added"   // the session is attached; nothing was appended since
	Status  = "status"  // Running changed
	Storage = "storage" // Trouble changed: the log cannot be stored for now, or is stored again
	Removed = "removed" // the session is not attached any more, and about to be deleted
)

// Change tells what happened to an agent.
type Change struct {
	Kind    string
	Agent   *Agent
	Running bool
	Trouble *persistence.Trouble // nil: everything that was logged is, or will be, stored
}

// Options of a manager; all but MaxSteps, Writing and ParallelCalls are required.
type Options struct {
	Store  persistence.Store
	Models *llm.Registry
	Tools  *tool.Registry
	Prompt *prompt.Writer
	// Approvals is where calls wait for the person's leave, and the mode of sessions that chose none.
	Approvals *approval.Desk
	// Titles is how sessions are named.
	Titles  *title.Namer
	Clock   clock.Clock
	Logger  *slog.Logger
	Default session.ModelTarget
	// MaxSteps bounds the steps of one turn; 0 does not.
	MaxSteps int
	// Writing are the options of the sessions' writers.
	Writing []persistence.Option
	// ParallelCalls bounds how many tool calls of one step run side by side; 0 is
	// DefaultParallelCalls, 1 runs one after the other.
	ParallelCalls int
}

// DefaultParallelCalls is how many tool calls of one step run side by side.
const DefaultParallelCalls = 10

func (o Options) parallelCalls() int {
	if o.ParallelCalls <= 0 {
		return DefaultParallelCalls
	}
	return o.ParallelCalls
}

// New makes a manager with nothing attached.
func New(o Options) Manager {
	return &manager{o: o, attached: map[string]*Agent{}, opening: map[string]chan struct{}{}}
}

type manager struct {
	o Options

	mu       sync.Mutex // guards what is below; never held while an agent's mu is taken
	attached map[string]*Agent
	order    []*Agent
	opening  map[string]chan struct{} // closed when the attempt is over
	closed   bool
	shortens *compaction.Config           // nil: histories are not shortened
	warned   map[session.ModelTarget]bool // that nobody knows what they take
	awakened uint64                       // how often an agent stopped being idle

	observing sync.Mutex // guards observers; held while they run, which keeps changes in order
	observers []*observer
}

type observer struct{ notify func(Change) }

func (m *manager) DefaultModel() session.ModelTarget { return m.o.Default }

func (m *manager) Create(ctx context.Context, o CreateOptions) (*Agent, error) {
	if !filepath.IsAbs(o.Cwd) {
		return nil, fmt.Errorf("agent: creating a session: the working directory %q is not absolute", o.Cwd)
	}
	var chosen session.ModelTarget
	if o.Provider != "" || o.Model != "" {
		var err error
		if chosen, err = m.resolve(o.Provider, o.Model); err != nil {
			return nil, err
		}
	}
	id := o.SessionID
	if id == "" {
		id = "session-" + m.o.Clock.NewID()
	}
	a, err := m.attach(ctx, id, func() (*Agent, error) {
		_, err := m.o.Store.Length(ctx, id)
		switch {
		case err == nil:
			return m.resume(ctx, id, o.Cwd)
		case !errors.Is(err, persistence.ErrNotFound):
			return nil, err
		}
		log, err := session.NewLog(session.Header{ID: id, CreatedAt: m.o.Clock.Now().UnixMilli(), Cwd: o.Cwd}, nil, m.o.Clock)
		if err != nil {
			return nil, err
		}
		created, err := m.adopt(log, chosen)
		if err != nil || o.Mode == "" {
			return created, err
		}
		if err := created.logMode(o.Mode); err != nil {
			return nil, errors.Join(err, created.writer.Close(context.WithoutCancel(ctx)))
		}
		return created, nil
	})
	if err != nil {
		return nil, fmt.Errorf("agent: creating session %s: %w", id, err)
	}
	if have := a.log.Header().Cwd; have != o.Cwd {
		return nil, fmt.Errorf("agent: creating session %s: %w: %s", id, ErrConflict, have)
	}
	return a, nil
}

func (m *manager) Open(ctx context.Context, id string) (*Agent, error) {
	a, err := m.attach(ctx, id, func() (*Agent, error) { return m.resume(ctx, id, "") })
	if err != nil {
		return nil, fmt.Errorf("agent: opening session %s: %w", id, err)
	}
	return a, nil
}

// resume loads a session; a cwd that is not empty must be its working directory.
func (m *manager) resume(ctx context.Context, id, cwd string) (*Agent, error) {
	header, events, err := m.o.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	log, err := session.NewLog(header, events, m.o.Clock)
	if cwd != "" && cwd != header.Cwd {
		err = fmt.Errorf("%w: %s", ErrConflict, header.Cwd)
	}
	if err != nil {
		return nil, errors.Join(err, m.o.Store.Release(context.WithoutCancel(ctx), id))
	}
	return m.adopt(log, session.ModelTarget{})
}

func (m *manager) adopt(log *session.Log, chosen session.ModelTarget) (*Agent, error) {
	a, err := newAgent(m, log, chosen)
	if err == nil {
		a.writer, err = persistence.Attach(m.o.Store, log, m.o.Clock, m.o.Logger, append(slices.Clone(m.o.Writing), persistence.WithNotice(a.noticed))...)
	}
	if err != nil {
		if a != nil {
			a.end()
		}
		return nil, errors.Join(err, m.o.Store.Release(context.Background(), log.ID()))
	}
	return a, nil
}

// attach returns the attached agent or the one made, with one attempt per id at a time.
func (m *manager) attach(ctx context.Context, id string, open func() (*Agent, error)) (*Agent, error) {
	for {
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return nil, ErrClosed
		}
		if a := m.attached[id]; a != nil {
			m.mu.Unlock()
			return a, nil
		}
		other := m.opening[id]
		if other == nil {
			break
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	over := make(chan struct{})
	m.opening[id] = over
	m.mu.Unlock()
	a, err := open()
	if err == nil {
		// It is announced before anybody can have it, so nothing happens unannounced.
		m.announce(a)
	}
	m.mu.Lock()
	delete(m.opening, id)
	closed := m.closed
	if err == nil && !closed {
		m.attached[id] = a
		m.order = append(m.order, a)
	}
	m.mu.Unlock()
	defer close(over)
	if err == nil && closed {
		return nil, errors.Join(ErrClosed, a.close(ctx))
	}
	return a, err
}

func (m *manager) Attached() []*Agent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.order)
}

func (m *manager) Get(id string) (*Agent, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.attached[id]
	return a, ok
}

func (m *manager) WhenIdle(ctx context.Context) error {
	for {
		before := m.awakenings()
		for _, a := range m.Attached() {
			if err := a.WhenIdle(ctx); err != nil {
				return err
			}
		}
		// Nobody woke up meanwhile: so all were idle when the last one was.
		if m.awakenings() == before {
			return nil
		}
	}
}

func (m *manager) awakenings() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.awakened
}

// active is called by an agent that stops being idle.
func (m *manager) active() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.awakened++
}

func (m *manager) OnChange(f func(Change)) (dispose func()) {
	o := &observer{f}
	m.observing.Lock()
	defer m.observing.Unlock()
	m.observers = append(m.observers, o)
	return func() {
		m.observing.Lock()
		defer m.observing.Unlock()
		m.observers = slices.DeleteFunc(m.observers, func(other *observer) bool { return other == o })
	}
}

func (m *manager) changed(c Change) {
	m.observing.Lock()
	defer m.observing.Unlock()
	m.tell(c)
}

// announce tells of a new agent, and of the trouble that storing its log may have had already.
func (m *manager) announce(a *Agent) {
	m.observing.Lock()
	defer m.observing.Unlock()
	a.announced = true
	m.tell(Change{Kind: Added, Agent: a})
	if a.trouble != nil {
		m.tell(Change{Kind: Storage, Agent: a, Trouble: a.trouble})
	}
}

// tell is called with observing held.
func (m *manager) tell(c Change) {
	for _, o := range m.observers {
		o.notify(c)
	}
}

func (m *manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	opening := slices.Collect(maps.Values(m.opening))
	m.mu.Unlock()
	for _, over := range opening {
		select {
		case <-over: // whoever opened it found the manager closed and closed it again, or attached it just before
		case <-ctx.Done():
			return fmt.Errorf("agent: closing: a session is still being opened: %w", ctx.Err())
		}
	}
	agents := m.Attached()
	problems := make([]error, len(agents))
	var all sync.WaitGroup
	for i, a := range agents {
		all.Go(func() { problems[i] = a.close(ctx) })
	}
	all.Wait()
	return errors.Join(problems...)
}

// resolve checks that a registered provider has the model.
func (m *manager) resolve(provider, model string) (session.ModelTarget, error) {
	adapter, ok := m.o.Models.Lookup(provider)
	if !ok {
		return session.ModelTarget{}, fmt.Errorf("agent: model %q of provider %q: %w: there is no such provider", model, provider, ErrModelUnavailable)
	}
	models := adapter.Info().Models
	if model == "" && len(models) > 0 {
		model = models[0].ID
	}
	if _, ok := findModel(models, model); !ok {
		return session.ModelTarget{}, fmt.Errorf("agent: model %q of provider %q: %w", model, provider, ErrModelUnavailable)
	}
	return session.ModelTarget{Provider: provider, Model: model}, nil
}

// describe returns the catalogue's entry of a model, or a bare one when there is none.
func (m *manager) describe(target session.ModelTarget) llm.ModelInfo {
	if adapter, ok := m.o.Models.Lookup(target.Provider); ok {
		if info, ok := findModel(adapter.Info().Models, target.Model); ok {
			return info
		}
	}
	return llm.ModelInfo{ID: target.Model, Name: target.Model}
}

func findModel(models []llm.ModelInfo, id string) (llm.ModelInfo, bool) {
	for _, info := range models {
		if info.ID == id {
			return info, true
		}
	}
	return llm.ModelInfo{}, false
}
