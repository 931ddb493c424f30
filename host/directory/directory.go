// Package directory lets a person look through the folders of the machine and make a new one: what a page's folder browser stands on.
//
// [List] tells the folders in a folder, never files: a workspace is a folder, and what a person does not need is not shown to a page. The
// folder that is listed is named canonically, absolute and without links, so that going up from a link leads to where the folder really
// lies. [Create] makes one folder in another one that is there.
//
// The machine goes on meanwhile: what is listed may be gone when it is opened, and whatever was made by somebody else first is not ours. So
// nothing is promised here but what the operating system answered at that moment, and a folder is made inside an opened parent, which no
// exchange of names can move elsewhere.
//
// This package must not decide who may ask (package api does) or what a folder is for.
package directory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Errors that callers branch on.
var (
	// ErrUnreadable: the path names no folder, or one that cannot be looked into.
	ErrUnreadable = errors.New("the folder cannot be opened")
	// ErrExists: something of that name is there.
	ErrExists = errors.New("something of that name is there")
	// ErrName: no folder can be called that.
	ErrName = errors.New("not a folder's name")
	// ErrCreate: the operating system did not make the folder.
	ErrCreate = errors.New("the folder cannot be made")
)

const (
	// MaxFolders is how many folders a listing has at most.
	MaxFolders = 1000
	// maxScanned is how many entries of a folder are looked at, and batch how many at once.
	maxScanned, batch = 50_000, 512
	// maxName is how long a name may be, in bytes of UTF-8: the limit of the usual file systems.
	maxName = 255
)

// Folder is a folder in a list.
type Folder struct {
	Name string
	// Path is absolute. Of an entry that is a link it is the link's own.
	Path string
	// Hidden is whether the name begins with a dot.
	Hidden bool
}

// Listing is what List found.
type Listing struct {
	// Path is the folder's canonical path.
	Path string
	// Crumbs lead from the root to Path, both included.
	Crumbs []Folder
	// Folders are sorted by name without regard to case, hidden ones after all others: showing them moves nothing.
	Folders []Folder
	// Truncated is whether there are, or may be, more folders.
	Truncated bool
}

// Home is the person's home folder, or the root where the system names none.
func Home() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return string(filepath.Separator)
	}
	return filepath.Clean(home)
}

// List lists the folders in the folder at path: absolute, or "~" and what lies below it; empty means Home. Links that lead to folders are
// among them, links that lead nowhere are not, nor are names that are not UTF-8, which no page could send back. Every error but ctx's wraps
// ErrUnreadable.
func List(ctx context.Context, path string) (Listing, error) {
	canonical, err := resolve(path)
	if err != nil {
		return Listing{}, fmt.Errorf("directory: listing %q: %w: %w", path, ErrUnreadable, err)
	}
	folders, truncated, err := scan(ctx, canonical)
	switch {
	case ctx.Err() != nil:
		return Listing{}, ctx.Err()
	case err != nil:
		return Listing{}, fmt.Errorf("directory: listing %s: %w: %w", canonical, ErrUnreadable, reason(err))
	}
	return Listing{Path: canonical, Crumbs: crumbs(canonical), Folders: folders, Truncated: truncated}, nil
}

// resolve is the canonical path of what a person wrote.
func resolve(path string) (string, error) {
	if path == "" || path == "~" {
		path = Home()
	} else if rest, below := strings.CutPrefix(path, "~"+string(filepath.Separator)); below {
		path = filepath.Join(Home(), rest)
	}
	switch {
	case !filepath.IsAbs(path):
		return "", errNotAbsolute
	case strings.ContainsRune(path, 0):
		return "", errors.New("the path holds a NUL")
	}
	canonical, err := filepath.EvalSymlinks(path)
	return canonical, reason(err)
}

