package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"keylane/host/tool"
)

// findEntries is how many files and folders one Find looks at; a folder with more is searched from the top as far as that goes.
const findEntries = 50_000

// ErrFolder: the folder to search is not there any more, or cannot be opened.
var ErrFolder = errors.New("the folder cannot be searched")

// Find returns the paths of files of a folder that a person may mean by query, best first, at most limit. Paths are relative to the
// folder, with slashes. Truncated tells that there are more, or that the folder was too large to be looked at whole.
//
// The characters of query must occur in the path in their order, in any case. Hits in the file's own name come before hits in the
// path, whole words before scattered characters, short paths before long ones; without a query the files nearest to the top come
// first. Left out are the folders that searches leave out by default, what .gitignore files name, names that are not UTF-8, and everything that is no
// file. A link counts when it leads to a file inside the folder. The error is ctx's, ErrFolder, or why
// something in it cannot be read.
func Find(ctx context.Context, folder, query string, limit int) (paths []string, truncated bool, err error) {
	w, err := openWorkspace(tool.Call{Cwd: folder})
	if err != nil {
		return nil, false, fmt.Errorf("files: searching %s: %w: %w", folder, ErrFolder, err)
	}
	defer w.close()
	f := finder{w: w, ignore: Config{}.withDefaults().Ignore, query: strings.ToLower(query), left: findEntries}
	if err := f.search(ctx); err != nil {
		return nil, false, err
	}
	slices.SortStableFunc(f.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank), cmp.Compare(a.path, b.path))
	})
	for _, h := range f.hits {
		if h.link && !w.isFile(h.path) {
			continue
		}
		if len(paths) == limit {
			return paths, true, nil
		}
		paths = append(paths, h.path)
	}
	return paths, f.left < 0, nil
}

// hit is a file that the query may mean. Of two with the same score the smaller rank wins.
type hit struct {
	path        string
	score, rank int
	link        bool
}

type finder struct {
	w      *workspace
	ignore []string
	query  string // in lower case
	left   int    // entries that may still be looked at; negative when there were more
	hits   []hit
}

// place is a folder to look at, and what is left out below it.
type place struct {
	name  string
	rules *ignores
}

// search goes through the folders level by level, so that a bound leaves out the deepest ones.
func (f *finder) search(ctx context.Context) error {
	tree := f.w.root.FS()
	for level := []place{{name: "."}}; len(level) > 0; {
		var next []place
		for _, at := range level {
			if err := ctx.Err(); err != nil {
				return err
			}
			entries, err := fs.ReadDir(tree, at.name)
			if err != nil && at.name == "." {
				return explain(at.name, err)
			}
			rules := at.rules
			if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ignoreFile }) {
				rules = rules.below(f.w, at.name)
			}
			for _, entry := range entries {
				if f.left--; f.left < 0 {
					return nil
				}
				name := path.Join(at.name, entry.Name())
				switch {
				case !utf8.ValidString(name) || rules.match(name, entry.IsDir()):
				case entry.IsDir():
					if !slices.Contains(f.ignore, entry.Name()) {
						next = append(next, place{name, rules})
					}
				case entry.Type().IsRegular() || entry.Type()&fs.ModeSymlink != 0:
					if score, ok := match(strings.ToLower(name), f.query); ok {
						f.hits = append(f.hits, hit{name, score, strings.Count(name, "/")<<16 + len(name), entry.Type()&fs.ModeSymlink != 0})
					}
				}
			}
		}
		level = next
	}
	return nil
}

// isFile tells whether a path leads to a file inside the workspace.
func (w *workspace) isFile(name string) bool {
	info, err := w.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// match tells whether a path may be meant by a query, both in lower case, and how well it fits.
func match(name, query string) (score int, ok bool) {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch at := strings.Index(base, query); {
	case query == "":
		return 0, true
	case base == query || stem == query:
		return 7, true
	case at == 0:
		return 6, true
	case at > 0 && strings.ContainsRune("-_. ", rune(base[at-1])):
		return 5, true
	case at > 0:
		return 4, true
	case strings.HasPrefix(name, query):
		return 3, true
	case strings.Contains(name, query):
		return 2, true
	case scattered(base, query):
		return 1, true
	}
	return 0, scattered(name, query)
}

// scattered tells whether the characters of query occur in text in their order.
func scattered(text, query string) bool {
	for _, r := range query {
		at := strings.IndexRune(text, r)
		if at < 0 {
			return false
		}
		text = text[at+utf8.RuneLen(r):]
	}
	return true
}
