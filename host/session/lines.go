package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrLineTooLong says that a line is longer than LineReader.Limit allows.
var ErrLineTooLong = errors.New("the line is too long")

// LineReader cuts a stream into lines of any length.
type LineReader struct {
	reader   *bufio.Reader
	limit    int64
	number   int
	offset   int64
	complete bool
}

// NewLineReader reads from r, in pieces of its own choosing.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{reader: bufio.NewReaderSize(r, 64<<10)}
}

// Limit bounds the memory that a line may take: one of more bytes, its line end not counted, is left out, and Next says so with an
// ErrLineTooLong. Zero, as at first, is no bound.
func (l *LineReader) Limit(bytes int64) { l.limit = bytes }

// Next is the next line without its line end (\n or \r\n); the caller owns it. io.EOF comes after the last one. A last line without \n is
// given like the others; see Complete. After an ErrLineTooLong, Number, Complete and Offset are as after a line, and the next call gives
// the line after it.
func (l *LineReader) Next() ([]byte, error) {
	line, length, err := l.read()
	if err != nil {
		return nil, err
	}
	if length == 0 {
		return nil, io.EOF
	}
	l.number++
	l.offset += length
	if line == nil || l.tooLong(int64(len(bytes.TrimRight(line, "\r\n")))) {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, l.limit)
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if l.complete {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return line, nil
}

func (l *LineReader) tooLong(length int64) bool { return l.limit > 0 && length > l.limit }

// read takes a line with its line end from the stream; nil when it is certainly too long.
func (l *LineReader) read() (line []byte, length int64, err error) {
	var pieces [][]byte
	for l.complete = false; !l.complete; {
		piece, err := l.reader.ReadSlice('\n')
		length += int64(len(piece))
		switch {
		case l.tooLong(length - int64(len("\r\n"))):
			pieces = nil
		case err == nil && pieces == nil && length == int64(len(piece)):
			l.complete = true
			return slices.Clone(piece), length, nil
		default:
			pieces = append(pieces, slices.Clone(piece))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, 0, err
		}
		l.complete = err == nil
	}
	if pieces == nil {
		return nil, length, nil
	}
	return slices.Concat(pieces...), length, nil
}

// Number is the number of the line Next gave last, from 1.
func (l *LineReader) Number() int { return l.number }

// Complete says whether the line Next gave last had a line end.
func (l *LineReader) Complete() bool { return l.complete }

// Offset is the number of bytes read so far, which is where the next line starts.
func (l *LineReader) Offset() int64 { return l.offset }
