package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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
	// Cache is a directory for the index, which may be removed at any time; empty for none. It is made when it is needed.
	Cache string
	// Logger is told when the index cannot be written; nil drops that.
	Logger *slog.Logger
}

// Store keeps sessions under a root directory. It implements persistence.Store.
type Store struct {
	root       string
	compressed bool
	pack       bool
	cache      string
	clock      clock.Clock
	logger     *slog.Logger
	started    int64 // Unix ms, of the store: says in locks which host it is
	disk       disk
	encoder    *zstd.Encoder // EncodeAll only, which is safe for concurrent use
	decoder    *zstd.Decoder // DecodeAll only, likewise
	tearing    sync.Mutex    // guards stream
	stream     *zstd.Decoder // for frames that are cut off

	open     sync.RWMutex // held to read during every operation, to write by Close
	closed   bool         // guarded by open
	mu       sync.Mutex   // guards sessions and holding
	sessions map[string]*tracked
	holding  map[string]bool // the sessions whose lock this store has
	listing  sync.Mutex      // guards listed
	listed   *listing        // what the last list found, nil before the first
}

// tracked is what the store knows of a session. Its lock is held during every operation on the session.
type tracked struct {
	users  int // operations that hold or wait for lock; guarded by Store.mu
	lock   sync.Mutex
	held   *lock // the session's lock between hosts, nil when this store does not have it
	known  bool  // the rest is valid
	header session.Header
	path   string  // "" until the first batch: the session was created and nothing is stored
	size   int64   // bytes stored
	survey *survey // what is stored, without damage and without a torn end
	torn   bool    // a failed write could not be undone: the file may be longer than size
}

func (t *tracked) length() int64 {
	if t.survey == nil {
		return 0
	}
	return t.survey.length()
}

// know makes a record of what is stored.
func (t *tracked) know(path string, size int64, v *survey) {
	t.known, t.header, t.path, t.size, t.survey, t.torn = true, v.Header, path, size, v, false
}

func (t *tracked) forget() {
	t.known, t.header, t.path, t.size, t.survey, t.torn = false, session.Header{}, "", 0, nil, false
}

