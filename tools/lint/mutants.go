package lint

import (
	"go/ast"
	"path"
	"strings"
)

// withoutMutants are the folders of e2e/ that hold no scenario of the gate: what measures, what asks a live provider, and what
// makes pictures for people.
var withoutMutants = []string{"e2e/perf", "e2e/live", "e2e/contact_sheet"}

// trials are the functions of the scaffold in which a broken thing is tried. A scenario's package without a call of one of them has
// guards that nobody has seen failing.
var trials = map[string]bool{"Trial": true, "TrialWithin": true}

// scenarios remembers, folder by folder, whether a scenario of e2e/ tries a mutant.
type scenarios map[string]bool

// note takes one file into account; all of a folder's files count together.
func (s scenarios) note(name string, file *ast.File) {
	folder := path.Dir(name)
	if path.Dir(folder) != "e2e" || !strings.HasSuffix(name, "_test.go") || inAny(folder, withoutMutants) {
		return
	}
	s[folder] = s[folder] || triesAMutant(file)
}

func triesAMutant(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if function, ok := call.Fun.(*ast.SelectorExpr); ok && trials[function.Sel.Name] {
			room, ok := function.X.(*ast.Ident)
			found = found || ok && room.Name == "scaffold"
		}
		return true
	})
	return found
}

// problems are the scenarios without a mutant.
func (s scenarios) problems() []Problem {
	var problems []Problem
	for folder, tried := range s {
		if !tried {
			problems = append(problems, Problem{folder, "mutant", "no test here breaks what the scenario guards and sees red: add one with scaffold.Trial"})
		}
	}
	return problems
}
