package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Place reads text files below one folder. It is safe for concurrent use until Close.
type Place struct {
	dir  string
	root *os.Root // nil: links are followed wherever they lead
}

// Confined is a place that no link leads out of. The caller closes it.
func Confined(dir string) (*Place, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("project: opening %s: %w", dir, reason(err))
	}
	return &Place{dir, root}, nil
}

// Trusted is a place of the person's own: links are followed. It holds nothing open.
func Trusted(dir string) *Place { return &Place{dir: dir} }

// Path is where a file of the place lies.
func (p *Place) Path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// Close gives the folder back.
func (p *Place) Close() error {
	if p.root == nil {
		return nil
	}
	return p.root.Close()
}

// Text is the beginning of a file.
type Text struct {
	Content string // valid UTF-8, without a byte order mark, lines ended by \n
	Size    int64  // of the whole file, in bytes
}

// ErrNotText: the file is no text.
var ErrNotText = errors.New("it is not text")

// Read reads at most limit bytes of a regular text file; the name is relative, with slashes. Errors say why in a few words and do not
// repeat the path; a missing file is fs.ErrNotExist.
func (p *Place) Read(name string, limit int64) (Text, error) {
	file, err := p.open(name)
	if err != nil {
		return Text{}, reason(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return Text{}, reason(err)
	case !info.Mode().IsRegular():
		return Text{}, errors.New("it is not a file")
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1)) // it may grow while it is read
	if err != nil {
		return Text{}, reason(err)
	}
	text := Text{Size: max(info.Size(), int64(len(content)))}
	whole := string(content[:min(int64(len(content)), limit)])
	if int64(len(content)) > limit {
		whole = Cut(whole, len(whole))
	}
	if strings.ContainsRune(whole, 0) {
		return Text{}, ErrNotText
	}
	text.Content = strings.ReplaceAll(strings.TrimPrefix(strings.ToValidUTF8(whole, "\uFFFD"), "\uFEFF"), "\r\n", "\n")
	return text, nil
}

// Without O_NONBLOCK the opening of a pipe that nobody writes would never return.
func (p *Place) open(name string) (*os.File, error) {
	const how = os.O_RDONLY | syscall.O_NONBLOCK
	if p.root == nil {
		return os.OpenFile(p.Path(name), how, 0)
	}
	return p.root.OpenFile(filepath.FromSlash(name), how, 0)
}

// List lists a folder of the place by name, links as what they lead to; at most limit entries, and how many there are. A folder that does
// not exist is empty.
func (p *Place) List(name string, limit int) (entries []Entry, total int, err error) {
	folder, err := p.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, reason(err)
	}
	defer func() { _ = folder.Close() }() // it was only read
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, 0, reason(err)
	}
	return p.entries(name, names, limit), len(names), nil
}

// Entry is what a folder holds.
type Entry struct {
	Name   string
	Folder bool
	Err    error // it cannot be looked at, for instance because it is a link out of a confined place
}

func (p *Place) entries(folder string, names []string, limit int) []Entry {
	slices.Sort(names)
	var entries []Entry
	for _, name := range names[:min(len(names), limit)] {
		info, err := p.stat(path.Join(folder, name))
		if err != nil {
			entries = append(entries, Entry{Name: name, Err: reason(err)})
			continue
		}
		entries = append(entries, Entry{Name: name, Folder: info.IsDir()})
	}
	return entries
}

func (p *Place) stat(name string) (fs.FileInfo, error) {
	if p.root == nil {
		return os.Stat(p.Path(name))
	}
	return p.root.Stat(filepath.FromSlash(name))
}

// reason words what the operating system said, without the path, which whoever asked knows.
func reason(err error) error {
	var place *fs.PathError
	if !errors.As(err, &place) {
		return err
	}
	// The package os gives this error no name; a test holds its words.
	if strings.Contains(place.Err.Error(), "path escapes from parent") {
		return errors.New("a link leads out of the project")
	}
	return place.Err
}

// Cut is the longest beginning of s that has at most n bytes and does not end within a character.
func Cut(s string, n int) string {
	if n >= len(s) {
		n = len(s)
	}
	for back := 1; back <= min(utf8.UTFMax, n); back++ {
		if r := s[n-back]; utf8.RuneStart(r) {
			if !utf8.FullRuneInString(s[n-back : n]) {
				return s[:n-back]
			}
			break
		}
	}
	return s[:n]
}
