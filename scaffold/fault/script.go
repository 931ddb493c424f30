package fault

import (
	"fmt"
	"regexp"
)

// A Fault is what happens to one frame of a stream, once, or to all of them.
type Fault struct {
	// Path is that of the stream.
	Path string
	// Like says which frames are meant, by their data; nil means all.
	Like *regexp.Regexp
	// Frame is the number of the one that it happens to, among those that are meant, from 1. 0 is each of them.
	Frame int
	// Do is what happens.
	Do Deed
}

func (f Fault) String() string {
	which := "each frame"
	if f.Frame > 0 {
		which = fmt.Sprintf("frame %d", f.Frame)
	}
	if f.Like != nil {
		which += fmt.Sprintf(" like %q", f.Like)
	}
	return fmt.Sprintf("%s of %s: %s", which, f.Path, f.Do.name)
}

// A Deed is what is done to a frame, made by one of the functions below.
type Deed struct {
	name string
	do   func(l *line, block []byte)
}

// CutBefore ends the stream in front of the frame, as a server that hangs up does.
func CutBefore() Deed { return CutInside(0) }

// CutAfter ends the stream behind the frame.
func CutAfter() Deed {
	return Deed{"cut after it", func(l *line, block []byte) { l.put(block); l.end(false) }}
}

// CutInside ends the stream after so many bytes of the frame; all of it, if it has fewer.
func CutInside(bytes int) Deed {
	return Deed{fmt.Sprintf("cut after %d of its bytes", bytes), func(l *line, block []byte) {
		l.put(block[:min(bytes, len(block))])
		l.end(false)
	}}
}

// Reset breaks the connection after so many bytes of the frame, as a line that is torn does: the reader sees an error, not an end.
func Reset(bytes int) Deed {
	return Deed{fmt.Sprintf("connection reset after %d of its bytes", bytes), func(l *line, block []byte) {
		l.put(block[:min(bytes, len(block))])
		l.end(true)
	}}
}

// Lose keeps the frame from arriving.
func Lose() Deed { return Deed{"lost", func(*line, []byte) {}} }

// Repeat lets the frame arrive so many times in all.
func Repeat(times int) Deed {
	return Deed{fmt.Sprintf("sent %d times", times), func(l *line, block []byte) {
		for range times {
			l.put(block)
		}
	}}
}

// Behind lets so many of the blocks that follow arrive first. If the stream ends before that, it arrives at the end.
func Behind(blocks int) Deed {
	return Deed{fmt.Sprintf("sent behind the next %d", blocks), func(l *line, block []byte) { l.defers(block, blocks) }}
}

// Wait keeps the frame, and all behind it, until the channel is closed or the reader is gone.
func Wait(until <-chan struct{}) Deed {
	return Deed{"kept waiting", func(l *line, block []byte) {
		l.queue = append(l.queue, piece{wait: until})
		l.put(block)
	}}
}

// Split lets the frame arrive in pieces of so many bytes, at least 1, each sent on its own.
func Split(bytes int) Deed {
	return Deed{fmt.Sprintf("sent in pieces of %d bytes", bytes), func(l *line, block []byte) {
		for len(block) > 0 {
			n := min(max(bytes, 1), len(block))
			l.put(block[:n])
			block = block[n:]
		}
	}}
}

// play is a script and how far it has come; guarded by Proxy.mu.
type play struct {
	fault Fault
	met   int // frames that were meant
	done  bool
}

// meets counts a frame, and says whether the fault is to happen to it.
func (p *play) meets(path string, data []byte) bool {
	if p.fault.Path != path || p.fault.Like != nil && !p.fault.Like.Match(data) {
		return false
	}
	p.met++
	return p.fault.Frame == 0 || p.met == p.fault.Frame
}
