package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Append stores events; see persistence.Store.
func (s *Store) Append(ctx context.Context, id string, events []session.Event) error {
	return s.on(ctx, "append to", id, func(t *tracked) error {
		if err := s.learn(ctx, id, t); err != nil {
			return err
		}
		return s.append(id, t, events)
	})
}

func (s *Store) append(id string, t *tracked, events []session.Event) error {
	for i, e := range events {
		if want := t.length() + int64(i); e.Seq != want {
			return fmt.Errorf("append seq mismatch for %q: expected %d at index %d, got %d", id, want, i, e.Seq)
		}
	}
	if len(events) == 0 {
		return nil
	}
	pieces, err := s.pieces(events)
	if err != nil {
		return err
	}
	if t.path == "" {
		return s.publish(id, t, pieces)
	}
	if t.torn {
		if err := shorten(s.disk, t.path, t.size); err != nil {
			return fmt.Errorf("cut off an earlier failed write: %w", err)
		}
		t.torn = false
	}
	whole, err := extend(s.disk, t.path, t.size, joined(nil, pieces))
	t.torn = !whole
	if err != nil {
		return err
	}
	t.stored(pieces)
	return nil
}

// pieceText is about how much text goes into one frame. A batch is mostly far less; one of a whole history becomes many frames, so that
// a page of it need not decompress all of it.
const pieceText = 256 << 10

// piece is what goes into a file as one frame: some events of a batch.
type piece struct {
	events  []session.Event
	rows    int
	encoded []byte
}

// pieces makes of a batch what goes into the file. All of them are written together.
func (s *Store) pieces(events []session.Event) ([]piece, error) {
	var out []piece
	for len(events) > 0 {
		count, text := 1, len(events[0].Data)
		for count < len(events) && text+len(events[count].Data) <= pieceText {
			text += len(events[count].Data)
			count++
		}
		rows, err := session.AppendRows(nil, events[:count], session.WriteOptions{Pack: s.pack})
		if err == nil {
			err = longRow(rows)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, piece{events[:count], bytes.Count(rows, []byte{'\n'}), s.encode(nil, rows)})
		events = events[count:]
	}
	return out, nil
}

// joined appends the pieces to a text.
func joined(text []byte, pieces []piece) []byte {
	for _, p := range pieces {
		text = append(text, p.encoded...)
	}
	return text
}

// stored takes note of a batch that is in the file now.
func (t *tracked) stored(pieces []piece) {
	for _, p := range pieces {
		t.survey.begin()
		for _, e := range p.events {
			t.survey.add(e)
		}
		t.size += int64(len(p.encoded))
		t.survey.End = mark{t.size, t.length(), t.survey.End.Row + p.rows}
	}
}

func (s *Store) publish(id string, t *tracked, pieces []piece) error {
	line, err := t.header.MarshalJSON()
	if err != nil {
		return err
	}
	head := s.encode(nil, append(line, '\n'))
	content := joined(head[:len(head):len(head)], pieces)
	path := s.Locate(t.header)
	if path == "" {
		_, err := sessionName(t.header.ID)
		return err
	}
	if there, err := exists(path); err != nil || there {
		return errors.Join(err, fmt.Errorf("%w: %s", persistence.ErrExists, path))
	}
	fresh, err := s.hold(id, t)
	if err != nil {
		return err
	}
	if err := publish(s.disk, path, content, s.unique()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: %s", persistence.ErrExists, path)
		}
		if fresh {
			err = errors.Join(err, s.free(id, t))
		}
		return err
	}
	size := int64(len(head))
	t.know(path, size, &survey{Header: t.header, Follower: session.Follow(t.header), End: mark{At: size, Row: 1}, Cut: -1})
	t.stored(pieces)
	return nil
}

// unique makes the name of a temporary file one of its own.
func (s *Store) unique() string { return strings.ReplaceAll(s.clock.NewID(), "-", "")[:12] }

// encode appends text as one unit of the file.
func (s *Store) encode(out, text []byte) []byte {
	if !s.compressed {
		return append(out, text...)
	}
	return s.encoder.EncodeAll(text, out)
}

// learn takes the lock of a session that is only on disk and makes a record of it. It changes nothing there.
func (s *Store) learn(ctx context.Context, id string, t *tracked) error {
	if t.known {
		return nil
	}
	return s.take(ctx, id, t, nil, func(path string, v *survey) error {
		if v.Cut >= 0 {
			return errors.New("the log has a torn end: load it first")
		}
		t.know(path, v.End.At, v)
		return nil
	})
}
