package composition

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Error is one thing that is wrong with a tree, with the place where a person
// can mend it. Its text is `file:line:col: row "id": what`.
type Error struct {
	File   string
	Line   int // from 1; 0 when only the file is known
	Column int // from 1; 0 when only the line is known
	Row    string
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(place{e.File, e.Line, e.Column}.String())
	b.WriteString(": ")
	if e.Row != "" {
		fmt.Fprintf(&b, "row %q: ", e.Row)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

type place struct {
	file   string
	line   int
	column int
}

func at(file string, n *yaml.Node) place { return place{file, n.Line, n.Column} }

func (p place) String() string {
	switch {
	case p.line == 0:
		return p.file
	case p.column == 0:
		return fmt.Sprintf("%s:%d", p.file, p.line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column)
	}
}

func (p place) errorf(row, format string, args ...any) *Error {
	return &Error{File: p.file, Line: p.line, Column: p.column, Row: row, Err: fmt.Errorf(format, args...)}
}

var (
	syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	// What the parser (unlike its scanner) says: it counts lines from 0.
	fromParser = regexp.MustCompile(`^did not find expected`)
	// What its reader says of bytes that are no text: it knows no line.
	fromReader = regexp.MustCompile(`UTF-|Unicode|surrogate|control characters|^input error`)
)

// syntaxError turns the YAML parser's own text, which knows a line at most, into an
// Error of this package. The parser leaves the line out where it is the first.
func syntaxError(file string, err error) *Error {
	text := err.Error()
	line := 0
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1]) // no line: stays 0
		text = text[len(m[0]):]
	}
	if fromParser.MatchString(text) || line == 0 && !fromReader.MatchString(text) {
		line++
	}
	return place{file, line, 0}.errorf("", "not YAML: %s", text)
}
