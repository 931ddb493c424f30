package askuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/waiting"
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

// Outcome of questions; a value of the wire.
type Outcome string

// Outcomes of a Change. Asked is none: it waits from now on.
const (
	Asked     Outcome = ""
	Answered  Outcome = "answered"  // the person answered
	Cancelled Outcome = "cancelled" // the person dismissed it, or the turn was aborted
)

// WaitID and WaitSession are what the desk knows questions by.
func (p Pending) WaitID() string      { return p.ID }
func (p Pending) WaitSession() string { return p.SessionID }

// Change tells of questions that begin (Asked) or cease to wait.
type Change = waiting.Change[Pending, Outcome]

// Desk holds the questions that wait. It is safe for concurrent use.
type Desk struct {
	clock   clock.Clock
	waiting waiting.Desk[Pending, settlement, Outcome]
}

// settlement is how a wait ends: with answers, or with ErrDismissed.
type settlement struct {
	answers []Answer
	err     error
}

// NewDesk makes a desk where nothing waits.
func NewDesk(c clock.Clock) *Desk { return &Desk{clock: c} }

// Observe is waiting.Desk's: f is called for every change, in order, until dispose, and first for the questions that wait already.
func (d *Desk) Observe(f func(Change)) (dispose func()) { return d.waiting.Observe(f) }

// Ask waits for the answers to a call's questions. ErrDismissed when the person does not want to, or ctx's error when it ends first.
func (d *Desk) Ask(ctx context.Context, sessionID, callID string, questions []Question) ([]Answer, error) {
	s, settled := d.waiting.Wait(ctx, Pending{d.clock.NewID(), sessionID, callID, questions}, Cancelled)
	if !settled {
		return nil, ctx.Err()
	}
	return s.answers, s.err
}

// Answer brings the answers to what waits under id in a session: ErrNotPending, or ErrInvalid with what does not fit.
func (d *Desk) Answer(id, sessionID string, answers []Answer) error {
	p, waits := d.waiting.Find(id)
	if !waits || p.SessionID != sessionID {
		return ErrNotPending
	}
	if err := check(p.Questions, answers); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	answers = slices.Clone(answers)
	for i := range answers {
		if answers[i].Selected == nil {
			answers[i].Selected = []string{}
		}
	}
	return d.settle(id, settlement{answers: answers}, Answered)
}

// Dismiss takes what waits under id away unanswered, or gives ErrNotPending.
func (d *Desk) Dismiss(id string) error {
	return d.settle(id, settlement{err: ErrDismissed}, Cancelled)
}

func (d *Desk) settle(id string, s settlement, o Outcome) error {
	if !d.waiting.Settle(id, s, o) {
		return ErrNotPending
	}
	return nil
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
