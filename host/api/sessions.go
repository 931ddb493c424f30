package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/session"
	"keylane/host/settings"
	"keylane/host/workspace"
)

// defaultTurns is the length of a history page, in turns.
const defaultTurns = 24

type nothing struct{}

// sessionRef names a session.
type sessionRef struct {
	SessionID string `json:"sessionId" wire:"min=1"`
}

// hostDescription is what the host is, and what it can offer.
type hostDescription struct {
	Version string `json:"version"`
	// Cwd is the default folder of new sessions.
	Cwd string `json:"cwd"`
	// Home is where the host keeps a person's files.
	Home string `json:"home"`
	// Provider and Model are what sessions use that chose nothing; empty when there is none.
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Mode is what new sessions may do that chose nothing: the person's preference, or else the host's; see package approval.
	Mode             approval.Mode `json:"mode"`
	AttachedSessions int           `json:"attachedSessions"`
	Providers        []llm.Info    `json:"providers"`
}

func (a *API) describe(context.Context, string, nothing) (hostDescription, error) {
	target := a.o.Agents.DefaultModel()
	providers := append([]llm.Info{}, a.o.Models.Providers()...)
	for i := range providers {
		providers[i].Models = append([]llm.ModelInfo{}, providers[i].Models...) // a list, also when it is empty
	}
	return hostDescription{
		Version: a.o.Version, Cwd: a.o.Workspaces.Default().Path, Home: a.o.Home.Dir(),
		Provider: target.Provider, Model: target.Model, Mode: a.modeOfNew(),
		AttachedSessions: len(a.o.Agents.Attached()), Providers: providers,
	}, nil
}

// SessionSummary is one row of session.list.
type SessionSummary struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// UpdatedAt is the later of creation and the person's last message, Unix ms.
	UpdatedAt int64 `json:"updatedAt"`
	Running   bool  `json:"running"`
	// Blank is whether no turn was ever started.
	Blank bool   `json:"blank"`
	Cwd   string `json:"cwd"`
	// Problem says why the session cannot be opened; empty when it can.
	Problem string `json:"problem,omitempty"`
	// LockedBy is another host that has the session open: it can be read and not gone on with.
	LockedBy *persistence.Holder `json:"lockedBy,omitempty"`
}

type sessionList struct {
	Items []SessionSummary `json:"items"`
}

func (a *API) listSessions(ctx context.Context, _ string, _ nothing) (sessionList, error) {
	items, err := a.sessions(ctx)
	return sessionList{items}, err
}

// sessions returns every session, newest first. What is attached is told from memory.
func (a *API) sessions(ctx context.Context) ([]SessionSummary, error) {
	// The store is asked first: a session that is attached meanwhile is then in both, and
	// never in none.
	entries, err := a.o.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	items := a.feed.summaries()
	known := map[string]bool{}
	for _, s := range items {
		known[s.SessionID] = true
	}
	for _, e := range entries {
		if known[e.Header.ID] {
			continue
		}
		if s, ok := coldSummary(e); ok {
			items = append(items, s)
		}
	}
	slices.SortStableFunc(items, func(x, y SessionSummary) int {
		return cmp.Or(cmp.Compare(y.UpdatedAt, x.UpdatedAt), cmp.Compare(x.SessionID, y.SessionID))
	})
	return items, nil
}

// createPayload names the folder by path or by workspace, not by both; without either it is the
// default one. A model goes with its provider.
type createPayload struct {
	SessionID   string `json:"sessionId,omitempty" wire:"max=200"`
	Cwd         string `json:"cwd,omitempty"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	Provider    string `json:"provider,omitempty"`
	Model       string `json:"model,omitempty"`
}

// sessionName is what a caller can call a session. The name becomes a folder's on every system, so
// that it has no separator, is no "." or "..", and hides nothing.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (p createPayload) issues() []string {
	var issues []string
	if p.Cwd != "" && p.WorkspaceID != "" {
		issues = append(issues, "payload.workspaceId: want cwd or workspaceId, got both")
	}
	if p.Model != "" && p.Provider == "" {
		issues = append(issues, "payload.provider: want the provider of the model, got nothing")
	}
	if p.SessionID != "" && !sessionName.MatchString(p.SessionID) {
		issues = append(issues, fmt.Sprintf(`payload.sessionId: want a name of letters, digits, ".", "_" and "-" that begins with a letter or digit, got %q`, p.SessionID))
	}
	return issues
}

func (a *API) createSession(ctx context.Context, _ string, p createPayload) (sessionRef, error) {
	path := p.Cwd
	switch {
	case p.WorkspaceID != "":
		w, err := a.o.Workspaces.Get(p.WorkspaceID)
		if err != nil {
			return sessionRef{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID})
		}
		path = w.Path
	case path == "":
		path = a.o.Workspaces.Default().Path
	}
	w, _, err := a.register(ctx, func() (workspace.Workspace, bool, error) { return a.o.Workspaces.Adopt(path) })
	if err != nil {
		return sessionRef{}, workspaceError(err, map[string]any{"path": path})
	}
	created, err := a.o.Agents.Create(ctx, agent.CreateOptions{SessionID: p.SessionID, Cwd: w.Path, Provider: p.Provider, Model: p.Model, Mode: approval.Mode(a.o.Settings.Read().Values[settings.Permission])})
	switch {
	case errors.Is(err, agent.ErrConflict):
		return sessionRef{}, fail(SessionConflict, err.Error(), map[string]any{"sessionId": p.SessionID})
	case errors.Is(err, agent.ErrModelUnavailable):
		return sessionRef{}, fail(ModelUnavailable, err.Error(), map[string]any{"provider": p.Provider, "model": p.Model})
	case err != nil:
		return sessionRef{}, sessionError(err, p.SessionID)
	}
	return sessionRef{created.Log().ID()}, nil
}

func (a *API) cancelTurn(ctx context.Context, _ string, p sessionRef) (nothing, error) {
	attached, ok := a.o.Agents.Get(p.SessionID)
	if !ok {
		return nothing{}, sessionError(persistence.ErrNotFound, p.SessionID)
	}
	return nothing{}, attached.Cancel(ctx)
}

type selectPayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	Provider  string `json:"provider" wire:"min=1"`
	Model     string `json:"model" wire:"min=1"`
}

type selection struct {
	Selected session.ModelTarget `json:"selected"`
}

func (a *API) selectModel(ctx context.Context, _ string, p selectPayload) (selection, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return selection{}, sessionError(err, p.SessionID)
	}
	if err := opened.SelectModel(p.Provider, p.Model); err != nil {
		if errors.Is(err, agent.ErrModelUnavailable) {
			return selection{}, fail(ModelUnavailable, err.Error(), map[string]any{"provider": p.Provider, "model": p.Model})
		}
		return selection{}, err
	}
	return selection{opened.Model()}, nil
}
