package askuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"keylane/host/clock"
	"keylane/host/composition"
)

// Service is the host's desk.
var Service = composition.NewService[*Desk]("questions")

// Errors that callers branch on.
var (
	// ErrNotPending: nobody waits for this answer, or no longer.
	ErrNotPending = errors.New("the question is not pending")
	// ErrInvalid: the answer does not fit its questions.
	ErrInvalid = errors.New("the answer does not fit the questions")
	// ErrDismissed: the person does not want to answer.
	ErrDismissed = errors.New("the person dismissed the questions")
)

// Question is one thing to ask. Without options only words of one's own can answer it.
type Question struct {
	ID          string   `json:"id"` // unique among the questions of one call
	Question    string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Options     []Option `json:"options,omitempty"`
	MultiSelect bool     `json:"multiSelect,omitempty"`
}

// Option is one answer to choose. Labels are unique within a question.
type Option struct {
	Label       string `json:"label" schema:"required,min=1" about:"The answer, in a few words"`
	Description string `json:"description,omitempty" about:"What choosing it means"`
}

// Answer is the answer to one question.
type Answer struct {
	ID       string   `json:"id"`
	Selected []string `json:"selected"` // labels; never null
	Custom   string   `json:"custom,omitempty"`
}

// Pending is a call's questions while they wait.
type Pending struct {
	ID        string // names the wait; an answer refers to it
	SessionID string
	CallID    string
	Questions []Question
}

// Outcomes of a Change.
const (
	Asked     = ""          // it waits from now on
	Answered  = "answered"  // the person answered
	Cancelled = "cancelled" // the person dismissed it, or the turn was aborted
)

// Change tells of questions that begin or cease to wait.
type Change struct {
	Pending Pending
	Outcome string
}

// Desk holds what waits. It is safe for concurrent use.
type Desk struct {
	clock clock.Clock

	mu        sync.Mutex // guards what is below
	waiting   []*wait    // oldest first
	observers []*observer

	telling sync.Mutex // held while observers run, which keeps changes in order; taken before mu
}

type wait struct {
	pending Pending
	settled chan settlement // takes one
}

type settlement struct {
	answers []Answer
	err     error
}

type observer struct{ notify func(Change) }

// NewDesk makes a desk where nothing waits.
func NewDesk(c clock.Clock) *Desk { return &Desk{clock: c} }

// Observe has f called for every change, in order, until dispose. First come, as Asked, the questions that wait already. F must not
// block and must not call the desk.
func (d *Desk) Observe(f func(Change)) (dispose func()) {
	o := &observer{f}
	d.telling.Lock()
	defer d.telling.Unlock()
	d.mu.Lock()
	d.observers = append(d.observers, o)
	waiting := slices.Clone(d.waiting)
	d.mu.Unlock()
	for _, w := range waiting {
		f(Change{w.pending, Asked})
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.observers = slices.DeleteFunc(d.observers, func(other *observer) bool { return other == o })
	}
}

// Ask waits for the answers to a call's questions: ErrDismissed when the person does not want to, ctx's error when it ends first.
func (d *Desk) Ask(ctx context.Context, sessionID, callID string, questions []Question) ([]Answer, error) {
	w := &wait{Pending{d.clock.NewID(), sessionID, callID, questions}, make(chan settlement, 1)}
	d.change(Change{w.pending, Asked}, func() bool { d.waiting = append(d.waiting, w); return true })
	select {
	case s := <-w.settled:
		return s.answers, s.err
	case <-ctx.Done():
	}
	if d.change(Change{w.pending, Cancelled}, func() bool { return d.remove(w) }) {
		return nil, ctx.Err()
	}
	s := <-w.settled // an answer came in the same moment
	return s.answers, s.err
}

// Answer brings the answers to what waits under id in a session: ErrNotPending, or ErrInvalid with what does not fit.
func (d *Desk) Answer(id, sessionID string, answers []Answer) error {
	w := d.find(id)
	if w == nil || w.pending.SessionID != sessionID {
		return ErrNotPending
	}
	if err := check(w.pending.Questions, answers); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	answers = slices.Clone(answers)
	for i := range answers {
		if answers[i].Selected == nil {
			answers[i].Selected = []string{}
		}
	}
	return d.settle(w, settlement{answers: answers}, Answered)
}

// Dismiss takes what waits under id away unanswered, or gives ErrNotPending.
func (d *Desk) Dismiss(id string) error {
	w := d.find(id)
	if w == nil {
		return ErrNotPending
	}
	return d.settle(w, settlement{err: ErrDismissed}, Cancelled)
}

// settle tells the observers before whoever asked goes on: what follows an answer follows its change.
func (d *Desk) settle(w *wait, s settlement, outcome string) error {
	if !d.change(Change{w.pending, outcome}, func() bool { return d.remove(w) }) {
		return ErrNotPending
	}
	w.settled <- s
	return nil
}

func (d *Desk) find(id string) *wait {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.waiting {
		if w.pending.ID == id {
			return w
		}
	}
	return nil
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

// check holds answers against their questions.
func check(questions []Question, answers []Answer) error {
	if len(answers) != len(questions) {
		return fmt.Errorf("%d answers to %d questions", len(answers), len(questions))
	}
	for i, q := range questions {
		if err := q.check(answers[i]); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
	}
	return nil
}

func (q Question) check(a Answer) error {
	switch {
	case a.ID != q.ID:
		return fmt.Errorf("it is for question %q, not %q", a.ID, q.ID)
	case a.Custom != "" && strings.TrimSpace(a.Custom) == "":
		return errors.New("its own words say nothing")
	case !q.MultiSelect && len(a.Selected) > 1:
		return errors.New("only one option can be selected")
	case !q.MultiSelect && len(a.Selected) == 1 && a.Custom != "":
		return errors.New("it has an option and words of its own; one of them is wanted")
	}
	for i, label := range a.Selected {
		if !slices.ContainsFunc(q.Options, func(o Option) bool { return o.Label == label }) {
			return fmt.Errorf("there is no option %q", label)
		}
		if slices.Contains(a.Selected[:i], label) {
			return fmt.Errorf("the option %q is selected twice", label)
		}
	}
	return nil
}
