package lint

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// citations remembers, by name, which tests the documents speak of and which there are: the line that names a test first, or "" for one
// that is declared.
type citations map[string]string

// cited is a test's name in a document: alone, as code.
var cited = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)`")

// read takes one document into account.
func (c citations) read(name string, text []byte) {
	for number, line := range strings.Split(string(text), "\n") {
		for _, match := range cited.FindAllStringSubmatch(line, -1) {
			if _, known := c[match[1]]; !known {
				c[match[1]] = fmt.Sprintf("%s:%d", name, number+1)
			}
		}
	}
}

// note takes the tests of one Go file into account.
func (c citations) note(name string, file *ast.File) {
	if !strings.HasSuffix(name, "_test.go") {
		return
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil {
			c[function.Name.Name] = ""
		}
	}
}

// problems are the tests that only a document knows.
func (c citations) problems() []Problem {
	var problems []Problem
	for name, place := range c {
		if place != "" {
			problems = append(problems, Problem{place, "document", fmt.Sprintf("there is no test %s: say which one holds it today", name)})
		}
	}
	return problems
}
