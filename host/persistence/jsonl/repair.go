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

// repairHeld repairs a log whose lock this store has. Of the log no more is in memory than one frame; it is read once or twice before
// anything is changed, and until then ctx may end it.
func (s *Store) repairHeld(ctx context.Context, id string, t *tracked) (persistence.Repaired, error) {
	path, err := s.find(id)
	if err != nil {
		return persistence.Repaired{}, err
	}
	v, rest, err := s.lookForRest(ctx, path)
	if err != nil {
		return persistence.Repaired{}, err
	}
	done := persistence.Repaired{Damage: v.Damage, Length: v.length()}
	if v.Damage == nil {
		return done, nil
	}
	rest = append(rest, v.Follower.Closing()...)
	kept, err := s.sound(ctx, path, v)
	if err != nil {
		return persistence.Repaired{}, err
	}
	if done.Backup, err = s.backUp(ctx, path); err != nil {
		return persistence.Repaired{}, fmt.Errorf("%s was not touched: keep a copy of it: %w", path, err)
	}
	if err := s.mend(id, t, path, kept, true, rest); err != nil {
		return persistence.Repaired{}, fmt.Errorf("%w; the log as it was is %s", err, done.Backup)
	}
	done.Length = t.length()
	return done, nil
}

// lookForRest reads the file of a session as lookAt does; rest are the last v.Rest events, which stand in the piece that is no longer sound.
func (s *Store) lookForRest(ctx context.Context, path string) (v *survey, rest []session.Event, err error) {
	v, err = s.lookAt(ctx, path, func(p *pass) {
		p.keep = func(e session.Event) {
			if e.Seq == p.into.End.Seq { // the first one of its piece: those before it are sound
				clear(rest)
				rest = rest[:0]
			}
			rest = append(rest, e)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return v, rest[int64(len(rest))-v.Rest:], nil
}

// sound is what is known of the part of a log that stays when the file is cut where its sound part ends.
func (s *Store) sound(ctx context.Context, path string, v *survey) (*survey, error) {
	if v.Rest == 0 {
		kept := *v
		kept.Damage, kept.Cut = nil, -1
		return &kept, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened to read: nothing can be lost
	kept, err := s.whole(ctx, file, path, v.End.At, nil)
	if err == nil && (kept.Damage != nil || kept.Cut >= 0 || kept.length() != v.End.Seq) {
		err = errMoved
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return kept, nil
}

// backUp copies a log beside itself, durably; a copy that was not finished is removed.
func (s *Store) backUp(ctx context.Context, path string) (string, error) {
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
	_, err = io.Copy(to, &patient{ctx, from})
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

// mend cuts a file to the part that kept tells of, where more follows, and appends rest: what the cut took along and what closes the log.
func (s *Store) mend(id string, t *tracked, path string, kept *survey, more bool, rest []session.Event) error {
	if more {
		if err := shorten(s.disk, path, kept.End.At); err != nil {
			return err
		}
	}
	t.know(path, kept.End.At, kept)
	return s.append(id, t, rest)
}

// patient is a reader that ends with a context.
type patient struct {
	ctx  context.Context
	from io.Reader
}

func (p *patient) Read(into []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.from.Read(into)
}
