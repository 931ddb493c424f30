package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Repair makes a damaged log whole again; see persistence.Store.
func (s *Store) Repair(ctx context.Context, id string) (done persistence.Repaired, err error) {
	err = s.on(ctx, "repair", id, func(t *tracked) error {
		if t.known && t.path == "" {
			return nil
		}
		fresh, err := s.hold(id, t)
		if err != nil {
			return err
		}
		done, err = s.repairHeld(ctx, id, t)
		if fresh {
			err = errors.Join(err, s.letGo(id, t))
		}
		return err
	})
	if err != nil {
		return persistence.Repaired{}, err
	}
	return done, nil
}

func (s *Store) repairHeld(ctx context.Context, id string, t *tracked) (persistence.Repaired, error) {
	v, events, path, err := s.look(ctx, id)
	if err != nil {
		return persistence.Repaired{}, err
	}
	done := persistence.Repaired{Damage: v.Damage, Length: v.length()}
	if v.Damage == nil {
		return done, nil
	}
	if done.Backup, err = s.backUp(path); err != nil {
		return persistence.Repaired{}, fmt.Errorf("%s was not touched: keep a copy of it: %w", path, err)
	}
	v.Cut = v.End.At
	events = append(events, session.Repair(v.Header, events)...)
	if err := s.mend(id, t, path, v, events); err != nil {
		return persistence.Repaired{}, fmt.Errorf("%w; the log as it was is %s", err, done.Backup)
	}
	done.Length = t.length()
	return done, nil
}

// backUp copies a log beside itself, durably.
func (s *Store) backUp(path string) (string, error) {
	copied := path + "." + s.clock.Now().UTC().Format("20060102T150405.000000000Z") + ".bak"
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close() // opened to read: nothing can be lost
	to, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = s.disk.syncDirectory(filepath.Dir(path))
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(copied))
	}
	return copied, nil
}

// mend makes the file hold exactly events: it cuts off what comes after its sound part, then appends what the cut took along and what
// closes the log.
func (s *Store) mend(id string, t *tracked, path string, v *survey, events []session.Event) error {
	stored, size := v.length(), v.End.At
	if v.Cut >= 0 {
		if err := shorten(s.disk, path, v.Cut); err != nil {
			return err
		}
		stored = v.End.Seq
	}
	kept := &survey{Header: v.Header, Follower: session.Follow(v.Header), Marks: v.Marks, End: mark{size, stored, v.End.Row}, Cut: -1}
	for _, e := range events[:stored] {
		kept.add(e)
	}
	t.know(path, size, kept)
	return s.append(id, t, events[stored:])
}
