package files

import (
	"errors"
	"fmt"
	"strings"

	"keylane/host/tool"
)

type writeArguments struct {
	FilePath string `json:"file_path" schema:"required,min=1" about:"The file, relative to the working directory"`
	Content  string `json:"content" schema:"required" about:"The whole new content"`
}

func writeTool(c Config, known *seen) tool.Tool {
	return changing(fileTool[writeArguments]{
		name: "write",
		description: "Writes a text file of the working directory: a new one, with the folders it needs, or the whole content of one that is " +
			"there. A file that somebody changed since you read it must be read again first. Lines of a file that end in \\r\\n go on doing so. " +
			"To change a part of a file use edit.",
		about: func(args writeArguments) callView { return callView{Card: "diff", Path: args.FilePath} },
	}, known, func(w *workspace, args writeArguments) (change, error) { return w.planWrite(c, known, args) })
}

func (w *workspace) planWrite(c Config, known *seen, args writeArguments) (change, error) {
	name, err := w.relative(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if int64(len(args.Content)) > c.MaxFileBytes {
		return change{}, refuse(CodeTooLarge, "the content has %d bytes; the limit is %d.", len(args.Content), c.MaxFileBytes)
	}
	exists, mode, err := w.target(name)
	if err != nil {
		return change{}, err
	}
	action, before, content := "created", "", args.Content
	if exists {
		action = "overwritten"
		text := true
		if before, text, err = w.replaced(name, c.MaxFileBytes); err != nil {
			return change{}, err
		}
		if text && known.changed(w.sessionID, w.full(name), digest(before)) {
			return change{}, refuse(CodeChanged, "%s was changed by somebody else since you read it. Read it again, and keep what was changed.", name)
		}
		content = keepLineEnds(before, content)
	}
	lines := len(split(content))
	text := fmt.Sprintf("%s %s: %d %s, %d bytes.", verbs[action], name, lines, plural(lines, "line"), len(content))
	return change{name: name, content: content, mode: mode, done: outcome{text, diffOf(name, action, before, content)}}, nil
}

// keepLineEnds gives a new content the line ends of the old one: where every line ended in \r\n, and the model writes \n alone, because
// that is what it is shown.
func keepLineEnds(before, content string) string {
	ends := strings.Count(before, "\r\n")
	if ends == 0 || ends != strings.Count(before, "\n") || strings.Contains(content, "\r") {
		return content
	}
	return strings.ReplaceAll(content, "\n", "\r\n")
}

var verbs = map[string]string{"created": "Created", "overwritten": "Overwrote", "edited": "Edited"}

// replaced is the text that a write replaces. What is no text, or too long to compare, is replaced like any other file, and shown as
// nothing; then isText is false.
func (w *workspace) replaced(name string, limit int64) (before string, isText bool, err error) {
	before, _, err = w.readText(name, limit)
	var known *refusal
	if errors.As(err, &known) && (known.code == CodeBinary || known.code == CodeTooLarge) {
		return "", false, nil
	}
	return before, true, err
}
