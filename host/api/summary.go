package api

import (
	"context"
	"sync"
	"time"

	"keylane/host/persistence"
	"keylane/host/session"
)

// summaries tells about sessions that are not attached. A log is read once and again
// only when its file has changed.
type summaries struct {
	store persistence.Store

	mu    sync.Mutex // guards known
	known map[string]summaryEntry
}

type summaryEntry struct {
	size    int64
	modTime time.Time
	summary SessionSummary
}

// of returns the summary of a stored session; false for one that a list leaves out:
// without a working directory (a log older than those) or without a turn.
func (s *summaries) of(ctx context.Context, e persistence.Entry) (SessionSummary, bool) {
	if e.Problem != nil {
		return SessionSummary{SessionID: e.Header.ID, UpdatedAt: e.ModTime.UnixMilli(), Cwd: e.Header.Cwd, Problem: e.Problem.Error()}, e.Header.ID != ""
	}
	if e.Header.Cwd == "" {
		return SessionSummary{}, false
	}
	s.mu.Lock()
	have, ok := s.known[e.Header.ID]
	s.mu.Unlock()
	if !ok || have.size != e.Size || !have.modTime.Equal(e.ModTime) {
		have = summaryEntry{e.Size, e.ModTime, s.read(ctx, e)}
		s.mu.Lock()
		if s.known == nil {
			s.known = map[string]summaryEntry{}
		}
		s.known[e.Header.ID] = have
		s.mu.Unlock()
	}
	return have.summary, !have.summary.Blank || have.summary.Problem != ""
}

func (s *summaries) read(ctx context.Context, e persistence.Entry) SessionSummary {
	header, events, err := s.store.Inspect(ctx, e.Header.ID)
	if err != nil {
		return SessionSummary{SessionID: e.Header.ID, UpdatedAt: e.ModTime.UnixMilli(), Cwd: e.Header.Cwd, Problem: err.Error()}
	}
	return summarise(header, events)
}

// summarise tells about a log; it does not run.
func summarise(h session.Header, events []session.Event) SessionSummary {
	p := session.Project(h, events)
	s := SessionSummary{SessionID: h.ID, Title: p.Title, UpdatedAt: h.CreatedAt, Blank: p.Blank, Cwd: h.Cwd}
	for _, e := range events {
		if byPerson(e) {
			s.UpdatedAt = max(s.UpdatedAt, e.Time)
		}
	}
	return s
}

// byPerson tells whether the event is a message somebody wrote, which is what makes a
// session recent.
func byPerson(e session.Event) bool {
	if e.Type != session.TypeUserMessage && e.Type != session.TypeSteeringMessage {
		return false
	}
	m, ok, err := session.MessageOf(e)
	return ok && err == nil && m.Source.Kind == session.SourceUser
}
