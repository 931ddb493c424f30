package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"keylane/host/persistence"
	"keylane/host/session"
)

// States of a session in JSON; docs/cli.md describes them.
const (
	stateSound       = "sound"
	stateDamaged     = "damaged"     // a part can be read; repair makes it whole
	stateUnsupported = "unsupported" // a newer keylane wrote it
	stateUnreadable  = "unreadable"  // nothing of it can be read
)

// sessionView is a session in JSON. Its shape is a promise: keys are added, never renamed or removed.
type sessionView struct {
	ID           string       `json:"id"`
	Title        string       `json:"title"`
	Cwd          string       `json:"cwd"`
	CreatedAt    string       `json:"createdAt,omitempty"` // RFC 3339, UTC, like every time here
	LastActivity string       `json:"lastActivity"`        // of an unreadable one, when its file was last written
	State        string       `json:"state"`
	Problem      *problemView `json:"problem,omitempty"`
	LockedBy     *holderView  `json:"lockedBy,omitempty"`
	Parent       string       `json:"parent,omitempty"` // the session this one was forked from
	Origin       string       `json:"origin,omitempty"`
	Path         string       `json:"path"`
	Bytes        int64        `json:"bytes"`
}

// problemView is a problem in JSON. Row and what follows are there for a damaged log only.
type problemView struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Next      string `json:"next,omitempty"`
	Row       int    `json:"row,omitempty"`
	Byte      int64  `json:"byte,omitempty"`
	Kept      int64  `json:"keptEvents,omitempty"`
	LostRows  int    `json:"lostRows,omitempty"`
	LostBytes int64  `json:"lostBytes,omitempty"`
}

type holderView struct {
	PID           int    `json:"pid"`
	Since         string `json:"since"`
	HostStartedAt string `json:"hostStartedAt"`
}

func (s *shelf) view(e persistence.Entry) sessionView {
	out := sessionView{
		ID: e.Header.ID, Title: e.Title, Cwd: e.Header.Cwd, LastActivity: stamp(lastActivity(e)), State: stateSound,
		Parent: e.Header.ParentSession, Origin: e.Header.Origin, Path: e.Path, Bytes: e.Size, LockedBy: viewHolder(e.LockedBy),
	}
	if e.Header.CreatedAt > 0 {
		out.CreatedAt = stamp(e.Header.CreatedAt)
	}
	if e.Problem != nil {
		out.State, out.Problem = stateOf(e.Problem), s.viewProblem(e.Header.ID, placed(e))
	}
	return out
}

// placed is a session's problem with the place of its log.
func placed(e persistence.Entry) error {
	if e.Problem == nil || stateOf(e.Problem) != stateUnreadable {
		return e.Problem // the others tell it, or have no use for it
	}
	return fmt.Errorf("%s: %w", e.Path, e.Problem)
}

func lastActivity(e persistence.Entry) int64 {
	if e.LastActivity > 0 {
		return e.LastActivity
	}
	return e.ModTime.UnixMilli()
}

func stateOf(err error) string {
	var damage *persistence.Damage
	switch {
	case errors.As(err, &damage):
		return stateDamaged
	case errors.Is(err, session.ErrUnsupportedVersion):
		return stateUnsupported
	}
	return stateUnreadable
}

func (s *shelf) viewProblem(id string, err error) *problemView {
	p := s.explain(id, err)
	out := &problemView{Code: p.code, Message: p.text, Next: p.next}
	var damage *persistence.Damage
	if errors.As(err, &damage) {
		out.Row, out.Byte, out.Kept, out.LostRows, out.LostBytes = damage.Row, damage.Byte, damage.Seq, damage.LostRows, damage.LostBytes
	}
	return out
}

// trouble says what is wrong with a session beside which its id stands already.
func trouble(e persistence.Entry, p *problemView) string {
	var damage *persistence.Damage
	if errors.As(e.Problem, &damage) {
		return where(damage)
	}
	return p.Message
}

func viewHolder(h *persistence.Holder) *holderView {
	if h == nil {
		return nil
	}
	return &holderView{h.PID, stamp(h.Since), stamp(h.HostStartedAt)}
}

// stamp is a time in Unix ms as RFC 3339, in UTC.
func stamp(milliseconds int64) string {
	return time.UnixMilli(milliseconds).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// when tells a time to a person: how long ago on a terminal, RFC 3339 elsewhere.
func (s *shelf) when(milliseconds int64) string {
	if !s.out.tty {
		return stamp(milliseconds)
	}
	at := time.UnixMilli(milliseconds)
	ago := s.now.Sub(at)
	switch {
	case ago < 0 || ago >= 30*24*time.Hour:
		return at.Local().Format("2 Jan 2006, 15:04")
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return count(int64(ago/time.Minute), "minute") + " ago"
	case ago < 24*time.Hour:
		return count(int64(ago/time.Hour), "hour") + " ago"
	}
	return count(int64(ago/(24*time.Hour)), "day") + " ago"
}

// count is a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes 12345 as 12 345.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + " " + digits[at:]
	}
	return digits
}

// tilde shortens the person's own folder in a path.
func tilde(path string) string {
	user, err := os.UserHomeDir()
	if err != nil || user == "/" {
		return path
	}
	if rest, below := strings.CutPrefix(path, user); below && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
