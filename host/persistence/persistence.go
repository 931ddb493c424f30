// Package persistence keeps session logs beyond the life of the host.
//
// A Store is where logs are kept (package jsonl has the one on disk). A Writer connects a live log to a store: attach it to the log, and
// every event reaches the store in the background; call Flush where something must be durable before the work goes on.
//
//	writer, err := persistence.Attach(store, log, clock, logger)
//	…
//	err = writer.Flush(ctx) // everything that was in the log is durable now
//	err = writer.Close(ctx) // flush, then stop
//
// One log has one writer at a time, in all hosts that share a store: see Store. Read a log that may be live through the live log, or by
// Inspect and Page; Load is for opening a session that nobody has open, because it repairs what a crash left.
package persistence

import (
	"context"
	"errors"
	"time"

	"keylane/host/composition"
	"keylane/host/session"
)

// Service is the store of a composed host.
var Service = composition.NewService[Store]("persistence")

// ErrNotFound says that the store has no session of that id.
var ErrNotFound = errors.New("session not found")

// ErrExists says that the store has a session of that id already.
var ErrExists = errors.New("session exists already")

// ErrClosed says that the store or writer was closed.
var ErrClosed = errors.New("closed")

// Store keeps session logs. Every method is safe for concurrent use; operations on one session happen one after the other. Errors name
// the session; ErrNotFound, ErrExists, ErrLocked and ErrClosed are wrapped in them.
//
// One host at a time writes a session: what writes (Append, Load, Delete, Repair) takes the session's lock first and fails with a
// *LockedError when another host has it. The store keeps the lock until Release, Delete or Close; it dies with the process. What only reads
// (Length, Inspect, Page, List) needs no lock and changes nothing.
type Store interface {
	// Create registers a new session. Nothing is stored until the first Append: a session that was never used leaves no trace.
	Create(ctx context.Context, h session.Header) error
	// Append stores events, all of them or none, durably when it returns nil. The first event's seq must be the session's Length, the
	// others must follow without gaps. No events: nothing happens.
	Append(ctx context.Context, id string, events []session.Event) error
	// Length is how many events are stored, which is the seq the next Append must start with.
	Length(ctx context.Context, id string) (int64, error)
	// Load opens a session to go on with it: what a crash left torn is dropped, what it left open is closed by session.Repair, and both are
	// made durable. The result is what is stored then. A damaged log is a *Damage and stays as it is.
	Load(ctx context.Context, id string) (session.Header, []session.Event, error)
	// Release ends what Load or Append began: the session's lock is free for other hosts. A session this store has not open is left alone.
	Release(ctx context.Context, id string) error
	// Inspect reads a whole session and changes nothing; a torn end is left out, an open turn is left open. With a *Damage as its error,
	// header and events are what is before the damage.
	Inspect(ctx context.Context, id string) (session.Header, []session.Event, error)
	// Page reads a part of a session, at most turns whole turns that end before beforeSeq (negative: the newest), in memory that the page
	// bounds and not the log. Damage is told in the page and is no error.
	Page(ctx context.Context, id string, beforeSeq int64, turns int) (Page, error)
	// List tells of every stored session, in no particular order. A damaged one is an Entry with a Problem; the error is for when nothing
	// can be listed at all.
	List(ctx context.Context) ([]Entry, error)
	// Locate is where the session of this header is stored, or would be. It reads nothing.
	Locate(h session.Header) string
	// Repair makes a damaged log whole again: it keeps a copy of it beside, cuts it where the damage begins, and closes the last turn. A log
	// that is not damaged is left alone.
	Repair(ctx context.Context, id string) (Repaired, error)
	// Delete removes a session for good, and the copies that Repair kept of it.
	Delete(ctx context.Context, id string) error
	// Close waits for what is under way, releases every session and refuses everything after.
	Close(ctx context.Context) error
}

// Entry is one stored session.
type Entry struct {
	Header  session.Header // with a Problem only ID may be set, and even that only if the place tells it
	Path    string
	Size    int64     // bytes
	ModTime time.Time // of the last write
	// Revision names this state of the log: while it is the same, so is the log. Empty when nothing of the log can be read.
	Revision string
	// Title, LastActivity (Unix ms) and Blank are as in session.Projection; of a damaged log, of what can be read of it.
	Title        string
	LastActivity int64
	Blank        bool
	LockedBy     *Holder // another host that has the session open, nil when none has
	Problem      error   // why the session cannot be opened, nil when it looks sound; a *Damage when a part of it can be read
}
