package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"keylane/host/session"
)

// maxFrame is the largest text a frame may hold. It is far above what a batch is, and below what a made-up frame could ask for.
const maxFrame = 1 << 30

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
			return s.torn(r, at, size, p)
		case errors.As(err, &broken):
			p.fail(0, true, fmt.Errorf("corrupt Zstandard frame: %w", err))
			return nil // where the next frame starts, nobody knows
		case err != nil:
			return err
		}
		text, err := s.decompress(r, next)
		if errors.As(err, &broken) {
			p.fail(0, true, err)
			at = next.end
			continue
		}
		if err != nil {
			return err
		}
		if left := eachLine(text, p.line); len(left) > 0 {
			p.fail(0, true, fmt.Errorf("frame at byte %d ends inside a line", at))
		}
		at = next.end
	}
	return nil
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
func (s *Store) torn(r io.ReaderAt, at, size int64, p *pass) error {
	s.tearing.Lock()
	defer s.tearing.Unlock()
	if err := s.stream.Reset(io.NewSectionReader(r, at, size-at)); err != nil {
		return err
	}
	// The error of the decoder says how the frame is cut off, which is no news.
	text, _ := io.ReadAll(s.stream)
	eachLine(text, p.line)
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

func (s *Store) decompress(r io.ReaderAt, f frame) ([]byte, error) {
	packed := make([]byte, f.end-f.start)
	if err := readAt(r, packed, f.start); err != nil {
		return nil, err
	}
	text, err := s.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, &malformed{fmt.Sprintf("frame at byte %d failed validation: %v", f.start, err)}
	}
	return text, nil
}

// lines hands the lines of an uncompressed log from byte start on to a pass.
func lines(ctx context.Context, file io.ReaderAt, start, size int64, p *pass) error {
	lines := session.NewLineReader(io.NewSectionReader(file, start, size-start))
	for {
		at := start + lines.Offset()
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		p.startPiece(at)
		if !lines.Complete() {
			p.torn = true
			return nil
		}
		p.line(line)
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
