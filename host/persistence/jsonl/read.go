package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"keylane/host/session"
)

// frames hands the lines of the frames from byte at on to a pass.
func (s *Store) frames(ctx context.Context, file io.ReaderAt, at, size int64, p *pass) error {
	r := &window{file: file, size: size}
	for at < size {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.startPiece(at)
		next, err := scanFrame(r, at, size)
		var broken *malformed
		switch {
		case errors.Is(err, errTorn):
			return s.torn(ctx, r, at, size, p)
		case errors.As(err, &broken):
			p.fail(0, true, fmt.Errorf("corrupt Zstandard frame: %w", err))
			return nil // where the next frame starts, nobody knows
		case err != nil:
			return err
		}
		if err := s.rows(ctx, r, next, p); errors.As(err, &broken) {
			p.fail(0, true, err)
		} else if err != nil {
			return err
		}
		at = next.end
	}
	return nil
}

// rows hands the lines of one frame to a pass, or gives a malformed and none of them. A frame of little text is decompressed at once, any
// other line by line; that one is gone through twice, because its checksum stands at its end and nothing of a spoiled frame counts. A pass
// over what an earlier one has judged takes it as it comes.
func (s *Store) rows(ctx context.Context, r io.ReaderAt, f frame, p *pass) error {
	text, err := s.decompress(r, f)
	if err == nil {
		if left := eachLine(text, p.line); len(left) > 0 {
			return bad("frame at byte %d ends inside a line", f.start)
		}
		return nil
	}
	if !errors.Is(err, errLarge) {
		return err
	}
	if !p.again {
		if err := verify(ctx, r, f); err != nil {
			return err
		}
	}
	whole, err := streamLines(ctx, r, f, p)
	if err == nil && !whole {
		err = bad("frame at byte %d ends inside a line", f.start)
	}
	return err
}

// eachLine hands on the lines of a text and gives what is left after the last line end.
func eachLine(text []byte, take func([]byte)) []byte {
	for {
		line, rest, found := bytes.Cut(text, []byte{'\n'})
		if !found {
			return text
		}
		take(bytes.TrimSuffix(line, []byte{'\r'}))
		text = rest
	}
}

// torn hands on the whole lines that can still be had from a frame that is cut off.
func (s *Store) torn(ctx context.Context, r io.ReaderAt, at, size int64, p *pass) error {
	_, err := streamLines(ctx, r, frame{at, size}, p)
	var broken *malformed // says how the frame is cut off, which is no news
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	p.torn = true
	return nil
}

// readHead reads the header, and no more of the file than that needs; first is where the log's first frame or line starts.
func (s *Store) readHead(r io.ReaderAt, size int64) (h session.Header, first int64, err error) {
	if s.compressed {
		h, head, err := s.readFirstFrame(r, size)
		return h, head.end, err
	}
	lines := session.NewLineReader(io.NewSectionReader(r, 0, size))
	lines.Limit(wholeText)
	line, err := lines.Next()
	if errors.Is(err, io.EOF) || err == nil && !lines.Complete() {
		return session.Header{}, 0, errors.New("corrupt session log: header line is cut off")
	}
	if err != nil {
		return session.Header{}, 0, err
	}
	h, err = session.ParseHeader(line, session.ReadOptions{})
	return h, lines.Offset(), err
}

func (s *Store) readFirstFrame(r io.ReaderAt, size int64) (session.Header, frame, error) {
	first, err := scanFrame(r, 0, size)
	if err != nil {
		return session.Header{}, frame{}, fmt.Errorf("corrupt Zstandard session log: header: %w", err)
	}
	text, err := s.decompress(r, first)
	if errors.Is(err, errLarge) {
		err = bad("%d bytes are no header line", first.end)
	}
	if err != nil {
		return session.Header{}, frame{}, fmt.Errorf("corrupt Zstandard session log: header: %w", err)
	}
	line, rest, found := bytes.Cut(text, []byte{'\n'})
	if !found || len(rest) > 0 {
		return session.Header{}, frame{}, errors.New("corrupt Zstandard session log: the first frame is not exactly the header line")
	}
	header, err := session.ParseHeader(bytes.TrimSuffix(line, []byte{'\r'}), session.ReadOptions{})
	return header, first, err
}

// lines hands the lines of an uncompressed log from byte start on to a pass.
func lines(ctx context.Context, file io.ReaderAt, start, size int64, p *pass) error {
	lines := session.NewLineReader(io.NewSectionReader(file, start, size-start))
	lines.Limit(maxRow)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := start + lines.Offset()
		line, err := lines.Next()
		long := errors.Is(err, session.ErrLineTooLong)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !long:
			return err
		}
		p.startPiece(at)
		switch {
		case long:
			p.tooLong()
		case !lines.Complete():
			p.torn = true
			return nil
		default:
			p.line(line)
		}
	}
}

// window reads a file in large pieces for who looks at it in small ones, one after the other.
type window struct {
	file io.ReaderAt
	size int64
	at   int64 // of text in the file
	text []byte
}

const windowBytes = 256 << 10

func (w *window) ReadAt(into []byte, at int64) (int, error) {
	if len(into) > windowBytes/4 {
		return w.file.ReadAt(into, at)
	}
	if end := at + int64(len(into)); at < w.at || end > w.at+int64(len(w.text)) {
		text := make([]byte, max(0, min(windowBytes, w.size-at)))
		n, err := w.file.ReadAt(text, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		w.at, w.text = at, text[:n]
	}
	n := copy(into, w.text[at-w.at:])
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}
