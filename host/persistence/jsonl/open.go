package jsonl

import (
	"context"
	"errors"
	"os"

	"keylane/host/session"
)

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
		var found []session.Event
		return s.take(ctx, id, t, keepAll(&found), func(path string, v *survey) error {
			h, events = v.Header, append(found, v.Follower.Closing()...)
			kept, err := s.sound(ctx, path, v)
			if err != nil {
				return err
			}
			return s.mend(id, t, path, kept, v.Cut >= 0, events[v.End.Seq:])
		})
	})
	if err != nil {
		return session.Header{}, nil, err
	}
	return h, events, nil
}

// take takes the lock of a session that is on disk, reads all of it and hands the sound log on. set is that of readAll; nil when only what is
// known of the events matters, and then nothing of the log stays in memory. When anything fails, a lock that was taken for this is given back.
func (s *Store) take(ctx context.Context, id string, t *tracked, set func(*pass), use func(path string, v *survey) error) error {
	path, err := s.find(id)
	if err != nil {
		return err
	}
	fresh, err := s.hold(id, t)
	if err != nil {
		return err
	}
	v, err := s.lookAt(ctx, path, set)
	if err == nil && v.Damage != nil {
		err = v.Damage
	}
	if err == nil {
		err = use(path, v)
	}
	if err != nil && fresh {
		err = errors.Join(err, s.letGo(id, t))
	}
	return err
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
