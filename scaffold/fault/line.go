package fault

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// errTorn is why a stream breaks off in the middle.
var errTorn = errors.New("fault: the script tears the line")

// A line is one open event stream, as the page gets it: each Read hands out one piece, which is sent on its own. It is read by one
// goroutine, the one that copies the answer; cut may come from any other.
type line struct {
	proxy   *Proxy
	path    string
	context context.Context // of the page's request
	body    io.ReadCloser   // of the server's answer
	blocks  *bufio.Reader   // over body
	queue   []piece         // what is to be handed out next
	waiting []deferred      // blocks that others go in front of
	cut     atomic.Bool     // by the test, while open
}

// A piece is bytes, or a wait, or the end.
type piece struct {
	text []byte
	wait <-chan struct{}
	end  error
}

type deferred struct {
	block []byte
	after int // blocks that go first
}

func (l *line) put(text []byte) {
	if len(text) > 0 {
		l.queue = append(l.queue, piece{text: text})
	}
}

func (l *line) end(torn bool) {
	end := io.EOF
	if torn {
		end = errTorn
	}
	l.queue = append(l.queue, piece{end: end})
}

func (l *line) defers(block []byte, after int) {
	l.waiting = append(l.waiting, deferred{block, after + 1}) // its own passing counts
}

// Read hands out the next piece, or a part of it where the buffer is smaller.
func (l *line) Read(buffer []byte) (int, error) {
	for len(l.queue) == 0 {
		l.next()
	}
	first := &l.queue[0]
	switch {
	case first.end != nil:
		return 0, first.end // stays: an end is final
	case first.wait != nil:
		select {
		case <-first.wait:
		case <-l.context.Done():
			return 0, context.Cause(l.context)
		}
		l.queue = l.queue[1:]
		return 0, nil
	}
	n := copy(buffer, first.text)
	if first.text = first.text[n:]; len(first.text) == 0 {
		l.queue = l.queue[1:]
	}
	return n, nil
}

// next reads one block of the server's and puts what becomes of it into the queue.
func (l *line) next() {
	block, err := readBlock(l.blocks)
	if data := dataOf(block); data != nil && err == nil {
		l.proxy.deed(l.path, data).do(l, block)
	} else {
		l.put(block)
	}
	l.pass(err != nil)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) || l.cut.Load():
		l.end(false)
	default:
		l.queue = append(l.queue, piece{end: err})
	}
}

// pass counts a block that went by, and lets those follow that have waited for it; at the end all of them.
func (l *line) pass(all bool) {
	var still []deferred
	for _, each := range l.waiting {
		if each.after--; each.after <= 0 || all {
			l.put(each.block)
		} else {
			still = append(still, each)
		}
	}
	l.waiting = still
}

// Close ends the server's answer.
func (l *line) Close() error {
	l.proxy.forget(l)
	return l.body.Close()
}

// readBlock reads up to and including a blank line; at the end of the stream what there is.
func readBlock(stream *bufio.Reader) ([]byte, error) {
	var block []byte
	for {
		text, err := stream.ReadBytes('\n')
		block = append(block, text...)
		if err != nil || len(bytes.TrimRight(text, "\r\n")) == 0 {
			return block, err
		}
	}
}

// dataOf is the data of a block, its lines joined by line feeds; nil for a block without.
func dataOf(block []byte) []byte {
	var data []byte
	for text := range bytes.Lines(block) {
		value, is := bytes.CutPrefix(bytes.TrimRight(text, "\r\n"), []byte("data:"))
		if !is {
			continue
		}
		if data == nil {
			data = []byte{}
		} else {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
	}
	return data
}
