// Package workspace keeps the folders a person works in. A workspace is a
// registration of a folder, nothing inside the folder itself: its canonical path
// (symbolic links resolved) is what makes it unique, and removing a
// registration removes no file.
//
// The registrations are in <home>/workspaces.json, which two hosts may share: it
// is read for every answer, and changed under a file lock by writing a new file
// and renaming it over the old one.
//
// The same file keeps what a person has arranged about sessions, so that no log
// is touched by it: which are archived, and in which order those of a folder are
// shown. Until a person moves one, the order is that of the last activity, newest
// first. A move fixes the order of all sessions that the folder has then: from then
// on activity moves none of them. Sessions that came later stand above them, newest
// activity first, until they are moved too. So nothing that a person arranged is
// undone by work, and what is new is seen.
//
// The host's default folder is a workspace also while nobody has registered it, until a person removes it from the list.
//
// Two folders may have the same name, and so the same title: the path tells them apart. A title that a person gives is unlike every other.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keylane/host/clock"
)

// Errors that callers branch on.
var (
	// ErrNotFound: no workspace has this id.
	ErrNotFound = errors.New("no such workspace")
	// ErrInvalidPath: the path is not absolute, or no folder can be there.
	ErrInvalidPath = errors.New("not a usable folder")
	// ErrNameConflict: a workspace is called that, or a folder of this name exists.
	ErrNameConflict = errors.New("the name is taken")
	// ErrMoveInvalid: one of the sessions is not of the workspace, or it is to go in front of itself.
	ErrMoveInvalid = errors.New("the session cannot be moved there")
)

// Workspace is a folder a person works in.
type Workspace struct {
	// ID follows from Path and so is the same on every host.
	ID string `json:"id"`
	// Path is absolute and canonical.
	Path string `json:"path"`
	// Title is what a person reads, the folder's name unless changed.
	Title string `json:"title"`
	// CreatedAt and UpdatedAt are Unix milliseconds.
	CreatedAt int64 `json:"createdAt"`
	UpdatedAt int64 `json:"updatedAt"`
	// Provisional: it is the default folder, and nobody has registered it.
	Provisional bool `json:"-"`
}

// Options of Open.
type Options struct {
	// File holds the registrations; its folder is made when something is registered.
	File string
	// NewFolders is where Create makes folders by name.
	NewFolders string
	// Cwd is the default folder; it is made when a session needs it.
	Cwd   string
	Clock clock.Clock
}

// Registry knows the workspaces. It is safe for concurrent use: what it knows is in the file.
type Registry struct {
	o        Options
	fallback Workspace // of o.Cwd
}

// Open makes a registry. It reads and writes nothing yet.
func Open(o Options) (*Registry, error) {
	if !filepath.IsAbs(o.Cwd) {
		return nil, fmt.Errorf("workspace: opening: the default folder %q: %w: the path is not absolute", o.Cwd, ErrInvalidPath)
	}
	path := filepath.Clean(o.Cwd)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved // a folder that is not there yet has nothing to resolve
	}
	fallback := fresh(path, o.Clock.Now().UnixMilli())
	fallback.Provisional = true
	return &Registry{o: o, fallback: fallback}, nil
}

func fresh(path string, now int64) Workspace {
	sum := sha256.Sum256([]byte(path))
	title := filepath.Base(path)
	return Workspace{ID: "workspace-" + hex.EncodeToString(sum[:8]), Path: path, Title: title, CreatedAt: now, UpdatedAt: now}
}

// Default is the default folder's workspace, registered or not.
func (r *Registry) Default() Workspace { return r.fallback }

// List returns the registered workspaces in the order of a person, which is that of registration until one is moved, and before them the
// default one unless it is among them or was removed. An error is a *FileError.
func (r *Registry) List() ([]Workspace, error) {
	f, err := read(r.o.File)
	if err != nil {
		return nil, err
	}
	return f.listed(r.fallback), nil
}

