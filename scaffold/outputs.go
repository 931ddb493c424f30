package scaffold

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// outputs is the folder for what a run leaves; "" where nobody keeps such a thing.
func outputs() string { return os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR") }

// leave writes a file into the outputs folder.
func leave(name string, text []byte) error {
	folder := outputs()
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("scaffold: making the outputs folder: %w", err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("scaffold: writing to the outputs: %w", err)
	}
	return nil
}

// lockedBuffer is a buffer that many goroutines write to.
type lockedBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
