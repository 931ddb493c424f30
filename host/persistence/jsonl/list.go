package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"keylane/host/persistence"
	"keylane/host/session"
)

// listing is what the last list found, by the path of each log below the root.
type listing struct {
	Sessions map[string]summary `json:"sessions"`
}

// summary is what a list shows of one log.
type summary struct {
	Key          key                 `json:"key"`
	Header       session.Header      `json:"header"`
	Title        string              `json:"title,omitempty"`
	LastActivity int64               `json:"lastActivity"`
	Blank        bool                `json:"blank,omitempty"`
	Damage       *persistence.Damage `json:"damage,omitempty"`
}

func (s *Store) listingPath() string { return filepath.Join(s.indexFolder(), "list") }

// List tells of every stored session; see persistence.Store.
func (s *Store) List(ctx context.Context) ([]persistence.Entry, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("jsonl: list: %w", persistence.ErrClosed)
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.listed == nil {
		s.listed = &listing{}
		if s.cache != "" && !readIndex(s.listingPath(), s.listed) {
			s.listed = &listing{}
		}
	}
	found := &listing{Sessions: make(map[string]summary, len(s.listed.Sessions))}
	out, err := s.list(ctx, found)
	if err != nil {
		return nil, fmt.Errorf("jsonl: list: %w", err)
	}
	if s.cache != "" && !maps.EqualFunc(found.Sessions, s.listed.Sessions, func(a, b summary) bool { return a.Key == b.Key }) {
		s.writeIndex(s.listingPath(), found)
	}
	s.listed = found
	return out, nil
}

func (s *Store) list(ctx context.Context, found *listing) ([]persistence.Entry, error) {
	projects, err := s.projects()
	if err != nil {
		return nil, err
	}
	locks, err := s.locked()
	if err != nil {
		return nil, err
	}
	var out []persistence.Entry
	for _, project := range projects {
		if out, err = s.listProject(ctx, out, project, locks, found); err != nil {
			return nil, err
		}
	}
	markDuplicates(out)
	return out, nil
}

func (s *Store) listProject(ctx context.Context, out []persistence.Entry, project string, locks map[string]bool, found *listing) ([]persistence.Entry, error) {
	folder := filepath.Join(s.root, project)
	sessions, err := os.ReadDir(folder)
	if err != nil {
		return append(out, persistence.Entry{Path: folder, Problem: err}), nil
	}
	for _, entry := range sessions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case entry.IsDir():
			listed, there := s.listSession(ctx, project, entry.Name(), found)
			if !there {
				continue
			}
			s.tellHolder(&listed, locks)
			out = append(out, listed)
		case strings.Contains(entry.Name(), ".jsonl"):
			out = append(out, persistence.Entry{Path: filepath.Join(folder, entry.Name()),
				Problem: errors.New("a log directly in the project directory is an obsolete layout")})
		}
	}
	return out, ctx.Err()
}

func (s *Store) tellHolder(entry *persistence.Entry, locks map[string]bool) {
	if len(locks) == 0 || entry.Header.ID == "" {
		return
	}
	path, err := s.lockPath(entry.Header.ID)
	if err != nil || !locks[filepath.Base(path)] || s.holds(entry.Header.ID) {
		return
	}
	if entry.LockedBy, err = s.holder(entry.Header.ID); err != nil && entry.Problem == nil {
		entry.Problem = err
	}
}

// listSession looks at one session directory. A directory without a log is no session: a crash may leave one.
func (s *Store) listSession(ctx context.Context, project, name string, found *listing) (persistence.Entry, bool) {
	directory := filepath.Join(s.root, project, name)
	out := persistence.Entry{Path: filepath.Join(directory, s.fileName())}
	id, named := sessionID(name)
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
	if !named {
		out.Problem = fmt.Errorf("%q is not the name of a session's directory", name)
		return out, true
	}
	place := filepath.Join(project, name, s.fileName())
	seen, ok := s.listed.Sessions[place]
	if !ok || seen.Key != keyOf(info) {
		if seen, err = s.summarise(ctx, out.Path, id); err != nil {
			out.Problem = err
			return out, true
		}
	}
	if err := s.checkIdentity(seen.Header, out.Path); err != nil {
		out.Problem = err
		return out, true
	}
	found.Sessions[place] = seen
	out.Revision = seen.Key.revision()
	out.Header, out.Title, out.LastActivity, out.Blank = seen.Header, seen.Title, seen.LastActivity, seen.Blank
	if seen.Damage != nil {
		out.Problem = seen.Damage
	}
	return out, true
}

// summarise reads a log for the list.
func (s *Store) summarise(ctx context.Context, path, id string) (summary, error) {
	file, err := os.Open(path)
	if err != nil {
		return summary{}, err
	}
	defer file.Close() // opened to read: nothing can be lost
	v, now, err := s.surveyOf(ctx, file, path, id, true)
	if err != nil {
		return summary{}, err
	}
	p := v.Follower.Projection()
	return summary{now, v.Header, p.Title, p.LastActivity, p.Blank, v.Damage}, nil
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
