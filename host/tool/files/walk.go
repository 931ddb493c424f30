package files

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// leftOut words what a search leaves out.
func leftOut(c Config) string {
	words := strings.Join(c.Ignore, ", ")
	switch {
	case c.Gitignore && words != "":
		return words + ", and what .gitignore files name"
	case c.Gitignore:
		return "what .gitignore files name"
	case words == "":
		return "no folder"
	}
	return words
}

// found is a file that a search came across.
type found struct {
	name  string // relative to the workspace
	below string // relative to where the search started
	entry fs.DirEntry
}

// skips is what a walk leaves out.
type skips struct {
	folders   []string // wherever they lie
	gitignore bool
}

// skips gives what a search leaves out, which is nothing when it is to include what is ignored.
func (c Config) skips(includeIgnored bool) skips {
	if includeIgnored {
		return skips{}
	}
	return skips{c.Ignore, c.Gitignore}
}

// walk calls see for every file at or below start, in the order of the paths, until see says false. Folders that cannot be read are
// passed over, as is what is skipped; links to folders are files here.
func (w *workspace) walk(ctx context.Context, start string, skip skips, see func(found) (bool, error)) error {
	info, err := w.root.Stat(start)
	if err != nil {
		return explain(start, err)
	}
	tree := w.root.FS()
	if !info.IsDir() {
		_, err := see(found{start, path.Base(start), fs.FileInfoToDirEntry(info)})
		return err
	}
	var top *ignores
	if skip.gitignore {
		top = w.ignoresAt(start)
	}
	ignored := map[string]*ignores{} // of the folders that the walk is in, and of some that it has left
	return fs.WalkDir(tree, start, func(name string, entry fs.DirEntry, problem error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case problem != nil && name == start:
			return explain(start, problem)
		case problem != nil:
			return nil
		}
		rules := top
		if name != start && skip.gitignore {
			rules = ignored[path.Dir(name)]
			if rules.match(name, entry.IsDir()) {
				return skipped(entry)
			}
		}
		if entry.IsDir() {
			if name != start && slices.Contains(skip.folders, entry.Name()) {
				return fs.SkipDir
			}
			if skip.gitignore {
				ignored[name] = rules.below(w, name)
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

// skipped passes over a file, or over a folder with all that is in it.
func skipped(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}
