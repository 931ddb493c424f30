package api

import (
	"context"
	"fmt"
	"slices"

	"keylane/host/persistence"
	"keylane/host/workspace"
)

// movePayload names a session, and the one of the same folder that it goes in front of; without one it goes to the end.
type movePayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	BeforeID  string `json:"beforeId,omitempty"`
}

// moveSession gives a session another place among those of its folder; the order of the others is fixed by that, see package workspace.
func (a *API) moveSession(ctx context.Context, _ string, p movePayload) (nothing, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	s, sessions, err := a.find(ctx, p.SessionID)
	if err != nil {
		return nothing{}, err
	}
	details := map[string]any{"sessionId": p.SessionID, "beforeId": p.BeforeID}
	all, err := a.o.Workspaces.List()
	if err != nil {
		return nothing{}, err
	}
	at := slices.IndexFunc(all, func(w workspace.Workspace) bool { return inside(w, s) })
	if at < 0 {
		return nothing{}, workspaceError(fmt.Errorf("%w: no folder that is registered has it", workspace.ErrMoveInvalid), details)
	}
	if err := a.o.Workspaces.Move(all[at].ID, sessionsOf(all[at], sessions), p.SessionID, p.BeforeID); err != nil {
		return nothing{}, workspaceError(err, details)
	}
	return nothing{}, a.announce(ctx, all[at])
}

type archivePayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	Archived  bool   `json:"archived"`
}

// archiveSession puts a session away, or takes it back. Its log is not touched, and it can be opened and gone on with as before.
func (a *API) archiveSession(ctx context.Context, _ string, p archivePayload) (nothing, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	if _, _, err := a.find(ctx, p.SessionID); err != nil {
		return nothing{}, err
	}
	archived, err := a.o.Workspaces.Archive(p.SessionID, p.Archived)
	if err != nil {
		return nothing{}, err
	}
	a.feed.archived(append([]string{}, archived...))
	return nothing{}, nil
}

// find returns a session and all of them, newest first.
func (a *API) find(ctx context.Context, id string) (SessionSummary, []SessionSummary, error) {
	sessions, err := a.sessions(ctx)
	if err != nil {
		return SessionSummary{}, nil, err
	}
	at := slices.IndexFunc(sessions, func(s SessionSummary) bool { return s.SessionID == id })
	if at < 0 {
		return SessionSummary{}, nil, sessionError(persistence.ErrNotFound, id)
	}
	return sessions[at], sessions, nil
}

// forgetSession removes what is arranged about a session that is gone for good. When that fails nothing is lost: an id that is no
// session's stays in the file.
func (a *API) forgetSession(id string) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	if err := a.o.Workspaces.Forget(id); err != nil {
		a.o.Logger.Warn("a deleted session stays in the file of workspaces", "session", id, "error", err)
	}
}
