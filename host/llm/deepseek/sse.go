package deepseek

import (
	"bytes"
	"errors"
)

// maxEventBytes bounds one event: a delta is a few bytes, and a stream without line ends must not fill the memory.
const maxEventBytes = 8 << 20

var errEventTooLong = errors.New("an event of the stream is longer than 8 MiB")

// sseParser takes a server-sent event stream (WHATWG HTML, "event stream interpretation") in pieces of any size and gives the data of
// each event. Lines may end in CR, LF or CRLF, also with a piece ending between the two. Event names, ids and retry hints are of no use
// to this format and are ignored. The zero value is ready.
type sseParser struct {
	line    []byte // of the unfinished line
	data    []byte // of the unfinished event, with a LF after each line
	hasData bool
	started bool // the byte order mark is behind us
	afterCR bool // a LF now belongs to the CR before it
}

// feed takes the next piece and calls emit with the data of each event that it completes; the slice is emit's only during the call.
func (p *sseParser) feed(piece []byte, emit func(data []byte) error) error {
	for len(piece) > 0 {
		if p.afterCR {
			p.afterCR = false
			if piece[0] == '\n' {
				piece = piece[1:]
				continue
			}
		}
		end := lineEnd(piece)
		if end < 0 {
			p.line = append(p.line, piece...)
			if len(p.line)+len(p.data) > maxEventBytes {
				return errEventTooLong
			}
			return nil
		}
		p.line = append(p.line, piece[:end]...)
		p.afterCR = piece[end] == '\r'
		piece = piece[end+1:]
		if err := p.endLine(emit); err != nil {
			return err
		}
	}
	return nil
}

func (p *sseParser) endLine(emit func([]byte) error) error {
	line := p.line
	p.line = p.line[:0]
	if !p.started {
		p.started = true
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	}
	if len(line) == 0 {
		if !p.hasData {
			return nil
		}
		data := p.data[:len(p.data)-1]
		p.data, p.hasData = p.data[:0], false
		return emit(data)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" { // a comment has the empty field
		return nil
	}
	p.data = append(append(p.data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
	p.hasData = true
	if len(p.data) > maxEventBytes {
		return errEventTooLong
	}
	return nil
}

// lineEnd is where the first CR or LF stands, -1 for none.
func lineEnd(piece []byte) int {
	lf := bytes.IndexByte(piece, '\n')
	if lf >= 0 {
		piece = piece[:lf]
	}
	if cr := bytes.IndexByte(piece, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
