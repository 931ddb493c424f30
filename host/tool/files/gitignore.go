package files

import (
	"path"
	"strings"
)

// ignoreFile names what a folder's version control leaves out, in git's format (gitignore(5)).
const ignoreFile = ".gitignore"

// ignoreFileBytes bounds how much of such a file is believed in.
const ignoreFileBytes = 1 << 20

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	folder   string // where the file lies
	pattern  *glob
	back     bool // takes what matches in again
	dirsOnly bool
}

// ignoreRules are the lines of all ignore files from the top down; the last one that matches decides.
type ignoreRules []ignoreRule

// with returns the rules together with those of a folder's own ignore file. A file or a line that cannot be used leaves nothing out:
// a search that shows too much does no harm.
func (r ignoreRules) with(w *workspace, folder string) ignoreRules {
	text, _, err := w.readText(path.Join(folder, ignoreFile), ignoreFileBytes)
	if err != nil {
		return r
	}
	rules := append(ignoreRules(nil), r...)
	for line := range strings.Lines(text) {
		if rule, ok := parseIgnore(strings.TrimRight(line, " \t\r\n"), folder); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

func parseIgnore(line, folder string) (ignoreRule, bool) {
	rule := ignoreRule{folder: folder}
	if line == "" || strings.HasPrefix(line, "#") {
		return rule, false
	}
	line, rule.back = strings.CutPrefix(line, "!")
	line, rule.dirsOnly = strings.CutSuffix(line, "/")
	if strings.HasPrefix(line, "/") {
		line = "./" + strings.TrimPrefix(line, "/") // a slash in front binds it to the folder
	} else if strings.Contains(line, "/") {
		line = "./" + line
	}
	anchored := strings.HasPrefix(line, "./")
	// Braces are ordinary characters here.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "./"))
	if line == "" {
		return rule, false
	}
	if !anchored {
		line = "**/" + line
	}
	text, err := translate(line)
	if err != nil {
		return rule, false
	}
	compiled, err := compileExpression(text)
	if err != nil {
		return rule, false
	}
	rule.pattern = compiled
	return rule, true
}

// leaveOut tells whether a path of the workspace is left out. What lies in a folder that is left out is not asked for.
func (r ignoreRules) leaveOut(name string, isDir bool) bool {
	for i := len(r) - 1; i >= 0; i-- {
		rule := r[i]
		below := name
		if rule.folder != "." {
			below = strings.TrimPrefix(name, rule.folder+"/")
		}
		if (isDir || !rule.dirsOnly) && rule.pattern.match(below) {
			return !rule.back
		}
	}
	return false
}
