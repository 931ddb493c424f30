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
// One log has one writer at a time. Read a log that may be live through the live log, or by Inspect; Load is for opening a session that
// nobody has open, because it repairs what it finds.
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
// the session; ErrNotFound, ErrExists and ErrClosed are wrapped in them.
type Store interface {
	// Create registers a new session. Nothing is stored until the first Append: a session that was never used leaves no trace.
	Create(ctx context.Context, h session.Header) error
	// Append stores events, all of them or none, durably when it returns nil. The first event's seq must be the session's Length, the
	// others must follow without gaps. No events: nothing happens.
	Append(ctx context.Context, id string, events []session.Event) error
	// Length is how many events are stored, which is the seq the next Append must start with.
	Length(ctx context.Context, id string) (int64, error)
	// Load opens a session to go on with it: what a crash left torn is dropped, what it left open is closed by session.Repair, and both are
	// made durable. The result is what is stored then.
	Load(ctx context.Context, id string) (session.Header, []session.Event, error)
	// Inspect reads a session and changes nothing; a torn end is left out, an open turn is left open.
	Inspect(ctx context.Context, id string) (session.Header, []session.Event, error)
	// List tells of every stored session, in no particular order, from headers alone. A damaged one is an Entry with a Problem; the error is
	// for when nothing can be listed at all.
	List(ctx context.Context) ([]Entry, error)
	// Locate is where the session of this header is stored, or would be. It reads nothing.
	Locate(h session.Header) string
	// Delete removes a session for good.
	Delete(ctx context.Context, id string) error
	// Close waits for what is under way and refuses everything after.
	Close(ctx context.Context) error
}

// Entry is one stored session.
type Entry struct {
	Header  session.Header // with a Problem only ID may be set, and even that only if the place tells it
	Path    string
	Size    int64     // bytes
	ModTime time.Time // of the last write
	Problem error     // why the session cannot be opened, nil when it looks sound
}
