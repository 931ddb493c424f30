package files

import (
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"syscall"
	"unicode/utf8"
)

// The files that name what is ignored, as gitignore(5) describes them; the first lies in every folder, the second in the workspace.
const (
	ignoreFile  = ".gitignore"
	excludeFile = ".git/info/exclude"
	// maxIgnoreBytes is how much of such a file is heeded.
	maxIgnoreBytes = 1 << 20
)

// rule is one line of such a file.
type rule struct {
	expression *regexp.Regexp // over the path relative to the file's folder, or over the name alone
	nameOnly   bool
	folders    bool // it is about folders only
	again      bool // it takes something in again
}

// parseRules reads the lines of a file. A line that is not a pattern (an open bracket, say) matches nothing, as with git.
func parseRules(text string) []rule {
	var rules []rule
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r, ok := parseRule(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimSpaces(line)
	if line, r.again = strings.CutPrefix(line, "!"); line == "" {
		return r, false
	}
	line, r.folders = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	r.nameOnly = !anchored
	text, ok := translateRule(strings.TrimPrefix(line, "/"))
	if !ok || line == "" {
		return r, false
	}
	expression, err := regexp.Compile(`^(?s:` + text + `)$`)
	r.expression = expression
	return r, err == nil
}

// trimSpaces drops the spaces at the end of a line but one that a backslash keeps.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// translateRule makes a regular expression of a pattern; false when it is none.
func translateRule(pattern string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		switch rest := pattern[i:]; rest[0] {
		case '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			after := rest[stars:]
			spans := stars > 1 && (i == 0 || pattern[i-1] == '/')
			switch {
			case spans && strings.HasPrefix(after, "/"):
				b.WriteString(`(?:.*/)?`)
				stars++
			case spans && after == "":
				b.WriteString(`.*`)
			default:
				b.WriteString(`[^/]*`)
			}
			i += stars
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			set, length, ok := translateSet(rest)
			if !ok {
				return "", false
			}
			b.WriteString(set)
			i += length
		case '\\':
			if len(rest) < 2 {
				return "", false
			}
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	return b.String(), true
}

var classes = regexp.MustCompile(`^\[:(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]`)

// translateSet translates a set in brackets and tells how long it is; false when it does not end. A set never contains a slash.
func translateSet(text string) (set string, length int, ok bool) {
	i := 1
	negated := i < len(text) && (text[i] == '!' || text[i] == '^')
	if negated {
		i++
	}
	var b strings.Builder
	for first := true; ; first = false {
		switch {
		case i >= len(text):
			return "", 0, false
		case text[i] == ']' && !first:
			if negated {
				return "[^/" + b.String() + "]", i + 1, true
			}
			if b.Len() == 0 {
				return `[^\x00-\x{10FFFF}]`, i + 1, true // only ranges that are upside down: nothing
			}
			return "[" + b.String() + "]", i + 1, true
		}
		if class := classes.FindString(text[i:]); class != "" {
			b.WriteString(class)
			i += len(class)
			continue
		}
		low, next, ok := setCharacter(text, i)
		if !ok {
			return "", 0, false
		}
		high := low
		if next+1 < len(text) && text[next] == '-' && text[next+1] != ']' {
			if high, next, ok = setCharacter(text, next+1); !ok {
				return "", 0, false
			}
		}
		i = next
		for _, part := range withoutSlash(low, high) {
			b.WriteString(quoteSet(part[0]) + "-" + quoteSet(part[1]))
		}
	}
}

func withoutSlash(low, high rune) [][2]rune {
	switch {
	case low > high:
		return nil
	case low > '/' || high < '/':
		return [][2]rune{{low, high}}
	}
	return append(withoutSlash(low, '/'-1), withoutSlash('/'+1, high)...)
}

func quoteSet(r rune) string { return fmt.Sprintf(`\x{%x}`, r) }

func setCharacter(text string, i int) (r rune, next int, ok bool) {
	if text[i] == '\\' {
		i++
	}
	if i >= len(text) {
		return 0, 0, false
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return r, i + size, true
}

// ignores is what the ignore files of a folder and of those above it say. It grows on the way down; a nil one ignores nothing.
type ignores struct {
	above  *ignores
	folder string // where the rules count, relative to the workspace; "." for the workspace
	rules  []rule
}

// below adds what the file in a folder says.
func (i *ignores) below(w *workspace, folder string) *ignores {
	if rules := w.rules(path.Join(folder, ignoreFile)); len(rules) > 0 {
		return &ignores{i, folder, rules}
	}
	return i
}

// match tells whether a file or folder is ignored: the last rule that fits counts, of the nearest file that has one.
func (i *ignores) match(name string, folder bool) bool {
	for at := i; at != nil; at = at.above {
		relative := name
		if at.folder != "." {
			relative = name[len(at.folder)+1:]
		}
		for n := len(at.rules) - 1; n >= 0; n-- {
			if r := at.rules[n]; r.fits(relative, folder) {
				return !r.again
			}
		}
	}
	return false
}

func (r rule) fits(name string, folder bool) bool {
	if r.folders && !folder {
		return false
	}
	if r.nameOnly {
		name = path.Base(name)
	}
	return r.expression.MatchString(name)
}

// rules reads an ignore file. One that is not there, is a link, or cannot be read says nothing.
func (w *workspace) rules(name string) []rule {
	info, err := w.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreBytes))
	if err != nil {
		return nil
	}
	return parseRules(string(text))
}

// ignoresAt is what counts in the folder where a search starts, without the folder's own file. Who names an ignored folder wants to see
// what is in it: then the rules above do not count.
func (w *workspace) ignoresAt(start string) *ignores {
	var i *ignores
	if rules := w.rules(excludeFile); len(rules) > 0 {
		i = &ignores{nil, ".", rules}
	}
	if start == "." {
		return i
	}
	folder := "."
	for _, name := range strings.Split(start, "/") {
		i = i.below(w, folder)
		if folder = path.Join(folder, name); i.match(folder, true) {
			return nil
		}
	}
	return i
}
