package files

import (
	"fmt"
	"strings"

	"keylane/host/tool"
)

type editArguments struct {
	FilePath   string `json:"file_path" schema:"required,min=1" about:"The file, relative to the working directory"`
	OldString  string `json:"old_string" schema:"required,min=1" about:"The text to replace, with enough around it to be unique"`
	NewString  string `json:"new_string" schema:"required" about:"The text to put in its place"`
	ReplaceAll bool   `json:"replace_all" about:"Replace it wherever it occurs; default false"`
}

func editTool(c Config, known *seen) tool.Tool {
	return changing(fileTool[editArguments]{
		name: "edit",
		description: "Replaces text in a file of the working directory. The old text must be in the file exactly as given, without the line " +
			"numbers of read, and only once unless replace_all is set.",
		about: func(args editArguments) callView { return callView{Card: "diff", Path: args.FilePath} },
	}, known, func(w *workspace, args editArguments) (change, error) { return w.planEdit(c, known, args) })
}

func (w *workspace) planEdit(c Config, known *seen, args editArguments) (change, error) {
	name, err := w.relative(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if args.OldString == args.NewString {
		return change{}, refuse(CodeNoMatch, "old_string and new_string are the same: there is nothing to change.")
	}
	exists, mode, err := w.target(name)
	switch {
	case err != nil:
		return change{}, err
	case !exists:
		return change{}, refuse(CodeNotFound, "%s does not exist. Use write to make it.", name)
	}
	before, _, err := w.readText(name, c.MaxFileBytes)
	if err != nil {
		return change{}, err
	}
	found, put := lineEnds(before, args.OldString, args.NewString)
	count := strings.Count(before, found)
	switch {
	case count == 0:
		return change{}, refuse(CodeNoMatch, "old_string is not in %s. Read the file and copy the text exactly.", name)
	case count > 1 && !args.ReplaceAll:
		return change{}, refuse(CodeAmbiguous, "old_string is in %s %d times, in lines %s. Give more of the text around it, or set replace_all.",
			name, count, places(before, found))
	}
	after := strings.ReplaceAll(before, found, put)
	if int64(len(after)) > c.MaxFileBytes {
		return change{}, refuse(CodeTooLarge, "the file would have %d bytes; the limit is %d.", len(after), c.MaxFileBytes)
	}
	text := fmt.Sprintf("Edited %s: %d %s, in %s %s.", name, count, plural(count, "replacement"), plural(count, "line"), places(before, found))
	return change{
		name: name, content: after, mode: mode, done: outcome{text, diffOf(name, "edited", before, after)},
		blind: known.changed(w.sessionID, w.full(name), digest(before)),
	}, nil
}

// lineEnds gives the texts the line ends of the file: a model sees and writes \n where the file has \r\n. A text of several lines that
// is in the file as given stays as given.
func lineEnds(content, found, put string) (string, string) {
	asGiven := strings.Contains(found, "\n") && strings.Contains(content, found)
	if asGiven || !strings.Contains(content, "\r\n") {
		return found, put
	}
	windows := func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	return windows(found), windows(put)
}

// places are the numbers of the lines where a text begins, ten of them at most.
func places(content, found string) string {
	var words []string
	line := 1
	for rest := content; ; {
		before, after, ok := strings.Cut(rest, found)
		if !ok {
			return strings.Join(words, ", ")
		}
		if len(words) == 10 {
			return strings.Join(words, ", ") + " and more"
		}
		line += strings.Count(before, "\n")
		words = append(words, fmt.Sprint(line))
		line += strings.Count(found, "\n")
		rest = after
	}
}
