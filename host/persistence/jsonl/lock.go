package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"keylane/host/persistence"
)

// lockFolder holds, inside the root, one small file for every session that some host has open. The session's directory is no place for it:
// a session that was never used has none.
const lockFolder = ".locks"

// lock is a session's lock, held. It is an open-file-description lock (fcntl(2), F_OFD_SETLK) on a file that says who holds it: the kernel
// frees it when the process ends, however it ends, and tells whether it is held without anybody having to try for it.
type lock struct {
	file *os.File
	path string
}

func (s *Store) lockPath(id string) (string, error) {
	name, err := sessionName(id)
	if len(name) > 240 {
		sum := sha256.Sum256([]byte(name))
		name = "~" + hex.EncodeToString(sum[:])
	}
	return filepath.Join(s.root, lockFolder, name+".lock"), err
}

func wholeFile() *unix.Flock_t { return &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} }

// hold makes sure that this store has the session's lock; called with t.lock held. fresh says that it did not have it before.
func (s *Store) hold(id string, t *tracked) (fresh bool, err error) {
	if t.held != nil {
		return false, nil
	}
	path, err := s.lockPath(id)
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("lock: %w", err)
	}
	for t.held == nil {
		if t.held, err = s.tryLock(path); err != nil {
			return false, err
		}
	}
	s.mu.Lock()
	s.holding[id] = true
	s.mu.Unlock()
	return true, nil
}

// free gives up a session's lock, if the store has it; called with t.lock held.
func (s *Store) free(id string, t *tracked) error {
	if t.held == nil {
		return nil
	}
	err := t.held.release()
	t.held = nil
	s.mu.Lock()
	delete(s.holding, id)
	s.mu.Unlock()
	return err
}

// letGo is free, and forgets what only the holder of the lock can be sure of.
func (s *Store) letGo(id string, t *tracked) error {
	if t.held != nil {
		t.forget()
	}
	return s.free(id, t)
}

func (s *Store) holds(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holding[id]
}

// tryLock takes a lock, or returns nil when its file was removed by the last holder at that moment.
func (s *Store) tryLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, wholeFile()); err != nil {
		defer file.Close() // nothing was written
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			return nil, &persistence.LockedError{Holder: readHolder(file)}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	named, err := os.Stat(path)
	if err == nil {
		var opened fs.FileInfo
		if opened, err = file.Stat(); err == nil && os.SameFile(named, opened) {
			return s.sign(file, path)
		}
	}
	if closing := file.Close(); closing != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lock %s: %w", path, errors.Join(err, closing))
	}
	return nil, nil
}

// sign writes into a lock who holds it.
func (s *Store) sign(file *os.File, path string) (*lock, error) {
	text, err := json.Marshal(persistence.Holder{PID: os.Getpid(), HostStartedAt: s.started, Since: s.clock.Now().UnixMilli()})
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt(append(text, '\n'), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, errors.Join(err, file.Close()))
	}
	return &lock{file, path}, nil
}

// release frees the lock. The file goes while it is still held, so that nobody loses one that he has just taken.
func (l *lock) release() error {
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Close())
}

// readHolder is what a lock file says; the zero Holder when it says nothing yet.
func readHolder(file io.ReaderAt) persistence.Holder {
	var holder persistence.Holder
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 4096))
	if err != nil || json.Unmarshal(text, &holder) != nil {
		return persistence.Holder{}
	}
	return holder
}

// holder is the other host that holds a session's lock, nil when none does.
func (s *Store) holder(id string) (*persistence.Holder, error) {
	path, err := s.lockPath(id)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	defer file.Close() // opened to read: nothing can be lost
	asked := wholeFile()
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, asked); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if asked.Type == unix.F_UNLCK {
		return nil, nil
	}
	holder := readHolder(file)
	return &holder, nil
}

// locked are the names of the lock files there are; most of the time few or none.
func (s *Store) locked() (map[string]bool, error) {
	entries, err := os.ReadDir(filepath.Join(s.root, lockFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := map[string]bool{}
	for _, entry := range entries {
		names[entry.Name()] = true
	}
	return names, err
}
