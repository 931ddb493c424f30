package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"keylane/host/session"
)

// Errors of changing the queue; callers branch on them.
var (
	// ErrItemNotFound: the message is not, or no longer, in the queue.
	ErrItemNotFound = errors.New("the message is not in the queue")
	// ErrSteerUnavailable: no turn is open that could take the message.
	ErrSteerUnavailable = errors.New("no turn is open that could take the message")
)

// outcomeCanceled marks a removal that is a person's and no claim of the loop.
const outcomeCanceled = "canceled"

// Steer hands m to the running turn, which takes it at its next step, and returns once
// that is durable. Without a turn that could take it, m is queued as by Prompt. What an
// ended turn did not take comes first in the queue.
func (a *Agent) Steer(ctx context.Context, m session.Message) error {
	return a.send(ctx, m, true)
}

// EditQueued replaces the content of a queued message; its place, id and source stay.
// ErrItemNotFound when it has left the queue.
func (a *Agent) EditQueued(ctx context.Context, id string, content []session.Block) error {
	return a.change(ctx, "editing", id, func(at int, m session.Message) error {
		m.Content = content
		return a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: at, RemovedCount: 1, Inserted: []session.Message{m}})
	})
}

// RemoveQueued deletes a queued message. ErrItemNotFound when it has left the queue.
func (a *Agent) RemoveQueued(ctx context.Context, id string) error {
	return a.change(ctx, "removing", id, func(at int, _ session.Message) error {
		return a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: at, RemovedCount: 1, Outcome: outcomeCanceled})
	})
}

// MoveQueued puts a queued message before another one of the queue, or at its end when before is empty. It is one event, so that no
// reader of the log ever sees the message twice or not at all. Where the place is gone, because the other message has left the queue
// meanwhile, and where the message is there already, the order stays as it is. ErrItemNotFound when the message itself has left.
func (a *Agent) MoveQueued(ctx context.Context, id, before string) error {
	return a.change(ctx, "moving", id, func(at int, m session.Message) error {
		inbox := a.log.Projection().Inbox
		to := len(inbox)
		if before != "" {
			to = slices.IndexFunc(inbox, func(m session.Message) bool { return m.ID == before })
		}
		if to < 0 || to == at || to == at+1 {
			return nil
		}
		// What lies between the two places moves up or down by one.
		start, inserted := to, slices.Concat([]session.Message{m}, inbox[to:max(at, to)])
		if to > at {
			start, inserted = at, slices.Concat(inbox[at+1:to], []session.Message{m})
		}
		return a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: start, RemovedCount: len(inserted), Inserted: inserted})
	})
}

// SteerQueued hands a queued message to the running turn. ErrItemNotFound when it has left
// the queue, ErrSteerUnavailable when no turn could take it.
func (a *Agent) SteerQueued(ctx context.Context, id string) error {
	return a.change(ctx, "steering", id, func(at int, m session.Message) error {
		if !a.steerable() {
			return ErrSteerUnavailable
		}
		// In this order a crash in between leaves the message twice, which is put right when
		// the log is resumed, and never loses it.
		if err := a.splice(session.InboxSpliced{
			Target: session.InboxNextStep, Start: len(a.log.Projection().InboxNextStep), Inserted: []session.Message{m},
		}); err != nil {
			return err
		}
		return a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: at, RemovedCount: 1})
	})
}

// change runs f, with mu held, on a message of the queue, and makes what it did durable.
func (a *Agent) change(ctx context.Context, doing, id string, f func(at int, m session.Message) error) error {
	err := func() error {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.closed {
			return ErrClosed
		}
		inbox := a.log.Projection().Inbox
		at := slices.IndexFunc(inbox, func(m session.Message) bool { return m.ID == id })
		if at < 0 {
			return ErrItemNotFound
		}
		return f(at, inbox[at])
	}()
	if err == nil {
		err = a.writer.Flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("agent: %s a queued message of session %s: %w", doing, a.log.ID(), err)
	}
	return nil
}

// splice logs a change of the inbox; called with mu held.
func (a *Agent) splice(d session.InboxSpliced) error {
	_, err := a.log.Append(session.TypeInboxSpliced, d)
	return err
}

// steerable tells whether a turn is open that will have another step; called with mu held.
func (a *Agent) steerable() bool { return a.turn != nil && a.turn.takes && a.turn.ctx.Err() == nil }

// requeue puts what waited for a step that will not come in front of the queue; called
// with mu held. A message that is there already, after a crash, is not put there twice.
func (a *Agent) requeue() error {
	p := a.log.Projection()
	if len(p.InboxNextStep) == 0 {
		return nil
	}
	queued := map[string]bool{}
	for _, m := range p.Inbox {
		queued[m.ID] = true
	}
	left := slices.DeleteFunc(slices.Clone(p.InboxNextStep), func(m session.Message) bool { return queued[m.ID] })
	if len(left) > 0 {
		if err := a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: 0, Inserted: left}); err != nil {
			return err
		}
	}
	return a.splice(session.InboxSpliced{Target: session.InboxNextStep, Start: 0, RemovedCount: len(p.InboxNextStep)})
}

// claimSteering takes everything that waits for the next step into the turn.
func (t *turn) claimSteering() ([]session.Message, error) {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	waiting := t.a.log.Projection().InboxNextStep
	if len(waiting) == 0 {
		return nil, nil
	}
	return waiting, t.a.splice(session.InboxSpliced{Target: session.InboxNextStep, Start: 0, RemovedCount: len(waiting)})
}

// goesOn tells a turn whose model is done whether something waits for another step. When
// nothing does, the turn takes nothing from here on.
func (t *turn) goesOn() bool {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	t.takes = t.ctx.Err() == nil && len(t.a.log.Projection().InboxNextStep) > 0
	return t.takes
}

// giveBack ends the taking, and gives back to the queue what the turn did not take.
func (t *turn) giveBack() error {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	t.takes = false
	return t.a.requeue()
}