// Get returns one workspace; ErrNotFound when there is none.
func (r *Registry) Get(id string) (Workspace, error) {
	all, err := r.List()
	if err != nil {
		return Workspace{}, err
	}
	for _, w := range all {
		if w.ID == id {
			return w, nil
		}
	}
	return Workspace{}, fmt.Errorf("workspace: %s: %w", id, ErrNotFound)
}

// Adopt registers the folder at path, an absolute path, unless it is registered; created
// tells whether it was now. The folder must be there, because a path that leads nowhere is
// mistyped more often than meant; only the default folder is made.
func (r *Registry) Adopt(path string) (w Workspace, created bool, err error) {
	if !filepath.IsAbs(path) {
		return w, false, fmt.Errorf("workspace: adopting %q: %w: the path is not absolute", path, ErrInvalidPath)
	}
	if strings.ContainsRune(path, 0) {
		return w, false, fmt.Errorf("workspace: adopting: %w: the path holds a NUL", ErrInvalidPath)
	}
	if filepath.Clean(path) == r.fallback.Path {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return w, false, fmt.Errorf("workspace: adopting %s: %w: %w", path, ErrInvalidPath, err)
		}
	}
	canonical, err := filepath.EvalSymlinks(path)
	if err != nil {
		return w, false, fmt.Errorf("workspace: adopting %s: %w: %w", path, ErrInvalidPath, err)
	}
	if info, err := os.Stat(canonical); err != nil {
		return w, false, fmt.Errorf("workspace: adopting %s: %w: %w", path, ErrInvalidPath, err)
	} else if !info.IsDir() {
		return w, false, fmt.Errorf("workspace: adopting %s: %w: it is a file", path, ErrInvalidPath)
	}
	return r.register(canonical)
}

// Create makes a new folder of that name where the host keeps such folders, and
// registers it. ErrNameConflict when the name is taken, ErrInvalidPath when it is none.
func (r *Registry) Create(name string) (Workspace, error) {
	name = strings.TrimSpace(name)
	if name == "" || name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\\\x00") {
		return Workspace{}, fmt.Errorf("workspace: creating %q: %w: not a folder's name", name, ErrInvalidPath)
	}
	if err := os.MkdirAll(r.o.NewFolders, 0o777); err != nil {
		return Workspace{}, fmt.Errorf("workspace: creating %q: %w", name, err)
	}
	all, err := r.List()
	if err != nil {
		return Workspace{}, err
	}
	if taken(all, name, "") {
		return Workspace{}, fmt.Errorf("workspace: creating %q: %w", name, ErrNameConflict)
	}
	path := filepath.Join(r.o.NewFolders, name)
	switch err := os.Mkdir(path, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return Workspace{}, fmt.Errorf("workspace: creating %q: %w", name, ErrNameConflict)
	case err != nil:
		return Workspace{}, fmt.Errorf("workspace: creating %q: %w: %w", name, ErrInvalidPath, err)
	}
	w, _, err := r.Adopt(path)
	return w, err
}

func (r *Registry) register(path string) (Workspace, bool, error) {
	w := fresh(path, r.o.Clock.Now().UnixMilli())
	created := true
	err := change(r.o.File, func(f *file) (bool, error) {
		if at := f.find(w.ID); at >= 0 {
			w, created = f.Workspaces[at], false
			return false, nil
		}
		if w.ID == r.fallback.ID && !slices.Contains(f.Removed, w.ID) {
			f.Workspaces = slices.Insert(f.Workspaces, 0, w) // where it was listed before
			return true, nil
		}
		f.Removed = slices.DeleteFunc(f.Removed, func(id string) bool { return id == w.ID })
		f.Workspaces = append(f.Workspaces, w)
		return true, nil
	})
	if err != nil {
		return Workspace{}, false, fmt.Errorf("workspace: registering %s: %w", path, err)
	}
	return w, created, nil
}