// New makes a store. It reads nothing but the kind of the root. The clock gives the names of temporary files, and the times in locks.
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
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	stream, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	logger := config.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	var started int64
	if c != nil {
		started = c.Now().UnixMilli()
	}
	return &Store{
		root: root, compressed: config.Compression != CompressionNone, pack: config.PackChunks, cache: config.Cache, clock: c, disk: realDisk{},
		logger: logger, started: started,
		encoder: encoder, decoder: decoder, stream: stream, sessions: map[string]*tracked{}, holding: map[string]bool{},
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
		if t.users == 0 && !t.known && t.held == nil { // do not keep a record for every id somebody asks for
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
		if want := t.length() + int64(i); e.Seq != want {
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
		return s.publish(id, t, rows, events)
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
	t.stored(int64(len(batch)), rows, events)
	return nil
}

// stored takes note of a batch that is in the file now.
func (t *tracked) stored(bytesAdded int64, rows []byte, events []session.Event) {
	t.survey.begin()
	for _, e := range events {
		t.survey.add(e)
	}
	t.size += bytesAdded
	t.survey.End = mark{t.size, t.length(), t.survey.End.Row + bytes.Count(rows, []byte{'\n'})}
}

func (s *Store) publish(id string, t *tracked, rows []byte, events []session.Event) error {
	line, err := t.header.MarshalJSON()
	if err != nil {
		return err
	}
	head := s.encode(nil, append(line, '\n'))
	content := s.encode(head[:len(head):len(head)], rows)
	path := s.Locate(t.header)
	if path == "" {
		_, err := sessionName(t.header.ID)
		return err
	}
	if there, err := exists(path); err != nil || there {
		return errors.Join(err, fmt.Errorf("%w: %s", persistence.ErrExists, path))
	}
	fresh, err := s.hold(id, t)
	if err != nil {
		return err
	}
	if err := publish(s.disk, path, content, s.unique()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: %s", persistence.ErrExists, path)
		}
		if fresh {
			err = errors.Join(err, s.free(id, t))
		}
		return err
	}
	size := int64(len(head))
	t.know(path, size, &survey{Header: t.header, Follower: session.Follow(t.header), End: mark{At: size, Row: 1}, Cut: -1})
	t.stored(int64(len(content))-size, rows, events)
	return nil
}

// unique makes the name of a temporary file one of its own.
func (s *Store) unique() string { return strings.ReplaceAll(s.clock.NewID(), "-", "")[:12] }

// encode appends text as one unit of the file.
func (s *Store) encode(out, text []byte) []byte {
	if !s.compressed {
		return append(out, text...)
	}
	return s.encoder.EncodeAll(text, out)
}

// learn takes the lock of a session that is only on disk and makes a record of it. It changes nothing there.
func (s *Store) learn(ctx context.Context, id string, t *tracked) error {
	if t.known {
		return nil
	}
	path, err := s.find(id)
	if err != nil {
		return err
	}
	fresh, err := s.hold(id, t)
	if err != nil {
		return err
	}
	v, _, path, err := s.lookAt(ctx, path)
	switch {
	case err != nil:
	case v.Damage != nil:
		err = v.Damage
	case v.Cut >= 0:
		err = errors.New("the log has a torn end: load it first")
	default:
		t.know(path, v.End.At, v)
		return nil
	}
	if fresh {
		err = errors.Join(err, s.letGo(id, t))
	}
	return err
}

// Length counts the stored events; see persistence.Store.
func (s *Store) Length(ctx context.Context, id string) (length int64, err error) {
	err = s.on(ctx, "measure", id, func(t *tracked) error {
		if t.known {
			length = t.length()
			return nil
		}
		page, err := s.page(ctx, id, t, 0, 1)
		length = page.Stored
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
		v, found, _, err := s.look(ctx, id)
		if err != nil {
			return err
		}
		h, events = v.Header, found
		if v.Damage != nil {
			return v.Damage
		}
		return nil
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
		path, err := s.find(id)
		if err != nil {
			return err
		}
		fresh, err := s.hold(id, t)
		if err != nil {
			return err
		}
		v, found, path, err := s.lookAt(ctx, path)
		if err == nil && v.Damage != nil {
			err = v.Damage
		}
		if err == nil {
			h, events = v.Header, append(found, session.Repair(v.Header, found)...)
			err = s.mend(id, t, path, v, events)
		}
		if err != nil && fresh {
			err = errors.Join(err, s.letGo(id, t))
		}
		return err
	})
	if err != nil {
		return session.Header{}, nil, err
	}
	return h, events, nil
}

// Release frees a session for other hosts; see persistence.Store.
func (s *Store) Release(ctx context.Context, id string) error {
	return s.on(ctx, "release", id, func(t *tracked) error {
		s.noteIndex(id, t)
		return s.letGo(id, t)
	})
}

// noteIndex keeps in the index what this store knows anyway of a session that it lets go.
func (s *Store) noteIndex(id string, t *tracked) {
	kept := s.indexPath(id)
	if !t.known || t.path == "" || t.torn || kept == "" || t.size < worthIndexing {
		return
	}
	file, err := os.Open(t.path)
	if err != nil {
		return // who reads the session next will say so
	}
	defer file.Close() // opened to read: nothing can be lost
	if info, err := file.Stat(); err == nil && info.Size() == t.size {
		s.keepSurvey(file, kept, t.survey, keyOf(info))
	}
}

// Delete removes a session; see persistence.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.on(ctx, "delete", id, func(t *tracked) error {
		if t.known && t.path == "" {
			t.forget()
			return nil
		}
		path, err := s.find(id)
		if err != nil {
			return err
		}
		fresh, err := s.hold(id, t)
		if err != nil {
			return err
		}
		if err := remove(s.disk, path); err != nil {
			if fresh {
				err = errors.Join(err, s.letGo(id, t))
			}
			return err
		}
		t.forget()
		return errors.Join(s.letGo(id, t), s.dropIndex(id))
	})
}

// Close refuses every later operation, after those under way have ended; see persistence.Store.
func (s *Store) Close(context.Context) error {
	s.open.Lock()
	defer s.open.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var problems []error
	for id, t := range s.sessions { // nobody is inside: open is held
		s.noteIndex(id, t)
		problems = append(problems, s.letGo(id, t))
	}
	s.decoder.Close()
	s.stream.Close()
	return errors.Join(append(problems, s.encoder.Close())...)
}
