package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// scanned is what a look through a whole file found. However long the file and its lines are, it holds no more than what is shown.
type scanned struct {
	first  int      // the first line asked for, counted from 1
	taken  []string // from there, without line ends, shortened
	lines  int      // in the whole file
	bytes  int64
	binary bool
	digest [sha256.Size]byte
}

// scan reads a file from beginning to end in pieces.
func (w *workspace) scan(ctx context.Context, c Config, name string, args readArguments) (*scanned, error) {
	file, info, err := w.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	count := readLines
	if args.Limit > 0 {
		count = args.Limit
	}
	s := &scanner{scanned: scanned{first: max(args.Offset, 1)}, count: count, room: c.ResultCapBytes}
	sum := sha256.New()
	// It may grow while it is read; what was there when it was opened is enough, or it might never end.
	from := io.LimitReader(file, info.Size())
	buffer := make([]byte, 64*1024)
	for {
		n, err := from.Read(buffer)
		sum.Write(buffer[:n])
		s.add(buffer[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, explain(name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.end()
	sum.Sum(s.digest[:0])
	return &s.scanned, nil
}

// scanner takes a file in pieces.
type scanner struct {
	scanned
	count, room int
	full        bool   // nothing more is taken
	begun       []byte // the beginning of the line that is not at its end, as far as it can be shown
	length      int    // of that line
	last        byte   // its last byte, when length is not 0
	rest        []byte // of a character that is not at its end
}

// byteOrderMark at the beginning is not part of the text.
var byteOrderMark = []byte("\ufeff")

func (s *scanner) add(piece []byte) {
	s.check(piece)
	s.bytes += int64(len(piece))
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			s.extend(piece)
			return
		}
		s.extend(piece[:end])
		s.line()
		piece = piece[end+1:]
	}
}

// check looks whether it is text, also where a piece ends within a character.
func (s *scanner) check(piece []byte) {
	if s.binary {
		return
	}
	if bytes.IndexByte(piece, 0) >= 0 {
		s.binary = true
		return
	}
	// What one character needs, and no more, completes the rest.
	for len(s.rest) > 0 && len(piece) > 0 && !utf8.FullRune(s.rest) {
		s.rest, piece = append(s.rest, piece[0]), piece[1:]
	}
	if len(s.rest) > 0 && utf8.FullRune(s.rest) {
		s.binary = !utf8.Valid(s.rest)
		s.rest = s.rest[:0]
	}
	whole := trimPartial(piece)
	s.rest = append(s.rest, piece[len(whole):]...)
	s.binary = s.binary || !utf8.Valid(whole)
}

// trimPartial drops a character at the end that is not complete.
func trimPartial(text []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if utf8.RuneStart(text[len(text)-cut]) {
			if !utf8.FullRune(text[len(text)-cut:]) {
				return text[:len(text)-cut]
			}
			return text
		}
	}
	return text
}

// extend lengthens the current line. A few bytes more than are shown are kept: a mark or a carriage return may be among them.
func (s *scanner) extend(piece []byte) {
	s.length += len(piece)
	if len(piece) > 0 {
		s.last = piece[len(piece)-1]
	}
	const keep = maxLineBytes + len("\ufeff") + utf8.UTFMax
	s.begun = append(s.begun, piece[:min(len(piece), max(keep-len(s.begun), 0))]...)
}

// line ends the current line.
func (s *scanner) line() {
	s.lines++
	if s.lines == 1 && bytes.HasPrefix(s.begun, byteOrderMark) {
		s.begun, s.length = s.begun[len(byteOrderMark):], s.length-len(byteOrderMark)
	}
	if s.lines >= s.first && !s.full {
		s.take()
	}
	s.begun, s.length = s.begun[:0], 0
}

func (s *scanner) take() {
	line := s.begun
	if len(line) == s.length { // all of it
		line = bytes.TrimRight(line, "\r")
		s.length = len(line)
	} else if s.last == '\r' {
		s.length--
	}
	text := strings.ToValidUTF8(string(line), "\uFFFD")
	if s.length > maxLineBytes {
		kept := line[:min(maxLineBytes, len(line))]
		kept = trimPartial(kept)
		text = fmt.Sprintf("%s… [%d more bytes]", strings.ToValidUTF8(string(kept), "\uFFFD"), s.length-len(kept))
	}
	if len(s.taken) == s.count || len(s.taken) > 0 && len(text) > s.room {
		s.full = true
		return
	}
	s.room -= len(text) + 1
	s.taken = append(s.taken, text)
}

// end ends a last line without its end, and a character that never came to its own.
func (s *scanner) end() {
	s.binary = s.binary || len(s.rest) > 0
	if s.length == 0 || s.lines == 0 && bytes.Equal(s.begun, byteOrderMark) {
		return
	}
	s.line()
}
