package persistence

import (
	"errors"
	"fmt"
	"time"

	"keylane/host/session"
)

// ErrLocked says that another host has the session open; the error is a *LockedError.
var ErrLocked = errors.New("the session is open in another host")

// Holder is the host that has a session open. All zero but known to exist when it has not said yet who it is.
type Holder struct {
	PID           int   `json:"pid"`
	HostStartedAt int64 `json:"hostStartedAt"` // Unix ms
	Since         int64 `json:"since"`         // Unix ms: when it opened the session
}

// LockedError is ErrLocked with the host that holds the session.
type LockedError struct{ Holder Holder }

func (e *LockedError) Error() string {
	if e.Holder.PID == 0 {
		return ErrLocked.Error()
	}
	return fmt.Sprintf("%s: process %d, started %s, has held it since %s", ErrLocked, e.Holder.PID, stamp(e.Holder.HostStartedAt), stamp(e.Holder.Since))
}

// Unwrap is ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

func stamp(milliseconds int64) string {
	return time.UnixMilli(milliseconds).UTC().Format(time.RFC3339)
}

// Damage says that a stored log cannot be read from some place on. What is before the place is whole and can be read; nothing after it is
// used. It is an error of Load, a warning of the reading methods, and what Store.Repair puts right.
type Damage struct {
	Path string `json:"path"` // where the log is stored
	Row  int    `json:"row"`  // the first row (line) that is no good, the header being 1
	Byte int64  `json:"byte"` // where in the file the piece with that row starts
	Seq  int64  `json:"seq"`  // of the first event that is lost: so many are kept
	// LostRows counts the rows from Row on that can still be told apart, LostBytes everything from Byte on.
	LostRows  int    `json:"lostRows"`
	LostBytes int64  `json:"lostBytes"`
	Reason    string `json:"reason"`
}

func (d *Damage) Error() string {
	return fmt.Sprintf("corrupt session log: %s: row %d (byte %d): %s; the %d events before it are whole", d.Path, d.Row, d.Byte, d.Reason, d.Seq)
}

// Page is a part of a stored session, read without opening it.
type Page struct {
	Header session.Header
	// Events are whole turns, as session.TurnPage picks them. The newest page of a session that nobody has open shows a turn that was cut
	// off as opening the session would close it.
	Events  []session.Event
	HasMore bool // older events are left
	// Projection and Length are of the whole log, with the closing events if there are any.
	Projection session.Projection
	Length     int64
	Stored     int64   // events without those closing events
	Damage     *Damage // nil when the whole log can be read
	LockedBy   *Holder // another host that has the session open, nil when none has
}

// Repaired tells what Store.Repair did.
type Repaired struct {
	Damage *Damage // what was wrong; nil when nothing was, and then nothing was done
	Backup string  // where the log is kept as it was
	Length int64   // events the log has now, with those that close its last turn
}
