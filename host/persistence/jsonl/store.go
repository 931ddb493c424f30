package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/session"
)

// Values of Config.Compression.
const (
	CompressionZstd = "zstd"
	CompressionNone = "none"
)

// Config says where and how sessions are stored.
type Config struct {
	Root        string // directory; made when the first session is stored, but what is there must be a directory
	Compression string // CompressionZstd (also when empty) or CompressionNone
	PackChunks  bool   // runs of stream chunks become packed rows
}

// Store keeps sessions under a root directory. It implements persistence.Store.
type Store struct {
	root       string
	compressed bool
	pack       bool
	clock      clock.Clock
	disk       disk
	encoder    *zstd.Encoder // EncodeAll only, which is safe for concurrent use
	decoder    *zstd.Decoder // DecodeAll only, likewise

	open     sync.RWMutex // held to read during every operation, to write by Close
	closed   bool         // guarded by open
	mu       sync.Mutex   // guards sessions
	sessions map[string]*tracked
}

// tracked is what the store knows of a session. Its lock is held during every operation on the session.
type tracked struct {
	users  int // operations that hold or wait for lock; guarded by Store.mu
	lock   sync.Mutex
	known  bool // the rest is valid
	header session.Header
	path   string // "" until the first batch: the session was created and nothing is stored
	length int64  // events stored
	size   int64  // bytes stored
	torn   bool   // a failed write could not be undone: the file may be longer than size
}

func (t *tracked) forget() {
	t.known, t.header, t.path, t.length, t.size, t.torn = false, session.Header{}, "", 0, 0, false
}

// New makes a store. It reads nothing but the kind of the root. The clock gives the names of temporary files.
func New(config Config, c clock.Clock) (*Store, error) {
	if config.Root == "" {
		return nil, errors.New("jsonl: root is empty")
	}
	root, err := filepath.Abs(config.Root)
	if err != nil {
		return nil, fmt.Errorf("jsonl: root: %w", err)
	}
	switch config.Compression {
	case "", CompressionZstd, CompressionNone:
	default:
		return nil, fmt.Errorf("jsonl: compression %q is neither %q nor %q", config.Compression, CompressionZstd, CompressionNone)
	}
	if _, err := os.ReadDir(root); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("jsonl: root: %w", err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	return &Store{
		root: root, compressed: config.Compression != CompressionNone, pack: config.PackChunks, clock: c, disk: realDisk{},
		encoder: encoder, decoder: decoder, sessions: map[string]*tracked{},
	}, nil
}

// enter begins an operation on a session and gives its locked record; leave ends it.
func (s *Store) enter(ctx context.Context, id string) (t *tracked, leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s.open.RLock()
	if s.closed {
		s.open.RUnlock()
		return nil, nil, persistence.ErrClosed
	}
	s.mu.Lock()
	t = s.sessions[id]
	if t == nil {
		t = &tracked{}
		s.sessions[id] = t
	}
	t.users++
	s.mu.Unlock()
	t.lock.Lock()
	return t, func() {
		s.mu.Lock()
		t.users--
		if t.users == 0 && !t.known { // do not keep a record for every id somebody asks for
			delete(s.sessions, id)
		}
		s.mu.Unlock()
		t.lock.Unlock()
		s.open.RUnlock()
	}, nil
}

// Create registers a session; see persistence.Store.
func (s *Store) Create(ctx context.Context, h session.Header) error {
	return s.on(ctx, "create", h.ID, func(t *tracked) error {
		if err := h.Validate(); err != nil {
			return err
		}
		if t.known {
			return persistence.ErrExists
		}
		path, err := s.find(h.ID)
		switch {
		case err == nil:
			return fmt.Errorf("%w: %s", persistence.ErrExists, path)
		case !errors.Is(err, persistence.ErrNotFound):
			return err
		}
		t.known, t.header = true, h
		return nil
	})
}

// on runs one operation on a session and names both in its error.
func (s *Store) on(ctx context.Context, doing, id string, operation func(t *tracked) error) error {
	t, leave, err := s.enter(ctx, id)
	if err == nil {
		defer leave()
		err = operation(t)
	}
	if err != nil {
		return fmt.Errorf("jsonl: %s session %q: %w", doing, id, err)
	}
	return nil
}

// Append stores events; see persistence.Store.
func (s *Store) Append(ctx context.Context, id string, events []session.Event) error {
	return s.on(ctx, "append to", id, func(t *tracked) error {
		if err := s.learn(ctx, id, t); err != nil {
			return err
		}
		return s.append(id, t, events)
	})
}

func (s *Store) append(id string, t *tracked, events []session.Event) error {
	for i, e := range events {
		if want := t.length + int64(i); e.Seq != want {
			return fmt.Errorf("append seq mismatch for %q: expected %d at index %d, got %d", id, want, i, e.Seq)
		}
	}
	if len(events) == 0 {
		return nil
	}
	rows, err := session.AppendRows(nil, events, session.WriteOptions{Pack: s.pack})
	if err != nil {
		return err
	}
	if t.path == "" {
		return s.publish(t, rows, len(events))
	}
	if t.torn {
		if err := shorten(s.disk, t.path, t.size); err != nil {
			return fmt.Errorf("cut off an earlier failed write: %w", err)
		}
		t.torn = false
	}
	batch := s.encode(nil, rows)
	whole, err := extend(s.disk, t.path, t.size, batch)
	t.torn = !whole
	if err != nil {
		return err
	}
	t.size += int64(len(batch))
	t.length += int64(len(events))
	return nil
}

func (s *Store) publish(t *tracked, rows []byte, count int) error {
	line, err := t.header.MarshalJSON()
	if err != nil {
		return err
	}
	content := s.encode(s.encode(nil, append(line, '\n')), rows)
	path := s.Locate(t.header)
	if path == "" {
		_, err := sessionName(t.header.ID)
		return err
	}
	unique := strings.ReplaceAll(s.clock.NewID(), "-", "")[:12]
	if err := publish(path, content, unique); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %s", persistence.ErrExists, path)
		}
		return err
	}
	t.path, t.size, t.length = path, int64(len(content)), int64(count)
	return nil
}

