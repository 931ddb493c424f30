package files

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"keylane/host/tool"
)

const (
	// grepResults is how many lines one result has at most.
	grepResults = 500
	// grepLineBytes is how much of a line is shown.
	grepLineBytes = 500
)

type grepArguments struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Include    string `json:"include"`
	IgnoreCase bool   `json:"ignore_case"`
}

func grepTool(c Config) tool.Tool {
	return &fileTool[grepArguments]{
		name: "grep",
		description: "Searches the text files of the working directory for a regular expression (RE2), line by line, and returns " +
			"path:line:text. Left out: " + leftOut(c.Ignore) + ", links, and files that are not text.",
		parameters: `{
	"type": "object",
	"additionalProperties": false,
	"required": ["pattern"],
	"properties": {
		"pattern": {"type": "string", "minLength": 1, "description": "The regular expression"},
		"path": {"type": "string", "minLength": 1, "description": "The file or folder to search; default the working directory"},
		"include": {"type": "string", "minLength": 1, "description": "A glob pattern that the files must match, for example *.go"},
		"ignore_case": {"type": "boolean", "description": "Do not tell upper and lower case apart; default false"}
	}
}`,
		about: func(args grepArguments) callView {
			return callView{Card: "search", Path: args.Path, Pattern: args.Pattern, Include: args.Include}
		},
		parallel: true,
		run: func(ctx context.Context, w *workspace, args grepArguments) (outcome, error) {
			return w.grep(ctx, c, args)
		},
	}
}

func (w *workspace) grep(ctx context.Context, c Config, args grepArguments) (outcome, error) {
	start, err := w.start(args.Path)
	if err != nil {
		return outcome{}, err
	}
	source := args.Pattern
	if args.IgnoreCase {
		source = "(?i)" + source
	}
	pattern, err := regexp.Compile(source)
	if err != nil {
		return outcome{}, refuse(CodeInvalidInput, "%q is not a regular expression: %v", args.Pattern, err)
	}
	include, err := compileGlob(or(args.Include, "*"))
	if err != nil {
		return outcome{}, err
	}
	list := newList(c.ResultCapBytes, grepResults)
	err = w.walk(ctx, start, c.Ignore, func(f found) (bool, error) {
		if !f.entry.Type().IsRegular() || !include.match(f.below) {
			return true, nil
		}
		content, _, err := w.readText(f.name, c.MaxFileBytes)
		var known *refusal
		if errors.As(err, &known) && f.name != start {
			return true, nil // what cannot be read is left out, unless it was asked for by name
		}
		if err != nil {
			return false, err
		}
		return matches(list, pattern, f.name, content), nil
	})
	if err != nil {
		return outcome{}, err
	}
	card := searchCard{Card: "search", Pattern: args.Pattern, Path: start, Include: args.Include, Matches: list.count, Truncated: list.full}
	return outcome{list.text("line"), card}, nil
}

// matches adds the lines that match; false when the list is full.
func matches(list *list, pattern *regexp.Regexp, name, content string) bool {
	for i, line := range split(content) {
		line = strings.TrimRight(line, "\r\n")
		if pattern.MatchString(line) && !list.add(fmt.Sprintf("%s:%d:%s", name, i+1, shorten(line, grepLineBytes))) {
			return false
		}
	}
	return true
}

func or(text, standard string) string {
	if text == "" {
		return standard
	}
	return text
}
