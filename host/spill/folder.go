package spill

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keylane/host/composition"
)

// Service is the host's spill folder.
var Service = composition.NewService[*Folder]("spill")

// Scheme begins the handle of a file: "spill:call_1-stdout.txt" is the file of that name in the folder of the session that says it.
const Scheme = "spill:"

// The defaults of Config.
const (
	DefaultMaxBytes = 64 << 20
	DefaultKeep     = 7 * 24 * time.Hour
)

// Config of a folder. Zero values stand for the defaults.
type Config struct {
	// Dir is the folder, absolute. It is made when the first file is.
	Dir string
	// MaxBytes is how much one file holds.
	MaxBytes int64
	// Keep is how long a file stays that is not written any more.
	Keep time.Duration
}

// Folder is where files lie. It is safe for concurrent use.
type Folder struct{ config Config }

// New makes a folder; nothing is on disk yet.
func New(c Config) (*Folder, error) {
	if !filepath.IsAbs(c.Dir) {
		return nil, fmt.Errorf("spill: the folder %q is not an absolute path", c.Dir)
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Keep <= 0 {
		c.Keep = DefaultKeep
	}
	c.Dir = filepath.Clean(c.Dir)
	return &Folder{c}, nil
}

// Session is the folder of one session; it need not exist. Different ids have different folders.
func (f *Folder) Session(id string) string { return filepath.Join(f.config.Dir, nameOf(id)) }

// Create makes a new file for a session. Its name is made of words, or of words and a number when that is taken: a provider may give
// two calls of one session the same id.
func (f *Folder) Create(sessionID string, words ...string) (*File, error) {
	folder := f.Session(sessionID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("spill: making the session's folder: %w", err)
	}
	for i, word := range words {
		words[i] = nameOf(word)
	}
	base := strings.Join(words, "-")
	for n := 1; ; n++ {
		name := base + ".txt"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.txt", base, n)
		}
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return &File{file: file, room: f.config.MaxBytes}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("spill: making a file: %w", err)
		}
	}
}

// Sweep removes the files that were last written longer than Keep before now, and the folders that are empty then. It goes on after an
// error and returns all of them.
func (f *Folder) Sweep(now time.Time) error {
	sessions, err := os.ReadDir(f.config.Dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("spill: sweeping: %w", err)
	}
	var problems []error
	for _, session := range sessions {
		if session.IsDir() {
			problems = append(problems, sweepSession(filepath.Join(f.config.Dir, session.Name()), now.Add(-f.config.Keep)))
		}
	}
	return errors.Join(problems...)
}

func sweepSession(folder string, before time.Time) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("spill: sweeping: %w", err)
	}
	var problems []error
	left := len(files)
	for _, file := range files {
		info, err := file.Info()
		if errors.Is(err, fs.ErrNotExist) {
			left-- // somebody else sweeps too
			continue
		}
		if err == nil && (!info.Mode().IsRegular() || !info.ModTime().Before(before)) {
			continue
		}
		if err == nil {
			err = os.Remove(filepath.Join(folder, file.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, fmt.Errorf("spill: sweeping: %w", err))
			continue
		}
		left--
	}
	if left == 0 {
		// A session that runs may be making a file in it just now; then the folder stays.
		_ = os.Remove(folder)
	}
	return errors.Join(problems...)
}

// nameOf makes a file name of an id that may hold anything: what is harmless stays as it is, the rest is named by its hash.
func nameOf(id string) string {
	harmless := id != "" && len(id) <= 100 && strings.IndexFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) < 0
	if harmless {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "h." + hex.EncodeToString(sum[:16])
}
