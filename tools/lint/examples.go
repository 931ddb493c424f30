package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// offered remembers, folder by folder, the names that other packages may use.
type offered map[string]map[string]bool

// note takes the exported names of one Go file into account.
func (o offered) note(name string, file *ast.File) {
	folder := path.Dir(name)
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	if o[folder] == nil {
		o[folder] = map[string]bool{}
	}
	for _, declaration := range file.Decls {
		switch declared := declaration.(type) {
		case *ast.FuncDecl:
			if declared.Recv == nil {
				o[folder][declared.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					o[folder][spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						o[folder][name.Name] = true
					}
				}
			}
		}
	}
}

// An example is a whole Go file in a document: a block marked go that has a package clause.
type example struct {
	place string // of its first line
	text  string
}

// examplesOf takes a document's examples out of it.
func examplesOf(name string, text []byte) []example {
	var found []example
	var block []string
	start, inGo := 0, false
	for number, line := range strings.Split(string(text), "\n") {
		switch {
		case inGo && fence.MatchString(line):
			inGo = false
			if code := strings.Join(block, "\n"); strings.Contains("\n"+code, "\npackage ") {
				found = append(found, example{fmt.Sprintf("%s:%d", name, start), code})
			}
		case inGo:
			block = append(block, line)
		case strings.TrimSpace(line) == "```go":
			inGo, start, block = true, number+2, nil
		}
	}
	return found
}

// problems says whether an example can be read, and uses of this module's packages only what they offer.
func (e example) problems(offers offered) []Problem {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "example", e.text, 0)
	if err != nil {
		return []Problem{{e.place, "document", "the example does not parse: " + err.Error()}}
	}
	folders := map[string]string{} // package name → folder
	var problems []Problem
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		folder, ours := strings.CutPrefix(imported, Module+"/")
		if err != nil || !ours {
			continue
		}
		if offers[folder] == nil {
			problems = append(problems, Problem{e.place, "document", "the example imports " + imported + ", which is not there"})
		}
		folders[path.Base(folder)] = folder
	}
	ast.Inspect(file, func(node ast.Node) bool {
		use, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := use.X.(*ast.Ident)
		if !ok || name.Obj != nil { // a variable of the example
			return true
		}
		if folder, ours := folders[name.Name]; ours && offers[folder] != nil && !offers[folder][use.Sel.Name] {
			problems = append(problems, Problem{e.place, "document", fmt.Sprintf("the example uses %s.%s, which is not there", name.Name, use.Sel.Name)})
		}
		return true
	})
	return problems
}
