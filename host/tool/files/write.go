package files

import (
	"errors"
	"fmt"

	"keylane/host/tool"
)

type writeArguments struct {
	FilePath string `json:"file_path"`
	Content  string `json:"content"`
}

func writeTool(c Config) tool.Tool {
	return changing(fileTool[writeArguments]{
		name: "write",
		description: "Writes a text file of the working directory: a new one, with the folders it needs, or the whole content of one that is " +
			"there. To change a part of a file use edit.",
		parameters: `{
	"type": "object",
	"additionalProperties": false,
	"required": ["file_path", "content"],
	"properties": {
		"file_path": {"type": "string", "minLength": 1, "description": "The file, relative to the working directory"},
		"content": {"type": "string", "description": "The whole new content"}
	}
}`,
		about: func(args writeArguments) callView { return callView{Card: "diff", Path: args.FilePath} },
	}, func(w *workspace, args writeArguments) (change, error) { return w.planWrite(c, args) })
}

func (w *workspace) planWrite(c Config, args writeArguments) (change, error) {
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
	action, before := "created", ""
	if exists {
		action = "overwritten"
		if before, err = w.replaced(name, c.MaxFileBytes); err != nil {
			return change{}, err
		}
	}
	lines := len(split(args.Content))
	text := fmt.Sprintf("%s %s: %d %s, %d bytes.", verbs[action], name, lines, plural(lines, "line"), len(args.Content))
	return change{name, args.Content, mode, outcome{text, diffOf(name, action, before, args.Content)}}, nil
}

var verbs = map[string]string{"created": "Created", "overwritten": "Overwrote", "edited": "Edited"}

// replaced is the text that a write replaces. One that is no text, or too long to compare, is replaced like any other, and shown as
// nothing.
func (w *workspace) replaced(name string, limit int64) (string, error) {
	before, _, err := w.readText(name, limit)
	var known *refusal
	if errors.As(err, &known) && (known.code == CodeBinary || known.code == CodeTooLarge) {
		return "", nil
	}
	return before, err
}
