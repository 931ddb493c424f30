package chromium

import (
	"io"
	"strings"
	"sync"
)

// lastLines keeps the end of the output for error messages.
type lastLines struct {
	forward io.Writer

	mu   sync.Mutex // guards kept
	kept []byte
}

const keptOutput = 4 << 10 // bytes

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.kept = append(l.kept, b...)
	l.kept = l.kept[max(0, len(l.kept)-keptOutput):]
	l.mu.Unlock()
	if l.forward != nil {
		if _, err := l.forward.Write(b); err != nil {
			l.forward = nil // keep reading: Chromium must not block on a full pipe
		}
	}
	return len(b), nil
}

func (l *lastLines) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.kept))
}
