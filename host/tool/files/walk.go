package files

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// leftOut words which folders a search does not enter.
func leftOut(ignore []string) string {
	if len(ignore) == 0 {
		return "no folder"
	}
	return strings.Join(ignore, ", ")
}

// found is a file that a search came across.
type found struct {
	name  string // relative to the workspace
	below string // relative to where the search started
	entry fs.DirEntry
}

// walk calls see for every file at or below start, in the order of the paths, until see says false. Folders that cannot be read are
// passed over, as are the ignored ones; links to folders are files here.
func (w *workspace) walk(ctx context.Context, start string, ignore []string, see func(found) (bool, error)) error {
	info, err := w.root.Stat(start)
	if err != nil {
		return explain(start, err)
	}
	tree := w.root.FS()
	if !info.IsDir() {
		_, err := see(found{start, path.Base(start), fs.FileInfoToDirEntry(info)})
		return err
	}
	return fs.WalkDir(tree, start, func(name string, entry fs.DirEntry, problem error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case problem != nil && name == start:
			return explain(start, problem)
		case problem != nil:
			return nil
		case entry.IsDir():
			if name != start && slices.Contains(ignore, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		below := name
		if start != "." {
			below = name[len(start)+1:]
		}
		more, err := see(found{name, below, entry})
		if err == nil && !more {
			return fs.SkipAll
		}
		return err
	})
}
