package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
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
	decoder, err := zstd.NewReader(nil, append(bounds(), zstd.WithDecodeAllCapLimit(true))...)
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
		encoder: encoder, decoder: decoder, sessions: map[string]*tracked{}, holding: map[string]bool{},
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
	return errors.Join(append(problems, s.encoder.Close())...)
}
