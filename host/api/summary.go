package api

import (
	"keylane/host/persistence"
	"keylane/host/session"
)

// coldSummary is the summary of a stored session; false for one that a list leaves out: without a working directory (a log older than
// those) or without a turn.
func coldSummary(e persistence.Entry) (SessionSummary, bool) {
	s := SessionSummary{
		SessionID: e.Header.ID, Title: e.Title, UpdatedAt: e.LastActivity, Blank: e.Blank, Cwd: e.Header.Cwd, LockedBy: e.LockedBy,
	}
	if e.Problem != nil {
		s.Problem = e.Problem.Error()
		s.UpdatedAt = max(s.UpdatedAt, e.Header.CreatedAt)
		if s.UpdatedAt == 0 {
			s.UpdatedAt = e.ModTime.UnixMilli() // nothing of it can be read
		}
		return s, s.SessionID != ""
	}
	return s, e.Header.Cwd != "" && !e.Blank
}

// summarise tells about a log; it does not run.
func summarise(h session.Header, events []session.Event) SessionSummary {
	p := session.Project(h, events)
	return SessionSummary{SessionID: h.ID, Title: p.Title, UpdatedAt: p.LastActivity, Blank: p.Blank, Cwd: h.Cwd}
}
