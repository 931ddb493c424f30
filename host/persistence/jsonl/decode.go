package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"keylane/host/session"
)

// What reading may take, whatever a file says of itself: memory for one window and one row, and for a frame no more text than maxFrame.
// Writing stays below: see pieces.
const (
	wholeText = 1 << 20  // frames with no more text are decompressed at once
	maxWindow = 32 << 20 // of a frame; the encoder's own is 8 MiB at most
	maxRow    = 64 << 20
	maxFrame  = 1 << 30
)

// errLarge says that a frame has too much text to be decompressed at once.
var errLarge = errors.New("the frame is large")

// bounds are the options of every decoder: no goroutines, and memory for a window of maxWindow.
func bounds() []zstd.DOption {
	return []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow),
	}
}

// decompress is the text of a frame, unless it is too much: errLarge.
func (s *Store) decompress(r io.ReaderAt, f frame) ([]byte, error) {
	if f.end-f.start > 2*wholeText {
		return nil, errLarge
	}
	packed := make([]byte, f.end-f.start)
	if err := readAt(r, packed, f.start); err != nil {
		return nil, err
	}
	var header zstd.Header
	if err := header.Decode(packed); err != nil {
		return nil, failed(f, err)
	}
	room := uint64(wholeText)
	if header.HasFCS {
		room = header.FrameContentSize
	}
	if room > wholeText {
		return nil, errLarge
	}
	text, err := s.decoder.DecodeAll(packed, make([]byte, 0, room))
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded) && !header.HasFCS:
		return nil, errLarge
	case err != nil:
		return nil, failed(f, err)
	case header.HasFCS:
		return text, nil
	}
	return append(make([]byte, 0, len(text)), text...), nil // events keep it, and the room with it
}

func failed(f frame, err error) error {
	return bad("frame at byte %d failed validation: %v", f.start, err)
}

// verify goes through a frame to its checksum and keeps nothing; what is wrong with it is a malformed.
func verify(ctx context.Context, r io.ReaderAt, f frame) error {
	return decode(r, f, func(text io.Reader) error {
		_, err := io.Copy(&counter{ctx: ctx}, text)
		return err
	})
}

// streamLines hands the lines of a frame to a pass as they are decompressed. whole is false when the text ends inside a line.
func streamLines(ctx context.Context, r io.ReaderAt, f frame, p *pass) (whole bool, err error) {
	err = decode(r, f, func(text io.Reader) error {
		lines := session.NewLineReader(io.LimitReader(text, maxFrame))
		lines.Limit(maxRow)
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := lines.Next()
			switch long := errors.Is(err, session.ErrLineTooLong); {
			case errors.Is(err, io.EOF):
				whole = true
				return nil
			case err != nil && !long:
				return err
			case !lines.Complete():
				return nil
			case long:
				p.tooLong()
			default:
				p.line(line)
			}
		}
	})
	return whole, err
}

// decode has use read the text of a frame. An error of the decoder is a malformed, one of the file and one that use made stay as they are.
func decode(r io.ReaderAt, f frame, use func(io.Reader) error) error {
	source := &source{r: r, at: f.start, end: f.end}
	decoder, err := zstd.NewReader(source, bounds()...)
	if err != nil {
		return failed(f, err)
	}
	defer decoder.Close()
	text := &watched{from: decoder}
	err = use(text)
	switch {
	case err == nil:
		return nil
	case source.err != nil:
		return source.err
	case text.err != nil && errors.Is(err, text.err):
		return failed(f, err)
	}
	return err
}

// source reads a part of a file; that the file ends before is an error of its own.
type source struct {
	r       io.ReaderAt
	at, end int64
	err     error
}

func (s *source) Read(into []byte) (int, error) {
	if s.at >= s.end {
		return 0, io.EOF
	}
	into = into[:min(int64(len(into)), s.end-s.at)]
	n, err := s.r.ReadAt(into, s.at)
	s.at += int64(n)
	switch {
	case n > 0:
		return n, nil
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF // the file has become shorter while it was read
	}
	s.err = err
	return 0, err
}

// watched remembers what its reader failed with.
type watched struct {
	from io.Reader
	err  error
}

func (w *watched) Read(into []byte) (int, error) {
	n, err := w.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// counter takes text and keeps none of it; beyond maxFrame it refuses.
type counter struct {
	ctx   context.Context
	taken int64
}

func (c *counter) Write(text []byte) (int, error) {
	if c.taken += int64(len(text)); c.taken > maxFrame {
		return 0, bad("the frame has more than %d bytes of text", int64(maxFrame))
	}
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return len(text), nil
}

// longRow says that rows which are to be written could not be read again.
func longRow(rows []byte) error {
	if len(rows) <= maxRow {
		return nil
	}
	var failure error
	eachLine(rows, func(line []byte) {
		if len(line) > maxRow && failure == nil {
			failure = fmt.Errorf("an event of %d bytes is too large to be stored: %d are the most", len(line), int64(maxRow))
		}
	})
	return failure
}
