package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"keylane/host/home"
)

// version of the file; another one is refused, not guessed at.
const version = 1

type file struct {
	Version    int         `json:"version"`
	Workspaces []Workspace `json:"workspaces"`
	// Removed are default folders of hosts that a person removed from the list.
	Removed []string `json:"removed,omitempty"`
	Arrangement
}

// FileError says that the file of registrations cannot be used. What it holds is kept as it
// is: a person may mend it.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("workspace: reading %s: %v; mend the file or move it away", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// read returns what is registered and arranged; nothing when there is no file. An error is a *FileError.
func read(path string) (file, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{Version: version}, nil
	}
	if err != nil {
		return file{}, &FileError{path, err}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f file
	err = decoder.Decode(&f)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows after its end")
		}
	}
	if err != nil {
		line, column := placeOf(text, err, decoder.InputOffset())
		return file{}, &FileError{path, fmt.Errorf("it is not the JSON that keylane writes: line %d, column %d: %w", line, column, err)}
	}
	if f.Version != version {
		return file{}, &FileError{path, fmt.Errorf("it has version %d, this keylane knows %d", f.Version, version)}
	}
	return f, nil
}

// placeOf is where a text stops being what was wanted, counted from 1: where the error says, else where decoding stopped.
func placeOf(text []byte, err error, stopped int64) (line, column int) {
	at := stopped
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = max(0, syntax.Offset-1) // it is counted behind the character
	case errors.As(err, &kind):
		at = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(text))
	}
	before := text[:min(at, int64(len(text)))]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, len([]rune(string(before[lineStart:]))) + 1
}

// change rewrites the file under a lock that other hosts heed, unless edit says that it changed
// nothing, or fails. The new file is durable and complete before it takes the old one's place.
func change(path string, edit func(*file) (changed bool, err error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("locking: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, err := read(path)
	if err != nil {
		return err
	}
	if changed, err := edit(&f); err != nil || !changed {
		return err
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return home.Replace(path, append(text, '\n'), 0o600)
}
