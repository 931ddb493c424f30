package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// disk is what the store asks of the file system to write. It exists so that failing writes can be tried out.
type disk interface {
	// openAppend opens an existing file for appending.
	openAppend(path string) (appendFile, error)
	// openNew makes a file that must not exist.
	openNew(path string) (appendFile, error)
	// syncDirectory makes durable which names a directory has.
	syncDirectory(path string) error
}

type appendFile interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

type realDisk struct{}

func (realDisk) openAppend(path string) (appendFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

func (realDisk) openNew(path string) (appendFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// makeDirectory makes a directory and its parents (mode 0700), durably.
func makeDirectory(d disk, path string) error {
	err := os.Mkdir(path, 0o700)
	switch {
	case err == nil:
		return d.syncDirectory(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist):
		return nil
	case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path:
		return err
	}
	if err := makeDirectory(d, filepath.Dir(path)); err != nil {
		return err
	}
	return makeDirectory(d, path)
}

func (realDisk) syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// publish makes a file that was not there appear with all its content at once, durably. unique goes into the name of the file it is
// prepared in. A file that is there already is left alone: fs.ErrExist.
//
// When it fails after the name was given, it takes the name back; only if even that fails may the file be there although it says no.
func publish(d disk, path string, content []byte, unique string) error {
	if err := makeDirectory(d, filepath.Dir(path)); err != nil {
		return err
	}
	aside := path + "." + unique + ".tmp"
	defer os.Remove(aside) // linked or not, it is of no use; a left-over does no harm
	if err := writeNew(d, aside, content); err != nil {
		return err
	}
	if err := os.Link(aside, path); err != nil {
		return err
	}
	if err := d.syncDirectory(filepath.Dir(path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func writeNew(d disk, path string, content []byte) error {
	file, err := d.openNew(path)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// extend appends to a file of a known size, durably. When that fails it cuts the file back to that size. whole is false when even that
// failed, so that the file may end in a torn piece.
func extend(d disk, path string, size int64, content []byte) (whole bool, err error) {
	file, err := d.openAppend(path)
	if err != nil {
		return true, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := checkSize(file, path, size); err != nil {
		return true, err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		return true, nil
	}
	if undo := errors.Join(file.Truncate(size), file.Sync()); undo != nil {
		return false, errors.Join(err, fmt.Errorf("cut off the part that was written: %w", undo))
	}
	return true, err
}

func checkSize(file appendFile, path string, size int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != size {
		return fmt.Errorf("%s has %d bytes, not the %d it had: another program has changed it", path, info.Size(), size)
	}
	return nil
}

// shorten cuts a file to a size, durably.
func shorten(d disk, path string, size int64) error {
	file, err := d.openAppend(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(size), file.Sync(), file.Close())
}

// remove deletes a session's directory. The log goes first and durably, so that a crash leaves either the session or nothing that is one.
func remove(d disk, path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	directory := filepath.Dir(path)
	if err := d.syncDirectory(directory); err != nil {
		return err
	}
	if err := removeLeftovers(directory); err != nil {
		return err
	}
	return d.syncDirectory(filepath.Dir(directory))
}

// removeLeftovers removes what publish may have left and the copies that repairs kept, then the directory, unless something of somebody else
// is in it.
func removeLeftovers(directory string) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, plainName) || !strings.HasSuffix(name, ".tmp") && !strings.HasSuffix(name, ".bak") {
			return nil
		}
		if err := os.Remove(filepath.Join(directory, entry.Name())); err != nil {
			return err
		}
	}
	return os.Remove(directory)
}
