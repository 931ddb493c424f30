package approval

import (
	"context"
	"encoding/json"
	"errors"

	"keylane/host/composition"
	"keylane/host/waiting"
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

// WaitID and WaitSession are what the desk knows a request by.
func (r Request) WaitID() string      { return r.ID }
func (r Request) WaitSession() string { return r.SessionID }

// Change tells of a call that begins (Pending) or ceases to wait.
type Change = waiting.Change[Request, Outcome]

// Desk holds the calls that wait. It is safe for concurrent use.
type Desk struct {
	standard Mode
	waiting  waiting.Desk[Request, Outcome, Outcome]
}

// NewDesk makes a desk where nothing waits; standard is the mode of sessions that have none of their own.
func NewDesk(standard Mode) *Desk { return &Desk{standard: standard} }

// Standard is the mode of sessions that have none of their own.
func (d *Desk) Standard() Mode { return d.standard }

// Observe is waiting.Desk's: f is called for every change, in order, until dispose, and first for the calls that wait already.
func (d *Desk) Observe(f func(Change)) (dispose func()) { return d.waiting.Observe(f) }

// Wait returns the decision about r, or Cancelled when ctx ends first.
func (d *Desk) Wait(ctx context.Context, r Request) Outcome {
	if o, decided := d.waiting.Wait(ctx, r, Cancelled); decided {
		return o
	}
	return Cancelled
}

// Decide ends the wait of what waits under id in a session, or gives ErrNotPending.
func (d *Desk) Decide(id, sessionID string, o Outcome) error {
	if r, waits := d.waiting.Find(id); !waits || r.SessionID != sessionID || !d.waiting.Settle(id, o, o) {
		return ErrNotPending
	}
	return nil
}

// DecideAll ends whatever waits in a session.
func (d *Desk) DecideAll(sessionID string, o Outcome) {
	for _, r := range d.waiting.Of(sessionID) {
		d.waiting.Settle(r.ID, o, o) // somebody else may have been faster: then it is decided as well
	}
}
