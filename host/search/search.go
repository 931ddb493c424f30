// Package search finds sessions by what was said in them.
//
// A host has one [Slot]; an engine registers there (package fulltext has the one that ships) and answers what is asked of the slot. What
// engines share lies here too: how a text is taken apart into words, what a query means, and how an excerpt is cut.
//
// A query means: every word of it occurs in the session, in any order and in any message; the last word may be the beginning of one,
// because people search while they type. Case, accents and width do not count. A word of several parts (foo-bar, 你好) is these parts side by
// side; in scripts that do not part words every character is a part, so that any piece of a text is found.
//
// This package does not look at names of sessions: lists have those, and a page that has the list needs nobody to search it.
package search

import (
	"context"
	"errors"
	"sync"

	"keylane/host/composition"
)

// Limits of what goes over the wire (facts/wire.md §7).
const (
	MaxHits    = 20  // of one answer
	MaxExcerpt = 240 // code points of an excerpt, ellipses included
)

// Service is where searches go.
var Service = composition.NewService[*Slot]("search")

// ErrUnavailable says that what sessions contain cannot be searched now: no engine is there, or it failed.
var ErrUnavailable = errors.New("the content of sessions cannot be searched")

// Mark is a piece of an excerpt that the query asked for: code points from Start up to End.
type Mark struct {
	Start int `json:"start" wire:"min=0"`
	End   int `json:"end" wire:"min=1"`
}

// Hit is a session that has everything the query asks for.
type Hit struct {
	SessionID string
	Excerpt   Excerpt
}

// Answer has the sessions that were active last first.
type Answer struct {
	Hits    []Hit // at most MaxHits
	HasMore bool  // others were left out
}

// Engine searches; a query without words finds nothing. It is safe for concurrent use; its error wraps ErrUnavailable unless it is the context's.
type Engine interface {
	Search(ctx context.Context, q Query) (Answer, error)
}

// Slot holds the engine of a host. The zero value has none. It is safe for concurrent use.
type Slot struct {
	mu     sync.Mutex // guards engine
	engine Engine
}

// Register has e answer until dispose is called, which may be more than once. A second engine at the same time is an error.
func (s *Slot) Register(e Engine) (dispose func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil {
		return nil, errors.New("search: there is an engine already")
	}
	s.engine = e
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.engine = nil
	}), nil
}

// Search asks the engine; without one it is ErrUnavailable.
func (s *Slot) Search(ctx context.Context, text string) (Answer, error) {
	s.mu.Lock()
	engine := s.engine
	s.mu.Unlock()
	if engine == nil {
		return Answer{}, ErrUnavailable
	}
	return engine.Search(ctx, Parse(text))
}
