package api

import (
	"context"
	"errors"

	"keylane/host/agent"
	"keylane/host/title"
)

type renamePayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	Title     string `json:"title"`
}

type renamed struct {
	// Title is the title as it is kept: on one line, one space between words.
	Title string `json:"title"`
}

// renameSession gives a session a title that stays. It attaches a stored session.
func (a *API) renameSession(ctx context.Context, _ string, p renamePayload) (renamed, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return renamed{}, sessionError(err, p.SessionID)
	}
	name, err := opened.Rename(ctx, p.Title)
	if errors.Is(err, title.ErrInvalid) {
		return renamed{}, fail(TitleInvalid, err.Error(), nil)
	}
	return renamed{name}, err
}

// compactSession asks for a summary in the place of the older history, and does not wait for it. It attaches a stored session.
func (a *API) compactSession(ctx context.Context, _ string, p sessionRef) (accepted, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return accepted{}, sessionError(err, p.SessionID)
	}
	var unavailable *agent.UnavailableError
	if err := opened.Compact(); errors.As(err, &unavailable) {
		return accepted{}, fail(CompactionUnavailable, err.Error(), map[string]any{"reason": unavailable.Reason})
	} else if err != nil {
		return accepted{}, err
	}
	return accepted{true}, nil
}
