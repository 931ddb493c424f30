package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keylane/host/persistence"
	"keylane/host/session"
)

// find is the path of a session's file. The id alone does not tell the project, so it looks into all of them.
func (s *Store) find(id string) (string, error) {
	name, err := sessionName(id)
	if err != nil {
		return "", err
	}
	projects, err := s.projects()
	if err != nil {
		return "", err
	}
	var found []string
	for _, project := range projects {
		path := filepath.Join(s.root, project, name, s.fileName())
		there, err := exists(path)
		if err != nil {
			return "", err
		}
		if there {
			found = append(found, path)
			continue
		}
		other := filepath.Join(s.root, project, name, s.otherFileName())
		if there, err = exists(other); err != nil || there {
			return "", errors.Join(err, s.wrongEncoding(other))
		}
	}
	switch len(found) {
	case 0:
		return "", persistence.ErrNotFound
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("stored more than once: %s", strings.Join(found, ", "))
}

func (s *Store) wrongEncoding(path string) error {
	return fmt.Errorf("%s has the other encoding: this store reads %s only; change the store's compression to open it", path, s.fileName())
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// projects are the names of the project directories.
func (s *Store) projects() ([]string, error) {
	entries, err := os.ReadDir(s.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, entry := range entries {
		if entry.IsDir() && (entry.Name() == noProject || strings.HasPrefix(entry.Name(), "--")) {
			out = append(out, entry.Name())
		}
	}
	return out, nil
}

// look finds and reads a session and checks that it is the one.
func (s *Store) look(ctx context.Context, id string) (*survey, []session.Event, string, error) {
	path, err := s.find(id)
	if err != nil {
		return nil, nil, "", err
	}
	var events []session.Event
	v, err := s.lookAt(ctx, path, keepAll(&events))
	return v, events, path, err
}

// keepAll has a pass put every event into events.
func keepAll(events *[]session.Event) func(*pass) {
	return func(p *pass) { p.keep = func(e session.Event) { *events = append(*events, e) } }
}

// lookAt reads the file of a session and checks that it is the one; set is that of readAll.
func (s *Store) lookAt(ctx context.Context, path string, set func(*pass)) (*survey, error) {
	v, err := s.readAll(ctx, path, set)
	if err == nil {
		err = s.checkIdentity(v.Header, path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// checkIdentity says whether a file stands where its header says it must.
func (s *Store) checkIdentity(h session.Header, path string) error {
	want := s.Locate(h)
	if want == path {
		return nil
	}
	// Some file systems do not tell upper from lower case.
	if a, err := os.Stat(want); err == nil {
		if b, err := os.Stat(path); err == nil && os.SameFile(a, b) {
			return nil
		}
	}
	return fmt.Errorf("header names session %q in %q, which belongs to %s", h.ID, h.Cwd, want)
}
