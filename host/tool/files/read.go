package files

import (
	"context"
	"fmt"
	"strings"

	"keylane/host/tool"
)

const (
	// readLines is how many lines are read that did not ask for a number.
	readLines = 2000
	// maxLineBytes is how much of one line is shown.
	maxLineBytes = 2000
)

type readArguments struct {
	FilePath string `json:"file_path"`
	Offset   int    `json:"offset"`
	Limit    int    `json:"limit"`
}

// fileCard is what the page shows of a file.
type fileCard struct {
	Card      string `json:"card"` // "file"
	Path      string `json:"path"`
	FirstLine int    `json:"firstLine"` // counted from 1; 0 for an empty file
	LastLine  int    `json:"lastLine"`
	Lines     int    `json:"totalLines"`
	Content   string `json:"content"`
}

func readTool(c Config) tool.Tool {
	return &fileTool[readArguments]{
		name: "read",
		description: "Reads a text file of the working directory. Every line comes with its number and a tab in front; the last line of the " +
			"result tells how much of the file that was.",
		parameters: `{
	"type": "object",
	"additionalProperties": false,
	"required": ["file_path"],
	"properties": {
		"file_path": {"type": "string", "minLength": 1, "description": "The file, relative to the working directory"},
		"offset": {"type": "integer", "minimum": 1, "description": "The number of the first line to read; default 1"},
		"limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "How many lines to read; default 2000"}
	}
}`,
		about:    func(args readArguments) callView { return callView{Card: "file", Path: args.FilePath} },
		parallel: true,
		run: func(_ context.Context, w *workspace, args readArguments) (outcome, error) {
			return w.read(c, args)
		},
	}
}

func (w *workspace) read(c Config, args readArguments) (outcome, error) {
	name, err := w.relative(args.FilePath)
	if err != nil {
		return outcome{}, err
	}
	content, _, err := w.readText(name, c.MaxFileBytes)
	if err != nil {
		return outcome{}, err
	}
	lines := split(strings.TrimPrefix(content, "\ufeff"))
	if len(lines) == 0 {
		return outcome{"[the file is empty]", fileCard{Card: "file", Path: name}}, nil
	}
	first, count := max(args.Offset, 1), readLines
	if args.Limit > 0 {
		count = args.Limit
	}
	if first > len(lines) {
		return outcome{}, refuse(CodeInvalidInput, "%s has %d lines; there is no line %d.", name, len(lines), first)
	}
	last := min(first-1+count, len(lines))
	var numbered, shown strings.Builder
	for i := first; i <= last; i++ {
		line := shorten(strings.TrimRight(lines[i-1], "\r\n"), maxLineBytes)
		if i > first && numbered.Len()+len(line) > c.ResultCapBytes {
			last = i - 1
			break
		}
		fmt.Fprintf(&numbered, "%d\t%s\n", i, line)
		shown.WriteString(line + "\n")
	}
	if last < len(lines) {
		fmt.Fprintf(&numbered, "[lines %d to %d of %d; go on with offset %d]", first, last, len(lines), last+1)
	} else {
		fmt.Fprintf(&numbered, "[end of file, %d %s]", len(lines), plural(len(lines), "line"))
	}
	return outcome{numbered.String(), fileCard{"file", name, first, last, len(lines), shown.String()}}, nil
}

// split cuts a text into lines that keep their ends; only the last one may have none.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// shorten keeps at most limit bytes and whole characters, and says what is missing.
func shorten(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	kept := strings.ToValidUTF8(line[:limit], "")
	return fmt.Sprintf("%s… [%d more bytes]", kept, len(line)-len(kept))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