// encode appends text as one unit of the file.
func (s *Store) encode(out, text []byte) []byte {
	if !s.compressed {
		return append(out, text...)
	}
	return s.encoder.EncodeAll(text, out)
}

// learn makes a record of a session that is only on disk. It changes nothing there.
func (s *Store) learn(ctx context.Context, id string, t *tracked) error {
	if t.known {
		return nil
	}
	found, path, err := s.look(ctx, id)
	if err != nil {
		return err
	}
	if found.cut >= 0 {
		return errors.New("the log has a torn end: load it first")
	}
	t.known, t.header, t.path, t.length, t.size = true, found.header, path, int64(len(found.events)), found.size
	return nil
}

// Length counts the stored events; see persistence.Store.
func (s *Store) Length(ctx context.Context, id string) (length int64, err error) {
	err = s.on(ctx, "measure", id, func(t *tracked) error {
		err := s.learn(ctx, id, t)
		length = t.length
		return err
	})
	return length, err
}

// Inspect reads a session and changes nothing; see persistence.Store.
func (s *Store) Inspect(ctx context.Context, id string) (h session.Header, events []session.Event, err error) {
	err = s.on(ctx, "inspect", id, func(t *tracked) error {
		if t.known && t.path == "" {
			h = t.header
			return nil
		}
		found, _, err := s.look(ctx, id)
		h, events = found.header, found.events
		return err
	})
	return h, events, err
}

// Load opens a session to go on with it; see persistence.Store.
func (s *Store) Load(ctx context.Context, id string) (h session.Header, events []session.Event, err error) {
	err = s.on(ctx, "load", id, func(t *tracked) error {
		if t.known && t.path == "" {
			h = t.header
			return nil
		}
		found, path, err := s.look(ctx, id)
		if err != nil {
			return err
		}
		h, events = found.header, append(found.events, session.Repair(found.header, found.events)...)
		return s.repair(id, t, path, found, events)
	})
	if err != nil {
		return session.Header{}, nil, err
	}
	return h, events, nil
}

// repair makes the file hold exactly events: it cuts off a torn end, then appends what the cut took along and the closing events.
func (s *Store) repair(id string, t *tracked, path string, found contents, events []session.Event) error {
	stored := len(found.events)
	size := found.size
	if found.cut >= 0 {
		if err := shorten(s.disk, path, found.cut); err != nil {
			return err
		}
		stored, size = stored-found.rest, found.cut
	}
	t.known, t.header, t.path, t.length, t.size, t.torn = true, found.header, path, int64(stored), size, false
	return s.append(id, t, events[stored:])
}

// Delete removes a session; see persistence.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.on(ctx, "delete", id, func(t *tracked) error {
		created := t.known && t.path == ""
		path, err := s.find(id)
		switch {
		case err == nil:
			err = remove(path)
		case created && errors.Is(err, persistence.ErrNotFound):
			err = nil
		}
		if err == nil {
			t.forget()
		}
		return err
	})
}

// Close refuses every later operation, after those under way have ended; see persistence.Store.
func (s *Store) Close(context.Context) error {
	s.open.Lock()
	defer s.open.Unlock()
	if !s.closed {
		s.closed = true
		s.decoder.Close()
		return s.encoder.Close()
	}
	return nil
}
