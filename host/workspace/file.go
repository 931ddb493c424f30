package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// version of the file; another one is refused, not guessed at.
const version = 1

type file struct {
	Version    int         `json:"version"`
	Workspaces []Workspace `json:"workspaces"`
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
	if err := decoder.Decode(&f); err != nil {
		return file{}, &FileError{path, fmt.Errorf("it is not the JSON that keylane writes: %w", err)}
	}
	if f.Version != version {
		return file{}, &FileError{path, fmt.Errorf("it has version %d, this keylane knows %d", f.Version, version)}
	}
	return f, nil
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
	return replace(path, append(text, '\n'))
}

func replace(path string, text []byte) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Sync()
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
