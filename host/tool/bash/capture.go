package bash

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"keylane/host/clock"
)

// drainTime bounds the wait for the rest of the output once the process group is empty.
const drainTime = 200 * time.Millisecond

// capture reads one output pipe and keeps its beginning and its end.
type capture struct {
	reader, writer *os.File
	done           chan struct{} // closed when the reading goroutine has ended

	mu      sync.Mutex // guards the rest
	limit   int
	head    []byte // the first limit/2 bytes
	tail    []byte // the last limit-limit/2 bytes after head, as a ring once it is full
	next    int    // where the ring goes on
	dropped int64
}

func newCapture(limit int) (*capture, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe for the output: %w", err)
	}
	return &capture{reader: reader, writer: writer, done: make(chan struct{}), limit: limit}, nil
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

// finish waits a moment for the end of the output, releases the pipe and gives the text: valid UTF-8, with a marker where bytes are left out.
func (c *capture) finish(clk clock.Clock) string {
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
	tail := append(append([]byte(nil), c.tail[c.next:]...), c.tail[:c.next]...)
	if c.dropped == 0 {
		return strings.ToValidUTF8(string(c.head)+string(tail), "\uFFFD")
	}
	head := trimEnd(c.head)
	rest := trimStart(tail)
	omitted := c.dropped + int64(len(c.head)-len(head)) + int64(len(tail)-len(rest))
	return strings.ToValidUTF8(string(head), "\uFFFD") +
		fmt.Sprintf("\n[… %d bytes left out …]\n", omitted) +
		strings.ToValidUTF8(string(rest), "\uFFFD")
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
