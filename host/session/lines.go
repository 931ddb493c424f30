package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// LineReader cuts a stream into lines of any length.
type LineReader struct {
	reader   *bufio.Reader
	number   int
	offset   int64
	complete bool
}

// NewLineReader reads from r, in pieces of its own choosing.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{reader: bufio.NewReaderSize(r, 64<<10)}
}

// Next is the next line without its line end (\n or \r\n); the caller owns it. io.EOF comes after the last one. A last line without \n is
// given like the others; see Complete.
func (l *LineReader) Next() ([]byte, error) {
	line, err := l.reader.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	l.number++
	l.offset += int64(len(line))
	l.complete = line[len(line)-1] == '\n'
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if l.complete {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return line, nil
}

// Number is the number of the line Next gave last, from 1.
func (l *LineReader) Number() int { return l.number }

// Complete says whether the line Next gave last had a line end.
func (l *LineReader) Complete() bool { return l.complete }

// Offset is the number of bytes read so far, which is where the next line starts.
func (l *LineReader) Offset() int64 { return l.offset }
