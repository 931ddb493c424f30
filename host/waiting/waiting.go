// Package waiting is where something in the host waits for the person: a tool call for leave, questions for their
// answers. Whoever asks blocks in Wait until an answer is brought to Settle, or until its context ends; observers are told
// when each wait begins and how it ends, in order, and before whoever waited goes on.
//
// A Desk knows what waits, and not what it means: what a request holds, which answers fit it and what an outcome is called say
// the packages that have a desk, approval and tool/askuser.
package waiting

import (
	"context"
	"slices"
	"sync"
)

// Request is what waits. Its values do not change while it does.
type Request interface {
	// WaitID names the wait among all; an answer refers to it.
	WaitID() string
	// WaitSession is the session whose turn waits.
	WaitSession() string
}

// Change tells of a request that begins to wait, with the zero Outcome, or ceases to.
type Change[R Request, O any] struct {
	Request R
	Outcome O
}

// Desk holds what waits: requests R, for answers A, which end with outcomes O. It is safe for concurrent use; the
// zero value is a desk where nothing waits.
type Desk[R Request, A, O any] struct {
	mu        sync.Mutex    // guards what is below
	waiting   []*wait[R, A] // oldest first
	observers []*observer[R, O]

	telling sync.Mutex // held while observers run, which keeps changes in order; taken before mu
}

type wait[R Request, A any] struct {
	request  R
	answered chan A // takes one
}

type observer[R Request, O any] struct{ notify func(Change[R, O]) }

// Observe has f called for every change, in order, until dispose. First come, as changes that begin, the requests
// that wait already. F must not block and must not call the desk.
func (d *Desk[R, A, O]) Observe(f func(Change[R, O])) (dispose func()) {
	o := &observer[R, O]{f}
	d.telling.Lock()
	defer d.telling.Unlock()
	d.mu.Lock()
	d.observers = append(d.observers, o)
	waiting := slices.Clone(d.waiting)
	d.mu.Unlock()
	for _, w := range waiting {
		f(Change[R, O]{Request: w.request})
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.observers = slices.DeleteFunc(d.observers, func(other *observer[R, O]) bool { return other == o })
	}
}

// Wait returns the answer to r. It is false when ctx ends first: then r ends with the outcome withdrawn.
func (d *Desk[R, A, O]) Wait(ctx context.Context, r R, withdrawn O) (answer A, answered bool) {
	w := &wait[R, A]{r, make(chan A, 1)}
	d.change(Change[R, O]{Request: r}, func() bool { d.waiting = append(d.waiting, w); return true })
	select {
	case answer = <-w.answered:
		return answer, true
	case <-ctx.Done():
	}
	if d.change(Change[R, O]{r, withdrawn}, func() bool { return d.remove(w) }) {
		return answer, false
	}
	return <-w.answered, true // an answer came in the same moment
}

// Find returns what waits under id.
func (d *Desk[R, A, O]) Find(id string) (r R, waits bool) {
	if w := d.find(id); w != nil {
		return w.request, true
	}
	return r, false
}

// Of returns what waits in a session, oldest first.
func (d *Desk[R, A, O]) Of(sessionID string) []R {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []R
	for _, w := range d.waiting {
		if w.request.WaitSession() == sessionID {
			found = append(found, w.request)
		}
	}
	return found
}

// Settle brings the answer to what waits under id, which ends with outcome. It is false when nothing does, or no
// longer. Observers are told before whoever waits goes on: what follows an answer follows its change.
func (d *Desk[R, A, O]) Settle(id string, answer A, outcome O) bool {
	w := d.find(id)
	if w == nil || !d.change(Change[R, O]{w.request, outcome}, func() bool { return d.remove(w) }) {
		return false
	}
	w.answered <- answer
	return true
}

func (d *Desk[R, A, O]) find(id string) *wait[R, A] {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.waiting {
		if w.request.WaitID() == id {
			return w
		}
	}
	return nil
}

// remove is called with mu held; false when somebody else was faster.
func (d *Desk[R, A, O]) remove(w *wait[R, A]) bool {
	at := slices.Index(d.waiting, w)
	if at < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, at, at+1)
	return true
}

// change does something to what waits and, when that was possible, tells of it.
func (d *Desk[R, A, O]) change(c Change[R, O], do func() bool) bool {
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
