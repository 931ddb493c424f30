package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"keylane/host/session"
)

// contents is what a file holds.
type contents struct {
	header session.Header
	events []session.Event
	size   int64 // of the file as it was read
	// cut is where the file must be cut to get rid of a torn end, -1 when it is sound. Cutting loses the last events too if they stand in
	// the torn frame: rest is how many of events must be written again then.
	cut  int64
	rest int
}

// collector turns the lines of a file into events.
//
// A line that does not parse, or does not continue the seqs, is the torn end of the log unless a whole turn comes after it: then it is
// damage, and an error.
type collector struct {
	events    []session.Event
	unit      int64 // where the frame (or, uncompressed, the line) starts that is being collected
	unitFirst int   // events before it
	line      int   // number of the last line, the header's being 1
	bad       error // what is wrong with the first bad line
	cut       int64
	rest      int
}

func newCollector() *collector { return &collector{line: 1, cut: -1} }

func (c *collector) startUnit(at int64) {
	if c.bad == nil {
		c.unit, c.unitFirst = at, len(c.events)
	}
}

// tear says that the file must be cut where the current unit starts.
func (c *collector) tear() {
	if c.cut < 0 {
		c.cut, c.rest = c.unit, len(c.events)-c.unitFirst
	}
}

func (c *collector) add(line []byte) error {
	c.line++
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	events, err := session.DecodeRow(line, int64(len(c.events)), session.ReadOptions{})
	if c.bad != nil {
		for _, e := range events {
			if e.Type == session.TypeTurnEnd {
				return fmt.Errorf("corrupt session log: %w", c.bad)
			}
		}
		return nil
	}
	if err == nil && events[0].Seq != int64(len(c.events)) {
		err = fmt.Errorf("seq %d where %d must follow", events[0].Seq, len(c.events))
	}
	if err != nil {
		c.bad = fmt.Errorf("line %d: %w", c.line, err)
		c.tear()
		return nil
	}
	c.events = append(c.events, events...)
	return nil
}

// addAll collects the lines of a text and gives what is left after the last line end.
func (c *collector) addAll(text []byte) ([]byte, error) {
	for {
		line, rest, found := bytes.Cut(text, []byte{'\n'})
		if !found {
			return text, nil
		}
		if err := c.add(bytes.TrimSuffix(line, []byte{'\r'})); err != nil {
			return nil, err
		}
		text = rest
	}
}

// read reads a whole file without changing it.
func (s *Store) read(ctx context.Context, path string) (contents, error) {
	file, err := os.Open(path)
	if err != nil {
		return contents{}, err
	}
	defer file.Close() // opened to read: nothing can be lost
	info, err := file.Stat()
	if err != nil {
		return contents{}, err
	}
	out := contents{size: info.Size()}
	collected := newCollector()
	if s.compressed {
		out.header, err = s.readFrames(ctx, file, out.size, collected)
	} else {
		out.header, err = readLines(ctx, io.NewSectionReader(file, 0, out.size), collected)
	}
	if err != nil {
		return contents{}, err
	}
	out.events, out.cut, out.rest = collected.events, collected.cut, collected.rest
	if err := session.Validate(out.events); err != nil {
		return contents{}, fmt.Errorf("corrupt session log: %w", err)
	}
	return out, nil
}

func (s *Store) readFrames(ctx context.Context, r io.ReaderAt, size int64, c *collector) (session.Header, error) {
	header, first, err := s.readFirstFrame(r, size)
	if err != nil {
		return session.Header{}, err
	}
	for at := first.end; at < size; {
		if err := ctx.Err(); err != nil {
			return session.Header{}, err
		}
		c.startUnit(at)
		next, err := scanFrame(r, at, size)
		if errors.Is(err, errTorn) {
			return header, s.readTorn(r, at, size, c)
		}
		if err != nil {
			return session.Header{}, fmt.Errorf("corrupt Zstandard session log: %w", err)
		}
		text, err := s.decompress(r, next)
		if err != nil {
			return session.Header{}, err
		}
		left, err := c.addAll(text)
		if err != nil {
			return session.Header{}, err
		}
		if len(left) > 0 {
			return session.Header{}, fmt.Errorf("corrupt Zstandard session log: frame at byte %d ends inside a line", at)
		}
		at = next.end
	}
	return header, nil
}

func (s *Store) readFirstFrame(r io.ReaderAt, size int64) (session.Header, frame, error) {
	first, err := scanFrame(r, 0, size)
	if err != nil {
		return session.Header{}, frame{}, fmt.Errorf("corrupt Zstandard session log: header: %w", err)
	}
	text, err := s.decompress(r, first)
	if err != nil {
		return session.Header{}, frame{}, err
	}
	line, rest, found := bytes.Cut(text, []byte{'\n'})
	if !found || len(rest) > 0 {
		return session.Header{}, frame{}, errors.New("corrupt Zstandard session log: the first frame is not exactly the header line")
	}
	header, err := session.ParseHeader(bytes.TrimSuffix(line, []byte{'\r'}), session.ReadOptions{})
	return header, first, err
}

func (s *Store) decompress(r io.ReaderAt, f frame) ([]byte, error) {
	packed := make([]byte, f.end-f.start)
	if err := readAt(r, packed, f.start); err != nil {
		return nil, err
	}
	text, err := s.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("corrupt Zstandard session log: frame at byte %d failed validation: %w", f.start, err)
	}
	return text, nil
}

// readTorn collects the whole lines that can still be had from a frame that is cut off.
func (s *Store) readTorn(r io.ReaderAt, at, size int64, c *collector) error {
	decoder, err := zstd.NewReader(io.NewSectionReader(r, at, size-at), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer decoder.Close()
	// The error of the decoder says how the frame is cut off, which is no news.
	text, _ := io.ReadAll(decoder)
	if _, err := c.addAll(text); err != nil {
		return err
	}
	c.tear()
	return nil
}

func readLines(ctx context.Context, r io.Reader, c *collector) (session.Header, error) {
	lines := session.NewLineReader(r)
	line, err := lines.Next()
	if err != nil || !lines.Complete() {
		return session.Header{}, errors.Join(errors.New("corrupt session log: header line is cut off"), ignoreEOF(err))
	}
	header, err := session.ParseHeader(line, session.ReadOptions{})
	if err != nil {
		return session.Header{}, err
	}
	for {
		at := lines.Offset()
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return header, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return session.Header{}, err
		}
		c.startUnit(at)
		if !lines.Complete() {
			c.tear()
			return header, nil
		}
		if err := c.add(line); err != nil {
			return session.Header{}, err
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
