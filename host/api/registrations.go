package api

import "context"

// workspaceRef names a workspace.
type workspaceRef struct {
	WorkspaceID string `json:"workspaceId" wire:"min=1"`
}

type renameWorkspacePayload struct {
	WorkspaceID string `json:"workspaceId" wire:"min=1"`
	Title       string `json:"title"`
}

// renameWorkspace gives a workspace another title, which is unlike every other one's; its folder keeps its name.
func (a *API) renameWorkspace(ctx context.Context, _ string, p renameWorkspacePayload) (renamed, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	w, err := a.o.Workspaces.Rename(p.WorkspaceID, p.Title)
	if err != nil {
		return renamed{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID, "title": p.Title})
	}
	return renamed{w.Title}, a.announce(ctx, w)
}

// deleteWorkspace removes a registration. The folder, the sessions and their logs stay.
func (a *API) deleteWorkspace(_ context.Context, _ string, p workspaceRef) (nothing, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	if err := a.o.Workspaces.Remove(p.WorkspaceID); err != nil {
		return nothing{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID})
	}
	a.feed.workspaceRemoved(p.WorkspaceID)
	return nothing{}, nil
}

// moveWorkspacePayload names a workspace, and the one that it goes in front of; without one it goes to the end.
type moveWorkspacePayload struct {
	WorkspaceID string `json:"workspaceId" wire:"min=1"`
	BeforeID    string `json:"beforeId,omitempty"`
}

func (a *API) moveWorkspace(_ context.Context, _ string, p moveWorkspacePayload) (nothing, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	order, err := a.o.Workspaces.Place(p.WorkspaceID, p.BeforeID)
	if err != nil {
		return nothing{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID, "beforeId": p.BeforeID})
	}
	a.feed.workspacesOrdered(order)
	return nothing{}, nil
}

// unarrangeWorkspace has the sessions of a workspace shown by activity again, after a person had moved some.
func (a *API) unarrangeWorkspace(ctx context.Context, _ string, p workspaceRef) (nothing, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	w, err := a.o.Workspaces.Unarrange(p.WorkspaceID)
	if err != nil {
		return nothing{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID})
	}
	return nothing{}, a.announce(ctx, w)
}
