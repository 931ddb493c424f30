package files

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"keylane/host/tool"
)

const (
	// grepResults is how many lines one result has at most.
	grepResults = 500
	// grepLineBytes is how much of a line is shown.
	grepLineBytes = 500
)

type grepArguments struct {
	Pattern        string `json:"pattern" schema:"required,min=1" about:"The regular expression"`
	Path           string `json:"path" schema:"min=1" about:"The file or folder to search; default the working directory"`
	Include        string `json:"include" schema:"min=1" about:"A glob pattern that the files must match, for example *.go"`
	IgnoreCase     bool   `json:"ignore_case" about:"Do not tell upper and lower case apart; default false"`
	IncludeIgnored bool   `json:"include_ignored" about:"Search also what is left out otherwise; default false"`
}

func grepTool(c Config) tool.Tool {
	return &fileTool[grepArguments]{
		name: "grep",
		description: "Searches the text files of the working directory for a regular expression (RE2), line by line, and returns " +
			"path:line:text. Left out: " + leftOut(c) + "; links, and files that are not text, of which the result tells how many.",
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
	var passed passedOver
	err = w.walk(ctx, start, c.skips(args.IncludeIgnored), func(f found) (bool, error) {
		if !f.entry.Type().IsRegular() || !include.match(f.below) {
			return true, nil
		}
		content, _, err := w.readText(f.name, c.MaxFileBytes)
		var known *refusal
		if errors.As(err, &known) && f.name != start {
			passed.add(known.code) // what cannot be read is left out and counted, unless it was asked for by name
			return true, nil
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
	return outcome{list.text("line") + passed.text(c.MaxFileBytes), card}, nil
}

// passedOver counts the files that a search did not look into.
type passedOver struct{ binary, large, other int }

func (p *passedOver) add(code string) {
	switch code {
	case CodeBinary:
		p.binary++
	case CodeTooLarge:
		p.large++
	default:
		p.other++
	}
}

// text says it, or nothing when there is nothing to say.
func (p *passedOver) text(limit int64) string {
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{{p.binary, "no text"}, {p.large, fmt.Sprintf("larger than %d bytes", limit)}, {p.other, "not to be read"}} {
		switch {
		case part.count == 1:
			parts = append(parts, "1 file that is "+part.what)
		case part.count > 1:
			parts = append(parts, fmt.Sprintf("%d files that are %s", part.count, part.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n[not searched: " + strings.Join(parts, ", ") + "]"
}

// matches adds the lines that match; false when the list is full.
func matches(list *list, pattern *regexp.Regexp, name, content string) bool {
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if at := pattern.FindStringIndex(line); at != nil && !list.add(fmt.Sprintf("%s:%d:%s", name, number, around(line, at[0], grepLineBytes))) {
			return false
		}
	}
	return true
}

// around shortens a line to about limit bytes, so that what begins at a place in it is to be seen.
func around(line string, at, limit int) string {
	if len(line) <= limit || at < limit/2 {
		return shorten(line, limit)
	}
	begin := at - limit/4
	for begin < at && !utf8.RuneStart(line[begin]) {
		begin++
	}
	return fmt.Sprintf("[%d bytes] …%s", begin, shorten(line[begin:], limit))
}

func or(text, standard string) string {
	if text == "" {
		return standard
	}
	return text
}
