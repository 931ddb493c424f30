// Package settings keeps what a person prefers: one file, <home>/settings.yml, for every host on that home and for people
// with an editor.
//
//	ui-theme:
//	  preference: dark
//	locale:
//	  preference: zh
//
// A setting has a namespace, the upper key, and a name in it; Keys lists them with their values. Whatever else the file holds, keys of
// later versions and comments, stays as it is when a setting is changed.
//
// The file is read for every answer and changed under a file lock, which other hosts heed, by writing a new file and renaming it over the
// old one. Its revision follows from its content alone, so that two hosts call the same state the same; an update that names the revision
// it was made for is refused when the file has another one (compare and set).
//
// A file that is no YAML, or whose settings do not have the form above, is never written over: reading it gives the defaults and a
// Problem with the line, updating it a *FileError. A value that a setting does not have is a Problem too, and that setting has its default.
//
// Watch tells of changes by others. It asks the kernel (fsnotify) instead of polling: a change is then seen at once, an idle host costs
// nothing, and no clock has a part in it.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Key is a setting, "<namespace>.<name>".
type Key string

// The settings.
const (
	Theme      Key = "ui-theme.preference"
	Locale     Key = "locale.preference" // of the page; "" is as the browser says
	BusyEnter  Key = "ui-conversation.busyEnter"
	GroupBy    Key = "ui-sidebar.groupBy"
	Permission Key = "permission.defaultPreset" // the mode of new sessions; "" is as the row approval says
)

// allowed are the values of each setting, its default first. The modes are those of package approval, which is above this one; a test
// of host/api holds the two together.
var allowed = map[Key][]string{
	Theme:      {"system", "light", "dark"},
	Locale:     {"", "en", "zh"},
	BusyEnter:  {"queue", "steer"},
	GroupBy:    {"workspace", "none"},
	Permission: {"", "read-only", "ask", "full"},
}

// Keys are all settings, in order of their names.
func Keys() []Key { return slices.Sorted(maps.Keys(allowed)) }

// Allowed are the values that a setting can have, its default first; nil for a key that is no setting.
func Allowed(k Key) []string { return slices.Clone(allowed[k]) }

// Values has the value of every setting.
type Values map[Key]string

// Defaults are the values where nobody has chosen.
func Defaults() Values {
	v := Values{}
	for k, values := range allowed {
		v[k] = values[0]
	}
	return v
}

// Snapshot is the file at one time.
type Snapshot struct {
	// Revision names the content; "" is no file.
	Revision string
	Values   Values
	// Problem is the first thing in the file that does not count; nil when all of it does.
	Problem *Problem
}

// Problem is a place of the file that a person has to mend.
type Problem struct {
	File  string
	Line  int // from 1; 0 when no line is at fault
	Cause string
}

// ErrConflict: the file has another revision than the update was made for.
var ErrConflict = errors.New("the settings were changed meanwhile")

// FileError says that the file cannot be used, and so is not written over.
type FileError struct{ Problem }

func (e *FileError) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return fmt.Sprintf("settings: reading %s: %s; mend the file or move it away", place, e.Cause)
}

// Store is the file. It is safe for concurrent use.
type Store struct {
	path string

	mu        sync.Mutex // guards what is below; held while observers are told, which keeps changes in order
	told      string     // the revision that the observers know
	observers map[*func(Snapshot)]bool
}

// Open makes a store of the file at path, which need not exist. It writes nothing.
func Open(path string) *Store {
	s := &Store{path: filepath.Clean(path), observers: map[*func(Snapshot)]bool{}}
	s.told = s.Read().Revision
	return s
}

// File is the path of the file.
func (s *Store) File() string { return s.path }

// Read returns what the file says now.
func (s *Store) Read() Snapshot {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Snapshot{Values: Defaults()}
	}
	if err != nil {
		return Snapshot{Revision: "unreadable", Values: Defaults(), Problem: &Problem{s.path, 0, err.Error()}}
	}
	_, snapshot := s.parse(text)
	return snapshot
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Observe has f called with every change that this store makes or sees, in order, until dispose. It must not block or call the store.
func (s *Store) Observe(f func(Snapshot)) (dispose func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observers[&f] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, &f)
	}
}

// Refresh looks at the file, and tells the observers if it changed since they were told.
func (s *Store) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Read()
	if now.Revision == s.told {
		return
	}
	s.told = now.Revision
	for f := range s.observers {
		(*f)(now)
	}
}
