package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
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
func (s *Store) look(ctx context.Context, id string) (contents, string, error) {
	path, err := s.find(id)
	if err != nil {
		return contents{}, "", err
	}
	found, err := s.read(ctx, path)
	if err == nil {
		err = s.checkIdentity(found.header, path)
	}
	if err != nil {
		return contents{}, "", fmt.Errorf("%s: %w", path, err)
	}
	return found, path, nil
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

// List tells of every stored session; see persistence.Store.
func (s *Store) List(ctx context.Context) ([]persistence.Entry, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("jsonl: list: %w", persistence.ErrClosed)
	}
	projects, err := s.projects()
	if err != nil {
		return nil, fmt.Errorf("jsonl: list: %w", err)
	}
	var out []persistence.Entry
	for _, project := range projects {
		if out, err = s.listProject(ctx, out, filepath.Join(s.root, project)); err != nil {
			return nil, fmt.Errorf("jsonl: list: %w", err)
		}
	}
	markDuplicates(out)
	return out, nil
}

func (s *Store) listProject(ctx context.Context, out []persistence.Entry, project string) ([]persistence.Entry, error) {
	sessions, err := os.ReadDir(project)
	if err != nil {
		return append(out, persistence.Entry{Path: project, Problem: err}), nil
	}
	for _, entry := range sessions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(project, entry.Name())
		switch {
		case entry.IsDir():
			if listed, there := s.listSession(path); there {
				out = append(out, listed)
			}
		case strings.Contains(entry.Name(), ".jsonl"):
			out = append(out, persistence.Entry{Path: path, Problem: errors.New("a log directly in the project directory is an obsolete layout")})
		}
	}
	return out, nil
}

// listSession looks at one session directory. A directory without a log is no session: a crash may leave one.
func (s *Store) listSession(directory string) (persistence.Entry, bool) {
	out := persistence.Entry{Path: filepath.Join(directory, s.fileName())}
	id, named := sessionID(filepath.Base(directory))
	out.Header.ID = id
	info, err := os.Stat(out.Path)
	if errors.Is(err, fs.ErrNotExist) {
		other := filepath.Join(directory, s.otherFileName())
		if info, err = os.Stat(other); errors.Is(err, fs.ErrNotExist) {
			return persistence.Entry{}, false
		}
		if err == nil {
			out.Path, out.Size, out.ModTime, err = other, info.Size(), info.ModTime(), s.wrongEncoding(other)
		}
		out.Problem = err
		return out, true
	}
	if err != nil {
		out.Problem = err
		return out, true
	}
	out.Size, out.ModTime = info.Size(), info.ModTime()
	header, err := s.readHeader(out.Path)
	if err == nil {
		err = s.checkIdentity(header, out.Path)
	}
	switch {
	case err != nil:
		out.Problem = err
	case !named:
		out.Problem = fmt.Errorf("%q is not the name of a session's directory", filepath.Base(directory))
	default:
		out.Header = header
	}
	return out, true
}

// readHeader reads no more of a file than its header needs.
func (s *Store) readHeader(path string) (session.Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return session.Header{}, err
	}
	defer file.Close() // opened to read: nothing can be lost
	info, err := file.Stat()
	if err != nil {
		return session.Header{}, err
	}
	if s.compressed {
		header, _, err := s.readFirstFrame(file, info.Size())
		return header, err
	}
	lines := session.NewLineReader(file)
	line, err := lines.Next()
	if errors.Is(err, io.EOF) || err == nil && !lines.Complete() {
		return session.Header{}, errors.New("corrupt session log: header line is cut off")
	}
	if err != nil {
		return session.Header{}, err
	}
	return session.ParseHeader(line, session.ReadOptions{})
}

// markDuplicates makes a problem of every session that is stored more than once: nobody can tell which one is right.
func markDuplicates(entries []persistence.Entry) {
	places := map[string][]int{}
	for i, entry := range entries {
		if entry.Header.ID != "" {
			places[entry.Header.ID] = append(places[entry.Header.ID], i)
		}
	}
	for id, indexes := range places {
		if len(indexes) < 2 {
			continue
		}
		for _, i := range indexes {
			duplicate := fmt.Errorf("session %q is stored %d times", id, len(indexes))
			entries[i].Problem = errors.Join(entries[i].Problem, duplicate)
		}
	}
}
