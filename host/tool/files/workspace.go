package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"keylane/host/clock"
	"keylane/host/tool"
)

// workspace is the working directory during one call.
type workspace struct {
	root      *os.Root
	cwd       string
	sessionID string
	clock     clock.Clock
}

func openWorkspace(c tool.Call) (*workspace, error) {
	cwd := c.Cwd
	if !filepath.IsAbs(cwd) {
		return nil, refuse(CodeFailed, "the working directory %q is not an absolute path", cwd)
	}
	root, err := os.OpenRoot(cwd)
	if err != nil {
		var place *fs.PathError
		if errors.As(err, &place) {
			err = place.Err
		}
		return nil, refuse(CodeFailed, "the working directory cannot be used: %v", err)
	}
	return &workspace{root: root, cwd: cwd, sessionID: c.SessionID, clock: clockOr(c.Clock)}, nil
}

// close gives the folder back; there is nothing to lose when that fails.
func (w *workspace) close() { _ = w.root.Close() }

// relative makes the name that the root knows of what a model wrote: slashes, no "..", "." for the workspace itself. It only looks
// at the text; links are the root's business.
func (w *workspace) relative(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", refuse(CodeInvalidInput, "the path contains a NUL character")
	}
	name = filepath.Clean(name)
	if filepath.IsAbs(name) {
		inside, ok := below(w.cwd, name)
		if !ok {
			// The person's folder may be known under two names.
			if real, err := filepath.EvalSymlinks(w.cwd); err == nil {
				inside, ok = below(real, name)
			}
		}
		if !ok {
			return "", refuse(CodeOutside, "%s leads outside the working directory. Only files below it can be used.", name)
		}
		name = inside
	}
	if !filepath.IsLocal(name) {
		return "", refuse(CodeOutside, "%s leads outside the working directory. Only files below it can be used.", name)
	}
	return filepath.ToSlash(name), nil
}

func below(folder, name string) (string, bool) {
	inside, err := filepath.Rel(folder, name)
	if err != nil || !filepath.IsLocal(inside) {
		return "", false
	}
	return inside, true
}

// open opens a file to be read, and nothing else.
func (w *workspace) open(name string) (*os.File, fs.FileInfo, error) {
	// Without O_NONBLOCK the opening of a pipe that nobody writes would never return.
	file, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, explain(name, err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = explain(name, err)
	case info.IsDir():
		err = explain(name, syscall.EISDIR)
	case !info.Mode().IsRegular():
		err = refuse(CodeNotAFile, "%s is not a file but a %s.", name, kindOf(info.Mode()))
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, err
	}
	return file, info, nil
}

// readText reads a whole text file of at most limit bytes.
func (w *workspace) readText(name string, limit int64) (string, fs.FileMode, error) {
	file, info, err := w.open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	if info.Size() > limit {
		return "", 0, tooLarge(name, info.Size(), limit)
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1)) // it may grow while it is read
	switch {
	case err != nil:
		return "", 0, explain(name, err)
	case int64(len(content)) > limit:
		return "", 0, tooLarge(name, int64(len(content)), limit)
	case isBinary(content):
		return "", 0, refuse(CodeBinary, "%s is not text in UTF-8 (%d bytes).", name, len(content))
	}
	return string(content), info.Mode().Perm(), nil
}

func tooLarge(name string, size, limit int64) error {
	return refuse(CodeTooLarge, "%s has %d bytes; the limit is %d. Use bash to look at parts of it.", name, size, limit)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	default:
		return "device"
	}
}

func isBinary(content []byte) bool {
	return bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content)
}

// target looks at what a write would replace: whether there is a file, and its permissions.
func (w *workspace) target(name string) (exists bool, mode fs.FileMode, err error) {
	info, err := w.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, 0o644, nil
	case err != nil:
		return false, 0, explain(name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		if _, err := w.root.Stat(name); err != nil && escapes(err) {
			return false, 0, explain(name, err)
		}
		to, err := w.root.Readlink(name)
		if err != nil {
			return false, 0, explain(name, err)
		}
		return false, 0, refuse(CodeNotAFile, "%s is a symbolic link to %s. Use the path of the file itself.", name, to)
	case info.IsDir():
		return false, 0, refuse(CodeNotAFile, "%s is a folder.", name)
	case !info.Mode().IsRegular():
		return false, 0, refuse(CodeNotAFile, "%s is not a file but a %s.", name, kindOf(info.Mode()))
	}
	return true, info.Mode().Perm(), nil
}

// replace puts a file with this content at name, in one step: whoever looks sees the old file or the new one, also after a crash.
func (w *workspace) replace(name, content string, mode fs.FileMode) error {
	folder := path.Dir(name)
	if err := w.root.MkdirAll(folder, 0o755); err != nil {
		return explain(folder, err)
	}
	temporary := path.Join(folder, ".keylane-"+w.clock.NewID())
	if err := w.writeNew(temporary, content, mode); err != nil {
		return errors.Join(explain(name, err), w.discard(temporary))
	}
	if err := w.root.Rename(temporary, name); err != nil {
		return errors.Join(explain(name, err), w.discard(temporary))
	}
	handle, err := w.root.Open(folder)
	if err != nil {
		return explain(folder, err)
	}
	defer handle.Close()
	if err := handle.Sync(); err != nil {
		return explain(folder, err)
	}
	return nil
}

func (w *workspace) discard(temporary string) error {
	if err := w.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("files: removing %s: %w", temporary, err)
	}
	return nil
}

func (w *workspace) writeNew(name, content string, mode fs.FileMode) error {
	file, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, content)
	if err == nil {
		err = file.Chmod(mode) // the process's umask took some of it
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
