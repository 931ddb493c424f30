package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/session"
)

// defaultTurns is the length of a history page, in turns; maxTurns bounds what is asked for.
const (
	defaultTurns = 24
	maxTurns     = 1000
)

type nothing struct{}

type sessionPayload struct {
	SessionID string `json:"sessionId"`
}

func (p sessionPayload) issues() []string { return required("sessionId", p.SessionID) }

func required(name, value string) []string {
	if value == "" {
		return []string{name + ": missing"}
	}
	return nil
}

type description struct {
	Version  string `json:"version"`
	Cwd      string `json:"cwd"`
	Home     string `json:"home"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Mode is what sessions may do that chose nothing, see package approval.
	Mode             approval.Mode `json:"mode"`
	AttachedSessions int           `json:"attachedSessions"`
	Providers        []llm.Info    `json:"providers"`
}

func (a *API) describe(context.Context, string, nothing) (description, error) {
	target := a.o.Agents.DefaultModel()
	providers := a.o.Models.Providers()
	if providers == nil {
		providers = []llm.Info{}
	}
	return description{
		Version: a.o.Version, Cwd: a.o.Workspaces.Default().Path, Home: a.o.Home.Dir(),
		Provider: target.Provider, Model: target.Model, Mode: a.o.Approvals.Standard(),
		AttachedSessions: len(a.o.Agents.Attached()), Providers: providers,
	}, nil
}

// SessionSummary is one row of session.list.
type SessionSummary struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// UpdatedAt is the later of creation and the person's last message, Unix ms.
	UpdatedAt int64  `json:"updatedAt"`
	Running   bool   `json:"running"`
	Blank     bool   `json:"blank"`
	Cwd       string `json:"cwd"`
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

type createPayload struct {
	SessionID   string `json:"sessionId"`
	Cwd         string `json:"cwd"`
	WorkspaceID string `json:"workspaceId"`
	Provider    string `json:"provider"`
	Model       string `json:"model"`
}

func (p createPayload) issues() []string {
	var issues []string
	if p.Cwd != "" && p.WorkspaceID != "" {
		issues = append(issues, "cwd and workspaceId: give one of them")
	}
	if p.Model != "" && p.Provider == "" {
		issues = append(issues, "provider: missing beside model")
	}
	if strings.ContainsAny(p.SessionID, "/\\\x00") || len(p.SessionID) > 200 {
		issues = append(issues, "sessionId: not usable as a name")
	}
	return issues
}

func (a *API) createSession(ctx context.Context, _ string, p createPayload) (sessionPayload, error) {
	path := p.Cwd
	switch {
	case p.WorkspaceID != "":
		w, err := a.o.Workspaces.Get(p.WorkspaceID)
		if err != nil {
			return sessionPayload{}, workspaceError(err, map[string]any{"workspaceId": p.WorkspaceID})
		}
		path = w.Path
	case path == "":
		path = a.o.Workspaces.Default().Path
	}
	w, _, err := a.o.Workspaces.Adopt(path)
	if err != nil {
		return sessionPayload{}, workspaceError(err, map[string]any{"path": path})
	}
	created, err := a.o.Agents.Create(ctx, agent.CreateOptions{SessionID: p.SessionID, Cwd: w.Path, Provider: p.Provider, Model: p.Model})
	switch {
	case errors.Is(err, agent.ErrConflict):
		return sessionPayload{}, fail(SessionConflict, err.Error(), map[string]any{"sessionId": p.SessionID})
	case errors.Is(err, agent.ErrModelUnavailable):
		return sessionPayload{}, fail(ModelUnavailable, err.Error(), map[string]any{"provider": p.Provider, "model": p.Model})
	case err != nil:
		return sessionPayload{}, sessionError(err, p.SessionID)
	}
	return sessionPayload{created.Log().ID()}, nil
}

func (a *API) cancelTurn(ctx context.Context, _ string, p sessionPayload) (nothing, error) {
	attached, ok := a.o.Agents.Get(p.SessionID)
	if !ok {
		return nothing{}, sessionError(persistence.ErrNotFound, p.SessionID)
	}
	return nothing{}, attached.Cancel(ctx)
}

type selectPayload struct {
	SessionID string `json:"sessionId"`
	Provider  string `json:"provider"`
	Model     string `json:"model"`
}

func (p selectPayload) issues() []string {
	return slices.Concat(required("sessionId", p.SessionID), required("provider", p.Provider), required("model", p.Model))
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
