package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"keylane/host/search"
)

// maxQuery is how many code points a query may have.
const maxQuery = 500

type searchPayload struct {
	// Query is on one line; white space around it does not count.
	Query string `json:"query" wire:"min=1"`
}

func (p searchPayload) issues() []string {
	query := strings.TrimSpace(p.Query)
	switch length := utf8.RuneCountInString(query); {
	case length == 0:
		return []string{"payload.query: want something to look for, got white space"}
	case length > maxQuery:
		return []string{fmt.Sprintf("payload.query: want at most %d characters, got %d", maxQuery, length)}
	case strings.ContainsRune(query, 0):
		return []string{"payload.query: want a text without NUL"}
	}
	return nil
}

// searchHit is a session in which everything was said that was asked for.
type searchHit struct {
	SessionID string `json:"sessionId"`
	// Snippet is a piece of what was said, at most 240 code points on one line.
	Snippet string `json:"snippet"`
	// Marks are what was asked for, as far as the snippet has it: code points from start up to end, ascending.
	Marks []search.Mark `json:"marks"`
}

type searchAnswer struct {
	// Items are at most 20, the session that was active last first.
	Items []searchHit `json:"items"`
	// HasMore: there are others.
	HasMore bool `json:"hasMore"`
}

// searchSessions finds sessions by what was said. It ends with the call's context, that is, when the caller is gone.
func (a *API) searchSessions(ctx context.Context, _ string, p searchPayload) (searchAnswer, error) {
	answer, err := a.o.Search.Search(ctx, strings.TrimSpace(p.Query))
	switch {
	case ctx.Err() != nil:
		return searchAnswer{}, fail(Internal, "the call was given up", nil) // nobody is there to be told
	case errors.Is(err, search.ErrUnavailable):
		a.o.Logger.Warn("a search failed", "error", err)
		return searchAnswer{}, fail(SearchUnavailable, err.Error(), nil)
	case err != nil:
		return searchAnswer{}, err
	}
	out := searchAnswer{Items: []searchHit{}, HasMore: answer.HasMore}
	for _, h := range answer.Hits {
		out.Items = append(out.Items, searchHit{h.SessionID, h.Excerpt.Text, append([]search.Mark{}, h.Excerpt.Marks...)})
	}
	return out, nil
}
