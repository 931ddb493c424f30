package api

import (
	"context"
	"errors"
	"fmt"

	"keylane/host/persistence"
	"keylane/host/session"
)

// forkPayload names the session to copy, and an event of the last turn that the copy has; without one it is the last completed turn.
type forkPayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	AtSeq     *int64 `json:"atSeq,omitempty" wire:"min=0"`
}

// forkSession makes a session that begins as a copy of another one, up to the end of the turn that holds event AtSeq.
func (a *API) forkSession(ctx context.Context, _ string, p forkPayload) (sessionRef, error) {
	at := int64(-1)
	if p.AtSeq != nil {
		at = *p.AtSeq
	}
	child, err := a.o.Agents.Fork(ctx, p.SessionID, at)
	if err != nil {
		return sessionRef{}, sessionError(err, p.SessionID)
	}
	a.feed.titled(child.Log().ID())
	return sessionRef{child.Log().ID()}, nil
}

// deleteSession ends a session and removes its log for good.
func (a *API) deleteSession(ctx context.Context, _ string, p sessionRef) (nothing, error) {
	if err := a.o.Agents.Delete(ctx, p.SessionID); err != nil {
		return nothing{}, sessionError(err, p.SessionID)
	}
	a.forgetSession(p.SessionID)
	a.feed.removed(p.SessionID)
	return nothing{}, nil
}

// sessionError makes a result of what can be wrong with a stored session.
func sessionError(err error, id string) error {
	var locked *persistence.LockedError
	var damage *persistence.Damage
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return fail(SessionNotFound, fmt.Sprintf("session %q not found", id), map[string]any{"sessionId": id})
	case errors.As(err, &locked):
		return fail(SessionLocked, locked.Error(), map[string]any{
			"sessionId": id, "pid": locked.Holder.PID, "hostStartedAt": locked.Holder.HostStartedAt, "since": locked.Holder.Since,
		})
	case errors.As(err, &damage):
		return fail(SessionDamaged, damage.Error(), map[string]any{
			"sessionId": id, "path": damage.Path, "row": damage.Row, "byte": damage.Byte, "seq": damage.Seq, "reason": damage.Reason,
		})
	case errors.Is(err, session.ErrUnsupportedVersion):
		return fail(SessionUnsupported, err.Error(), map[string]any{"sessionId": id})
	case errors.Is(err, session.ErrForkUnavailable):
		return fail(ForkUnavailable, "the session has no completed turn there", map[string]any{"sessionId": id})
	}
	return err
}
