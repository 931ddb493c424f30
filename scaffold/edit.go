package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"testing/fstest"
)

// An Edit breaks the page of a mutant in one place. The page is bundled and minified, so Find is a regular expression: names of
// variables are the bundler's choice, while texts, property names and the order of things are ours. It must match exactly once; an edit that
// matches nothing would be a mutant that is none, and one that matches twice would break more than it says.
//
//	scaffold.Edit{File: "shared/keylane.js", Find: `typeof SharedWorker<"u"`, Put: "false"}
type Edit struct {
	// File is a path of the page: "assets/shell.js", "assets/events.js" (the shared worker), "shared/keylane.js", "plugins/<name>/client.js".
	// Parts that are fetched when they are needed have their content's hash in their names: for them it is a pattern, such as
	// "assets/parts/trajectory-*.js", or "assets/parts/*.js" for what several share, and the place must be in exactly one of the files.
	File string
	// Find is the place, in the syntax of package regexp.
	Find string
	// Put comes instead; $1 is what the first group of Find matched.
	Put string
}

// edit lays edits over a page and returns the page to serve. The one that was given stays as it is.
func edit(page fs.FS, edits []Edit) (fs.FS, error) {
	if len(edits) == 0 {
		return page, nil
	}
	edited := editedPage{page: page, files: fstest.MapFS{}}
	var problems []error
	for _, e := range edits {
		problems = append(problems, edited.apply(e))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return edited, nil
}

// editedPage is a page with some files in the place of its own.
type editedPage struct {
	page  fs.FS
	files fstest.MapFS
}

// Open opens the edited file of that name, else the page's.
func (p editedPage) Open(name string) (fs.File, error) {
	if p.files[name] != nil {
		return p.files.Open(name)
	}
	return p.page.Open(name)
}

func (p editedPage) apply(e Edit) error {
	place, err := regexp.Compile(e.Find)
	if err != nil {
		return fmt.Errorf("scaffold: an edit of %s: %w", e.File, err)
	}
	fitting, err := fs.Glob(p.page, e.File)
	if err == nil && len(fitting) == 0 {
		err = errors.New("the page has no such file")
	}
	if err != nil {
		return fmt.Errorf("scaffold: an edit of %s: %w", e.File, err)
	}
	total, where := 0, ""
	var changed []byte
	for _, name := range fitting {
		text, err := fs.ReadFile(p, name)
		if err != nil {
			return fmt.Errorf("scaffold: an edit of %s: %w", e.File, err)
		}
		if found := len(place.FindAllIndex(text, -1)); found > 0 {
			total += found
			where, changed = name, place.ReplaceAll(text, []byte(e.Put))
		}
	}
	if total != 1 {
		return fmt.Errorf("scaffold: an edit of %s: %q is there %d times, want once: see what the bundle has instead, and mend the mutant", e.File, e.Find, total)
	}
	p.files[where] = &fstest.MapFile{Data: changed, Mode: 0o444}
	return nil
}
