package approval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"keylane/host/composition"
)

// Service is the host's desk.
var Service = composition.NewService[*Desk]("approval")

// ErrNotPending: no call waits for this decision, or no longer.
var ErrNotPending = errors.New("the approval is not pending")

// Request is a call that waits.
type Request struct {
	ID        string // names the wait; a decision refers to it
	SessionID string
	CallID    string
	ToolName  string
	Scope     string          // what AllowedSession covers
	View      json.RawMessage // what the call would do, for the page; JSON or nil
}

// Change tells of a call that begins (Pending) or ceases to wait.
type Change struct {
	Request Request
	Outcome Outcome
}

// Desk holds what waits. It is safe for concurrent use.
type Desk struct {
	standard Mode

	mu        sync.Mutex // guards what is below
	waiting   []*wait    // oldest first
	observers []*observer

	telling sync.Mutex // held while observers run, which keeps changes in order; taken before mu
}

type wait struct {
	request Request
	decided chan Outcome // takes one
}

type observer struct{ notify func(Change) }

// NewDesk makes a desk where nothing waits; standard is the mode of sessions that have none of their own.
func NewDesk(standard Mode) *Desk { return &Desk{standard: standard} }

// Standard is the mode of sessions that have none of their own.
func (d *Desk) Standard() Mode { return d.standard }

// Observe has f called for every change, in order, until dispose. First come, as Pending, the calls that wait already. F must not block
// and must not call the desk.
func (d *Desk) Observe(f func(Change)) (dispose func()) {
	o := &observer{f}
	d.telling.Lock()
	defer d.telling.Unlock()
	d.mu.Lock()
	d.observers = append(d.observers, o)
	waiting := slices.Clone(d.waiting)
	d.mu.Unlock()
	for _, w := range waiting {
		f(Change{w.request, Pending})
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.observers = slices.DeleteFunc(d.observers, func(other *observer) bool { return other == o })
	}
}

// Wait returns the decision about r, or Cancelled when ctx ends first.
func (d *Desk) Wait(ctx context.Context, r Request) Outcome {
	w := &wait{r, make(chan Outcome, 1)}
	d.change(Change{r, Pending}, func() bool { d.waiting = append(d.waiting, w); return true })
	select {
	case o := <-w.decided:
		return o
	case <-ctx.Done():
	}
	if d.change(Change{r, Cancelled}, func() bool { return d.remove(w) }) {
		return Cancelled
	}
	return <-w.decided // a decision came in the same moment
}

// Decide ends the wait of what waits under id in a session, or gives ErrNotPending.
func (d *Desk) Decide(id, sessionID string, o Outcome) error {
	for _, w := range d.of(sessionID) {
		if w.request.ID == id {
			return d.settle(w, o)
		}
	}
	return ErrNotPending
}

// DecideAll ends whatever waits in a session.
func (d *Desk) DecideAll(sessionID string, o Outcome) {
	for _, w := range d.of(sessionID) {
		_ = d.settle(w, o) // somebody else may have been faster: then it is decided as well
	}
}

// settle tells the observers before whoever waits goes on: what follows a decision follows its change.
func (d *Desk) settle(w *wait, o Outcome) error {
	if !d.change(Change{w.request, o}, func() bool { return d.remove(w) }) {
		return ErrNotPending
	}
	w.decided <- o
	return nil
}

func (d *Desk) of(sessionID string) []*wait {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []*wait
	for _, w := range d.waiting {
		if w.request.SessionID == sessionID {
			found = append(found, w)
		}
	}
	return found
}

// remove is called with mu held; false when somebody else was faster.
func (d *Desk) remove(w *wait) bool {
	at := slices.Index(d.waiting, w)
	if at < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, at, at+1)
	return true
}

// change does something to what waits and, when that was possible, tells of it.
func (d *Desk) change(c Change, do func() bool) bool {
	d.telling.Lock()
	defer d.telling.Unlock()
	d.mu.Lock()
	done := do()
	observers := slices.Clone(d.observers)
	d.mu.Unlock()
	if done {
		for _, o := range observers {
			o.notify(c)
		}
	}
	return done
}
