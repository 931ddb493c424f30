package files

import (
	"context"
	"fmt"
	"strings"

	"keylane/host/tool"
)

// globResults is how many paths one result has at most.
const globResults = 1000

type globArguments struct {
	Pattern        string `json:"pattern" schema:"required,min=1" about:"The pattern, for example src/**/*.ts"`
	Path           string `json:"path" schema:"min=1" about:"The folder to search in; default the working directory"`
	IncludeIgnored bool   `json:"include_ignored" about:"Search also what is left out otherwise; default false"`
}

// searchCard is what the page shows of a search.
type searchCard struct {
	Card      string `json:"card"` // "search"
	Pattern   string `json:"pattern"`
	Path      string `json:"path"`
	Include   string `json:"include,omitempty"`
	Matches   int    `json:"matches"`
	Truncated bool   `json:"truncated,omitempty"`
}

func globTool(c Config) tool.Tool {
	return &fileTool[globArguments]{
		name: "glob",
		description: "Finds files of the working directory by their path and returns the paths, sorted. * and ? stay inside a name, ** spans " +
			"folders; a pattern without a slash finds names at any depth. Left out: " + leftOut(c) + ".",
		about: func(args globArguments) callView {
			return callView{Card: "search", Path: args.Path, Pattern: args.Pattern}
		},
		parallel: true,
		run: func(ctx context.Context, w *workspace, args globArguments) (outcome, error) {
			return w.glob(ctx, c, args)
		},
	}
}

func (w *workspace) glob(ctx context.Context, c Config, args globArguments) (outcome, error) {
	start, err := w.start(args.Path)
	if err != nil {
		return outcome{}, err
	}
	pattern, err := compileGlob(args.Pattern)
	if err != nil {
		return outcome{}, err
	}
	list := newList(c.ResultCapBytes, globResults)
	err = w.walk(ctx, start, c.skips(args.IncludeIgnored), func(f found) (bool, error) {
		if pattern.match(f.below) {
			return list.add(f.name), nil
		}
		return true, nil
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{list.text("file"), searchCard{Card: "search", Pattern: args.Pattern, Path: start, Matches: list.count, Truncated: list.full}}, nil
}

// start is the place of a search; nothing means the workspace.
func (w *workspace) start(name string) (string, error) {
	if name == "" {
		return ".", nil
	}
	return w.relative(name)
}

// list collects what a search found, as far as there is room.
type list struct {
	b          strings.Builder
	bytes, max int
	count      int
	full       bool // there is more than was taken
}

func newList(bytes, max int) *list { return &list{bytes: bytes, max: max} }

// add is false when nothing more fits.
func (l *list) add(line string) bool {
	if l.count == l.max || l.count > 0 && l.b.Len()+len(line) > l.bytes {
		l.full = true
		return false
	}
	l.count++
	l.b.WriteString(line + "\n")
	return true
}

func (l *list) text(what string) string {
	switch {
	case l.count == 0:
		return "[nothing found]"
	case l.full:
		return fmt.Sprintf("%s[the first %d %s; there are more, narrow the search]", l.b.String(), l.count, plural(l.count, what))
	}
	return fmt.Sprintf("%s[%d %s]", l.b.String(), l.count, plural(l.count, what))
}