func scan(ctx context.Context, path string) (folders []Folder, truncated bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return nil, false, errNotFolder
	}
	// Should a pipe have taken its place meanwhile, opening it must not wait for a writer.
	open, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = open.Close() }() // it was only read
	folders = []Folder{}
	for scanned := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		entries, err := open.ReadDir(batch)
		for _, entry := range entries {
			if folder, ok := folderOf(path, entry); ok {
				folders = append(folders, folder)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, err
		}
		if scanned += len(entries); scanned >= maxScanned {
			truncated = true
			break
		}
	}
	slices.SortFunc(folders, before)
	if len(folders) > MaxFolders {
		folders, truncated = slices.Clip(folders[:MaxFolders]), true
	}
	return folders, truncated, nil
}

// folderOf is the entry as a folder; ok is false for one that is none, or is gone already.
func folderOf(parent string, entry fs.DirEntry) (_ Folder, ok bool) {
	name := entry.Name()
	path := filepath.Join(parent, name)
	if !utf8.ValidString(name) {
		return Folder{}, false
	}
	if !entry.IsDir() {
		if entry.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
			return Folder{}, false
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return Folder{}, false
		}
	}
	return Folder{Name: name, Path: path, Hidden: strings.HasPrefix(name, ".")}, true
}

func before(x, y Folder) int {
	switch {
	case x.Hidden != y.Hidden && y.Hidden:
		return -1
	case x.Hidden != y.Hidden:
		return 1
	}
	if order := strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)); order != 0 {
		return order
	}
	return strings.Compare(x.Name, y.Name)
}

// crumbs are the folders from the root to path, an absolute and clean one.
func crumbs(path string) []Folder {
	var all []Folder
	for at := path; ; at = filepath.Dir(at) {
		name := filepath.Base(at)
		root := at == filepath.Dir(at)
		if root {
			name = at // "/", or a volume's name with it
		}
		all = append(all, Folder{Name: name, Path: at, Hidden: !root && strings.HasPrefix(name, ".")})
		if root {
			slices.Reverse(all)
			return all
		}
	}
}

// CheckName says why no folder should be called name, or returns nil. The error wraps ErrName. Blanks at the ends, line breaks and the
// separators of other systems are refused although some systems take them: such a folder is one that nobody finds again.
func CheckName(name string) error {
	why := ""
	switch {
	case name == "":
		why = "it is empty"
	case len(name) > maxName:
		why = fmt.Sprintf("it has more than %d bytes", maxName)
	case !utf8.ValidString(name):
		why = "it is not UTF-8"
	case strings.ContainsAny(name, `/\`):
		why = "it has a separator"
	case name == "." || name == ".." || !filepath.IsLocal(name):
		why = "it means something else"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		why = "it has a control character"
	case strings.TrimSpace(name) != name:
		why = "it begins or ends with a blank"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrName, why)
}

// Create makes the folder name in the folder parent, and returns its canonical path. Errors wrap ErrName, ErrExists or ErrCreate.
func Create(parent, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", fmt.Errorf("directory: creating %q: %w", name, err)
	}
	canonical, err := resolve(parent)
	if err != nil {
		return "", fmt.Errorf("directory: creating %q in %q: %w: %w", name, parent, ErrCreate, err)
	}
	root, err := os.OpenRoot(canonical)
	if err != nil {
		if info, lost := os.Stat(canonical); lost == nil && !info.IsDir() {
			err = errNotFolder
		}
		return "", fmt.Errorf("directory: creating %q in %s: %w: %w", name, canonical, ErrCreate, reason(err))
	}
	defer func() { _ = root.Close() }() // nothing was written through it that could be lost
	switch err := root.Mkdir(name, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("directory: creating %q in %s: %w", name, canonical, ErrExists)
	case err != nil:
		return "", fmt.Errorf("directory: creating %q in %s: %w: %w", name, canonical, ErrCreate, reason(err))
	}
	return filepath.Join(canonical, name), nil
}

// reason words what the operating system said, without the path, which whoever asked knows.
func reason(err error) error {
	var place *fs.PathError
	if errors.As(err, &place) {
		return place.Err
	}
	return err
}
