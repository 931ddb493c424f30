package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"keylane/host/spill"
	"keylane/host/tool"
)

const (
	// readLines is how many lines are read that did not ask for a number.
	readLines = 2000
	// maxLineBytes is how much of one line is shown.
	maxLineBytes = 2000
)

type readArguments struct {
	FilePath string `json:"file_path" schema:"required,min=1" about:"The file, relative to the working directory"`
	Offset   int    `json:"offset" schema:"min=1" about:"The number of the first line to read; default 1"`
	Limit    int    `json:"limit" schema:"min=1,max=10000" about:"How many lines to read; default 2000"`
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

func readTool(c Config, known *seen) tool.Tool {
	return &fileTool[readArguments]{
		name: "read",
		description: "Reads a text file of the working directory. Every line comes with its number and a tab in front; the last line of the " +
			"result tells how much of the file that was. Also reads the files that results name as spill:…",
		about:    func(args readArguments) callView { return callView{Card: "file", Path: args.FilePath} },
		parallel: true,
		run: func(ctx context.Context, w *workspace, args readArguments) (outcome, error) {
			spilled, name, err := w.spilled(c, args.FilePath)
			if err != nil {
				return outcome{}, err
			}
			if spilled == nil {
				return w.read(ctx, c, known, args)
			}
			defer spilled.close()
			args.FilePath = name
			return spilled.readSpilled(ctx, c, args)
		},
	}
}

func (w *workspace) read(ctx context.Context, c Config, known *seen, args readArguments) (outcome, error) {
	name, err := w.relative(args.FilePath)
	if err != nil {
		return outcome{}, err
	}
	got, err := w.scan(ctx, c, name, args)
	if err != nil {
		return outcome{}, err
	}
	if got.binary {
		return outcome{}, refuse(CodeBinary, "%s is not text in UTF-8 (%d bytes).", name, got.bytes)
	}
	known.saw(w.sessionID, w.full(name), got.digest)
	return got.outcome(name)
}

// spilled opens the session's spill folder when a path leads into it: as a handle, or as the path that commands know. Otherwise it is
// nil.
func (w *workspace) spilled(c Config, path string) (*workspace, string, error) {
	if c.Spill == nil {
		return nil, "", nil
	}
	folder := c.Spill.Session(w.sessionID)
	name, ok := strings.CutPrefix(path, spill.Scheme)
	if !ok && filepath.IsAbs(path) {
		name, ok = below(folder, path)
	}
	switch {
	case !ok:
		return nil, "", nil
	case filepath.Base(name) != name || !filepath.IsLocal(name):
		return nil, "", refuse(CodeOutside, "%s is not the name of a spill file.", path)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", refuse(CodeNotFound, "%s does not exist any more, or never did. Run the command again.", spill.Scheme+name)
	}
	return &workspace{root: root, cwd: folder, sessionID: w.sessionID, clock: w.clock}, name, nil
}

// readSpilled reads what a command wrote, which may be anything: what is not UTF-8 is shown as such.
func (w *workspace) readSpilled(ctx context.Context, c Config, args readArguments) (outcome, error) {
	name := args.FilePath
	got, err := w.scan(ctx, c, name, args)
	var known *refusal
	if errors.As(err, &known) && known.code == CodeNotFound {
		return outcome{}, refuse(CodeNotFound, "%s does not exist any more, or never did. Run the command again.", spill.Scheme+name)
	}
	if err != nil {
		return outcome{}, err
	}
	return got.outcome(spill.Scheme + name)
}

// outcome is what was read, for the model and for the page.
func (s *scanned) outcome(name string) (outcome, error) {
	switch {
	case s.lines == 0:
		return outcome{"[the file is empty]", fileCard{Card: "file", Path: name}}, nil
	case s.first > s.lines:
		return outcome{}, refuse(CodeInvalidInput, "%s has %d %s; there is no line %d.", name, s.lines, plural(s.lines, "line"), s.first)
	}
	var numbered, content strings.Builder
	for i, line := range s.taken {
		fmt.Fprintf(&numbered, "%d\t%s\n", s.first+i, line)
		content.WriteString(line + "\n")
	}
	last := s.first + len(s.taken) - 1
	if last < s.lines {
		fmt.Fprintf(&numbered, "[lines %d to %d of %d; go on with offset %d]", s.first, last, s.lines, last+1)
	} else {
		fmt.Fprintf(&numbered, "[end of file, %d %s]", s.lines, plural(s.lines, "line"))
	}
	return outcome{numbered.String(), fileCard{"file", name, s.first, last, s.lines, content.String()}}, nil
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
