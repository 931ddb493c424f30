package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Fork makes a session that begins as a copy of another one up to the end of a turn (see session.ForkLength), attached and durable. It only
// reads the other one, which may be attached, cold, held by another host or damaged further on. session.ErrForkUnavailable when no turn
// is completed there.
func (m *manager) Fork(ctx context.Context, id string, atSeq int64) (*Agent, error) {
	a, err := m.fork(ctx, id, atSeq)
	if err != nil {
		return nil, fmt.Errorf("agent: forking session %s: %w", id, err)
	}
	return a, nil
}

func (m *manager) fork(ctx context.Context, id string, atSeq int64) (*Agent, error) {
	header, events, err := m.read(ctx, id)
	if err != nil {
		return nil, err
	}
	length, err := session.ForkLength(events, atSeq)
	if err != nil {
		return nil, err
	}
	child := session.Header{
		ID: "session-" + m.o.Clock.NewID(), CreatedAt: m.o.Clock.Now().UnixMilli(), Cwd: header.Cwd,
		ParentSession: id, SeedLength: int(length), AgentPreset: header.AgentPreset,
	}
	a, err := m.attach(ctx, child.ID, func() (*Agent, error) {
		log, err := session.NewLog(child, events[:length], m.o.Clock)
		if err != nil {
			return nil, err
		}
		return m.adopt(log, session.ModelTarget{})
	})
	if err != nil {
		return nil, err
	}
	return a, a.writer.Flush(ctx)
}

// read is a session's log as it is, without opening it; of a damaged one what can be read.
func (m *manager) read(ctx context.Context, id string) (session.Header, []session.Event, error) {
	if a, ok := m.Get(id); ok {
		return a.log.Header(), a.log.Events(0, -1), nil
	}
	header, events, err := m.o.Store.Inspect(ctx, id)
	var damage *persistence.Damage
	if errors.As(err, &damage) {
		err = nil
	}
	return header, events, err
}

// Delete ends a session if it is attached, running or not, and removes it for good.
func (m *manager) Delete(ctx context.Context, id string) error {
	a, over, err := m.claim(ctx, id)
	if err == nil {
		defer over()
		err = m.delete(ctx, id, a)
	}
	if err != nil {
		return fmt.Errorf("agent: deleting session %s: %w", id, err)
	}
	return nil
}

func (m *manager) delete(ctx context.Context, id string, a *Agent) error {
	if a != nil {
		if err := a.close(ctx); err != nil {
			if ctx.Err() != nil {
				return err // it may still run
			}
			m.o.Logger.Warn("a session that is deleted could not be stored before", "session", id, "error", err)
		}
		m.mu.Lock()
		delete(m.attached, id)
		m.order = slices.DeleteFunc(m.order, func(other *Agent) bool { return other == a })
		m.mu.Unlock()
		m.changed(Change{Kind: Removed, Agent: a})
	}
	err := m.o.Store.Delete(ctx, id)
	if a != nil && errors.Is(err, persistence.ErrNotFound) {
		return nil // it was created and never used
	}
	return err
}

// claim waits until nobody opens the session and keeps it so until over; a is its agent if it is attached.
func (m *manager) claim(ctx context.Context, id string) (a *Agent, over func(), err error) {
	for {
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return nil, nil, ErrClosed
		}
		other := m.opening[id]
		if other == nil {
			break
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	defer m.mu.Unlock()
	done := make(chan struct{})
	m.opening[id] = done
	return m.attached[id], func() {
		m.mu.Lock()
		delete(m.opening, id)
		m.mu.Unlock()
		close(done)
	}, nil
}
