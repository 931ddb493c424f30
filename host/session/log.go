package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"keylane/host/clock"
)

// ErrReentrant is what Append returns to an observer that tries to append from inside its notification: to its own log always, to another
// one when that is busy, because two logs whose observers append to each other would wait for ever.
var ErrReentrant = errors.New("session: an observer may not append")

// Log is the event sequence of a live session. It only grows. Every method is safe for concurrent use.
type Log struct {
	header Header
	clock  clock.Clock

	// appending is held from the check of an event to the end of its notification, so that observers see events in order.
	appending sync.Mutex
	// mu guards what is below. It is never held while an observer runs.
	mu        sync.RWMutex
	events    []Event
	surface   *surface
	projector *projector
	observers []*observer // only ever appended to, or replaced: whoever took the slice may go through it without mu
}

type observer struct{ notify func(Event) }

// NewLog makes the log of a new session (no seed) or of one that was loaded or inherited. The seed is validated as Validate does; its
// events are shared, not copied. After a seed that does not end with one, a session/end-seed event marks where this life starts.
func NewLog(h Header, seed []Event, c clock.Clock) (*Log, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	log := &Log{header: h, clock: c, surface: newSurface(), projector: newProjector(h)}
	for i, e := range seed {
		if err := log.admit(e, int64(i)); err != nil {
			return nil, fmt.Errorf("session: seed of %q: %w", h.ID, err)
		}
	}
	if n := len(seed); n > 0 && seed[n-1].Type != TypeEndSeed {
		if _, err := log.Append(TypeEndSeed, EndSeed{}); err != nil {
			return nil, err
		}
	}
	return log, nil
}

// Header is the session's header.
func (l *Log) Header() Header { return l.header }

// ID is the session's id.
func (l *Log) ID() string { return l.header.ID }

// Len is the number of events, which is also the next event's seq.
func (l *Log) Len() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return int64(len(l.events))
}

// AppendOption adds to the envelope of an appended event.
type AppendOption func(*Event)

// WithSurfaceAppend puts the event's message at the end of the history. Every message needs this or WithReplace.
func WithSurfaceAppend() AppendOption { return func(e *Event) { e.SurfaceOp = &SurfaceOp{} } }

// WithReplace puts the event's message in the place of the history's nodes from seq start through seq end.
func WithReplace(start, end int64) AppendOption {
	return func(e *Event) { e.SurfaceOp = &SurfaceOp{Replace: true, Start: start, End: end} }
}

// WithSources names the events a message was made from; without arguments it says that there are none.
func WithSources(seqs ...int64) AppendOption {
	return func(e *Event) { e.SourceEventSeqs, e.HasSources = append([]int64{}, seqs...), true }
}

// WithIgnorable lets readers that do not know the type skip the event.
func WithIgnorable() AppendOption { return func(e *Event) { e.Ignorable = true } }

// Append adds one event at the clock's time and notifies the observers before it returns. Data is encoded at once, so the caller may change
// it afterwards; json.RawMessage is taken as JSON. On an error nothing was added. After the event is in the log nothing can fail.
func (l *Log) Append(typ string, data any, options ...AppendOption) (Event, error) {
	text, err := snapshot(data)
	if err != nil {
		return Event{}, fmt.Errorf("session: append %s: %w", typ, err)
	}
	if !l.appending.TryLock() {
		if observing() {
			return Event{}, fmt.Errorf("session: append %s: %w", typ, ErrReentrant)
		}
		l.appending.Lock()
	}
	defer l.appending.Unlock()
	e := Event{Type: typ, Time: l.clock.Now().UnixMilli(), Data: text}
	for _, option := range options {
		option(&e)
	}
	e.Seq = l.Len()
	if err := l.admit(e, e.Seq); err != nil {
		return Event{}, fmt.Errorf("session: append %s: %w", typ, err)
	}
	l.dispatch(e)
	return e, nil
}

func snapshot(data any) (json.RawMessage, error) {
	text, err := marshalPlain(data)
	if err != nil {
		return nil, err
	}
	return text, checkLossless(text, MaxDepth)
}

// admit checks an event and adds it.
func (l *Log) admit(e Event, seq int64) error {
	if err := checkEnvelope(e, seq); err != nil {
		return err
	}
	made, err := l.surface.check(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.surface.add(e, made)
	l.projector.add(e)
	return nil
}

// dispatch notifies the observers. Its frame on the stack is what observing looks for.
//
//go:noinline
func (l *Log) dispatch(e Event) {
	l.mu.RLock()
	observers := l.observers
	l.mu.RUnlock()
	for _, o := range observers {
		o.notify(e)
	}
}

// Observe calls notify for every event appended from now on, in order, inside Append and after the event is in the log. notify must be quick,
// may read the log, and must neither append to a log (ErrReentrant) nor wait for somebody who does. dispose ends it; a notification that is under
// way may still finish.
func (l *Log) Observe(notify func(Event)) (dispose func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := &observer{notify}
	l.observers = append(l.observers, added)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.observers = slices.DeleteFunc(slices.Clone(l.observers), func(o *observer) bool { return o == added })
	}
}

// Events is a copy of the events with seq in [from,to); to < 0 means the end. Bounds outside the log are moved to its ends. The Data of
// the events is shared.
func (l *Log) Events(from, to int64) []Event {
	l.mu.RLock()
	defer l.mu.RUnlock()
	end := int64(len(l.events))
	if to < 0 || to > end {
		to = end
	}
	from = max(from, 0)
	if from >= to {
		return nil
	}
	return slices.Clone(l.events[from:to])
}

// History is the model-facing history: the surface nodes' messages in order. Treat the messages as frozen.
func (l *Log) History() ([]Message, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.surface.history(), nil
}

// Surface is the history node by node; it has the assistant messages that say nothing, too, which History leaves out.
func (l *Log) Surface() []Node {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.surface.public()
}

// Projection is what the events so far amount to; see Project.
func (l *Log) Projection() Projection {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.projector.snapshot()
}
