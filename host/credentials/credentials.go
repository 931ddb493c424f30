// Package credentials keeps what providers must be shown to let the person in: API keys. They are in one file, <home>/credentials.yml,
// for the person alone (mode 0600), by the name of who asks for them:
//
//	deepseek: sk-…
//
// A value goes in and is asked for by the code that sends it, and by nothing else: no call, event, log record or error of the host has one.
// What a page sees of a credential is a Status. A person may write the file by hand; what a host changes, it changes under a file lock that
// other hosts heed, by writing a new file and renaming it over the old one. The file is read whenever a value is needed, so that every
// host of a home has the same.
//
// A file that other people can read is used all the same, because refusing would only keep the person from working; Problem says so, and
// the next change puts it right. A file that is broken gives nothing and is never written over.
package credentials

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/gofrs/flock"
	"gopkg.in/yaml.v3"

	"keylane/host/home"
)

// Errors that callers branch on. None has a value in its text.
var (
	// ErrUnknown: nobody declared this name.
	ErrUnknown = errors.New("nobody asks for this credential")
	// ErrInvalid: the value cannot be one.
	ErrInvalid = errors.New("want a line of visible characters without spaces, at most 4096 bytes")
	// ErrBroken: the file cannot be read as what it should be, and so is not written over.
	ErrBroken = errors.New("the file of credentials is broken; mend it or move it away")
)

// longest value in bytes; tokens of cloud providers have two thousand.
const longest = 4096

// Use is somebody who needs a credential.
type Use struct {
	// Ref names it: small letters, digits and dashes.
	Ref string
	// Name is what people read.
	Name string
	// Elsewhere is where the value comes from when not from here: from the row's config or a variable of the environment, which win.
	// "" is nowhere.
	Elsewhere Source
	// Variable of the environment that is asked first; "" is none.
	Variable string
}

// Source is where a credential comes from.
type Source string

// The sources.
const (
	None        Source = "none"
	Row         Source = "row"
	Environment Source = "environment"
	Stored      Source = "stored"
)

// Status is all that there is to know of a credential but its value.
type Status struct {
	Use
	// Source is what counts now.
	Source Source
	// Stored is whether the file has one, also while another counts.
	Stored bool
}

// Store is the file and who needs what of it. It is safe for concurrent use.
type Store struct {
	path string

	mu        sync.Mutex // guards what is below
	uses      []Use
	observers map[*func(ref string)]bool
}

// Open makes a store of the file at path, which need not exist. It writes nothing.
func Open(path string) *Store {
	return &Store{path: filepath.Clean(path), observers: map[*func(string)]bool{}}
}

// File is the path of the file.
func (s *Store) File() string { return s.path }

// Declare makes a need known until dispose. Two needs of one name are an error.
func (s *Store) Declare(use Use) (dispose func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.uses, func(other Use) bool { return other.Ref == use.Ref }) {
		return nil, fmt.Errorf("credentials: declaring %q: it is there already", use.Ref)
	}
	s.uses = append(s.uses, use)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.uses = slices.DeleteFunc(s.uses, func(other Use) bool { return other.Ref == use.Ref })
	}, nil
}

// Value is the stored credential, "" when there is none or the file cannot be read.
func (s *Store) Value(ref string) string {
	values, err := s.read()
	if err != nil {
		return ""
	}
	return values[ref]
}

// Status tells of all that are needed, in order of declaration.
func (s *Store) Status() []Status {
	values, err := s.read()
	if err != nil {
		values = nil // Problem says why
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Status, len(s.uses))
	for i, use := range s.uses {
		status := Status{Use: use, Source: None, Stored: values[use.Ref] != ""}
		switch {
		case use.Elsewhere != "":
			status.Source = use.Elsewhere
		case status.Stored:
			status.Source = Stored
		}
		all[i] = status
	}
	return all
}

// Problem says what is wrong with the file, and nothing of what is in it; nil when nothing is.
func (s *Store) Problem() error {
	if _, err := s.read(); err != nil {
		return err
	}
	info, err := os.Stat(s.path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("credentials: %s can be read by other people of this machine: run `chmod 600 %s`", s.path, s.path)
	}
	return nil
}

// Set stores a credential.
func (s *Store) Set(ref, value string) error {
	value = strings.TrimSpace(value) // what is pasted often ends in a line
	if value == "" || len(value) > longest || strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return fmt.Errorf("credentials: storing %q: %w", ref, ErrInvalid)
	}
	return s.change(ref, func(values map[string]string) { values[ref] = value })
}

// Unset removes a credential; one that is not there is no error.
func (s *Store) Unset(ref string) error {
	return s.change(ref, func(values map[string]string) { delete(values, ref) })
}

// Observe has f called with the name of every credential that this store changes, until dispose. It must not block or call the store.
func (s *Store) Observe(f func(ref string)) (dispose func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observers[&f] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, &f)
	}
}

func (s *Store) read() (map[string]string, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("credentials: reading: %w", err)
	}
	var values map[string]string
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&values); err != nil && len(bytes.TrimSpace(text)) > 0 {
		// What the parser says may quote the file.
		return nil, fmt.Errorf("credentials: reading %s: %w", s.path, ErrBroken)
	}
	return values, nil
}

func (s *Store) change(ref string, edit func(map[string]string)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.uses, func(use Use) bool { return use.Ref == ref }) {
		return fmt.Errorf("credentials: storing %q: %w", ref, ErrUnknown)
	}
	if err := s.rewrite(edit); err != nil {
		return err
	}
	for f := range s.observers {
		(*f)(ref)
	}
	return nil
}

func (s *Store) rewrite(edit func(map[string]string)) (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("credentials: making the folder: %w", err)
	}
	lock := flock.New(s.path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("credentials: locking: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	values, err := s.read()
	if err != nil {
		return err
	}
	if values == nil {
		values = map[string]string{}
	}
	edit(values)
	text, err := yaml.Marshal(values)
	if err != nil {
		return fmt.Errorf("credentials: writing: %w", ErrBroken)
	}
	return home.Replace(s.path, text, 0o600)
}
