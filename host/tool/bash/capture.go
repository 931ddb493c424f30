package bash

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"keylane/host/clock"
	"keylane/host/spill"
)

// drainTime bounds the wait for the rest of the output once the process group is empty.
const drainTime = 200 * time.Millisecond

// capture reads one output pipe and keeps its beginning and its end, and, when there is more, the whole in a spill file.
type capture struct {
	stream         string                                   // stdout or stderr
	spill          func(stream string) (*spill.File, error) // nil keeps nothing
	reader, writer *os.File
	done           chan struct{} // closed when the reading goroutine has ended

	mu      sync.Mutex // guards the rest
	limit   int
	head    []byte // the first limit/2 bytes
	tail    []byte // the last limit-limit/2 bytes after head, as a ring once it is full
	next    int    // where the ring goes on
	total   int64  // bytes seen
	dropped int64  // bytes that are neither in head nor in tail
	file    *spill.File
	problem error // why the whole could not be kept, or not to its end
}

func newCapture(stream string, limit int, spill func(stream string) (*spill.File, error)) (*capture, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe for the output: %w", err)
	}
	return &capture{stream: stream, spill: spill, reader: reader, writer: writer, done: make(chan struct{}), limit: limit}, nil
}

// abandon releases the pipe of a command that was not started.
func (c *capture) abandon() {
	_ = c.writer.Close()
	_ = c.reader.Close()
}

// start reads until the last writer is gone or finish gives up. The command has its own copy of the writing end by now.
func (c *capture) start() {
	_ = c.writer.Close()
	go func() {
		defer close(c.done)
		buffer := make([]byte, 32*1024)
		for {
			n, err := c.reader.Read(buffer)
			c.keep(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
}

func (c *capture) keep(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepWhole(data)
	c.total += int64(len(data))
	if room := c.limit/2 - len(c.head); room > 0 {
		n := min(room, len(data))
		c.head, data = append(c.head, data[:n]...), data[n:]
	}
	size := c.limit - c.limit/2
	for len(data) > 0 {
		if len(c.tail) < size {
			n := min(size-len(c.tail), len(data))
			c.tail, data = append(c.tail, data[:n]...), data[n:]
			continue
		}
		n := min(size-c.next, len(data))
		copy(c.tail[c.next:], data[:n])
		c.next, c.dropped, data = (c.next+n)%size, c.dropped+int64(n), data[n:]
	}
}

// keepWhole begins the spill file with the byte that no longer fits, and then adds to it. Called with mu held, before data is counted.
func (c *capture) keepWhole(data []byte) {
	if c.file == nil {
		if c.spill == nil || c.problem != nil || c.total+int64(len(data)) <= int64(c.limit) {
			return
		}
		if c.file, c.problem = c.spill(c.stream); c.problem != nil {
			return
		}
		// Nothing was dropped yet, so the ring is still in order. Write takes everything; Close tells what went wrong.
		_, _ = c.file.Write(c.head)
		_, _ = c.file.Write(c.tail)
	}
	_, _ = c.file.Write(data)
}

// cut is what the page is told of output that was too long.
type cut struct {
	Stream  string `json:"stream"` // stdout or stderr
	Bytes   int64  `json:"bytes"`
	LeftOut int64  `json:"leftOut"`
	// File is the handle of the spill file; empty when there is none.
	File string `json:"file,omitempty"`
}

// finish waits a moment for the end of the output, releases the pipe and gives the text: valid UTF-8, with a marker where bytes are left
// out. What was left out is nil when nothing was.
func (c *capture) finish(clk clock.Clock) (string, *cut) {
	expired, stop := clk.After(drainTime)
	defer stop()
	select {
	case <-c.done:
	case <-expired:
	}
	_ = c.reader.Close() // ends a read that still waits
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		c.problem = c.file.Close()
	}
	tail := append(append([]byte(nil), c.tail[c.next:]...), c.tail[:c.next]...)
	if c.dropped == 0 {
		return strings.ToValidUTF8(string(c.head)+string(tail), "\uFFFD"), nil
	}
	head := trimEnd(c.head)
	rest := trimStart(tail)
	left := &cut{Stream: c.stream, Bytes: c.total, LeftOut: c.dropped + int64(len(c.head)-len(head)) + int64(len(tail)-len(rest))}
	if c.file != nil {
		left.File = c.file.Handle()
	}
	return strings.ToValidUTF8(string(head), "\uFFFD") + c.marker(left, bytes.Count(head, []byte("\n"))+1) +
		strings.ToValidUTF8(string(rest), "\uFFFD"), left
}

// marker stands where bytes are left out, which begins in the given line of the output.
func (c *capture) marker(left *cut, line int) string {
	where := ""
	switch {
	case c.file == nil && c.problem != nil:
		where = fmt.Sprintf("; they are lost: %v", c.problem)
	case c.file == nil:
	case c.problem != nil:
		where = fmt.Sprintf("; only the first %d of all %d bytes are in %s (%v): go on with read, offset %d", c.file.Kept(), left.Bytes, left.File, c.problem, line)
	case c.file.Dropped() > 0:
		where = fmt.Sprintf("; the first %d of all %d bytes are in %s: go on with read, offset %d", c.file.Kept(), left.Bytes, left.File, line)
	default:
		where = fmt.Sprintf("; all %d bytes are in %s: go on with read, offset %d", left.Bytes, left.File, line)
	}
	return fmt.Sprintf("\n[… %d bytes left out%s …]\n", left.LeftOut, where)
}

// trimEnd drops a character that the cut left incomplete.
func trimEnd(text []byte) []byte {
	for cut := 1; cut <= utf8.UTFMax && cut <= len(text); cut++ {
		last := text[len(text)-cut]
		if utf8.RuneStart(last) {
			if !utf8.FullRune(text[len(text)-cut:]) {
				return text[:len(text)-cut]
			}
			break
		}
	}
	return text
}

// trimStart drops the rest of a character that the cut took apart.
func trimStart(text []byte) []byte {
	cut := 0
	for cut < len(text) && cut < utf8.UTFMax-1 && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return text[cut:]
}
