// Package lint holds the house to its picture: docs/architecture.md says which room may lean on which, and this package reads
// every Go file and says where the code disagrees.
//
// Check walks a tree of sources and returns the problems it found, sorted by place. It looks at six things:
//
//   - arrows: a package may import only what the floors below it hold (floors.go is the picture as data);
//   - names: no room is called util, helpers, common or misc;
//   - sleeps: time.Sleep stands only in scaffold/await and host/llm/retry;
//   - mutants: every scenario under e2e/ tries at least one (mutants.go);
//   - docs: a test that a document names in `code` exists (documents.go), and so do its files, folders, labels and links (places.go);
//     a whole Go file in a document parses and uses what there is (examples.go);
//   - escapes: no BUILD file marks a test flaky, and no file of code or CI names a package registry's host or a folder of somebody's machine.
//
// It reads imports as text and compiles nothing, so it also sees files that a build tag leaves out. What it cannot see is an
// arrow drawn through reflection or a string; don't draw one.
package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Module is the import path of the module that Check judges; imports from elsewhere are none of its business.
const Module = "keylane"

// A Problem is one disagreement between the code and the picture.
type Problem struct {
	Place string // file, or file:line, relative to the root of the tree
	Rule  string // "arrow", "name", "sleep", "mutant", "document", "escape" or "source"
	Text  string // what is wrong and what to do about it
}

// String prints the problem on one line, the way a compiler would.
func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Place, p.Rule, p.Text) }

// Check reads every source below root and returns the problems sorted by place. An unreadable tree is an error; a file that
// does not parse is a problem of rule "source".
func Check(root fs.FS) ([]Problem, error) {
	var problems []Problem
	seen := scenarios{}
	cited := citations{}
	var named mentions
	offers := offered{}
	var examples []example
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipFolder(name) {
				return fs.SkipDir
			}
			return nil
		}
		base := path.Base(name)
		switch {
		case strings.HasSuffix(base, ".go"):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			problems = append(problems, checkGo(name, text, seen, cited, offers)...)
			problems = append(problems, checkEscapes(name, text)...)
		case strings.HasSuffix(base, ".md"):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			cited.read(name, text)
			named.read(name, text)
			examples = append(examples, examplesOf(name, text)...)
		case base == "BUILD.bazel" || strings.HasSuffix(base, ".bzl") || base == ".bazelrc" || base == "bazelw" || strings.HasSuffix(base, ".sh") || inAny(path.Dir(name), []string{".ci", ".github"}):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			problems = append(problems, checkEscapes(name, text)...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lint: reading the sources: %w", err)
	}
	problems = append(problems, seen.problems()...)
	problems = append(problems, cited.problems()...)
	problems = append(problems, named.problems(root)...)
	for _, example := range examples {
		problems = append(problems, example.problems(offers)...)
	}
	sort.Slice(problems, func(i, j int) bool { return problems[i].String() < problems[j].String() })
	return problems, nil
}

func skipFolder(name string) bool {
	base := path.Base(name)
	return name != "." && (strings.HasPrefix(base, "bazel-") || base == ".git" || base == "node_modules" || base == "external")
}

var vagueNames = map[string]bool{"util": true, "utils": true, "helper": true, "helpers": true, "common": true, "misc": true, "shared": true}

// maySleep are the rooms whose job is waiting.
var maySleep = []string{"scaffold/await", "host/llm/retry"}

func checkGo(name string, text []byte, seen scenarios, cited citations, offers offered) []Problem {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return []Problem{{Place: name, Rule: "source", Text: "does not parse: " + err.Error()}}
	}
	seen.note(name, file)
	cited.note(name, file)
	offers.note(name, file)
	place := func(pos token.Pos) string { return fmt.Sprintf("%s:%d", name, set.Position(pos).Line) }
	folder := path.Dir(name)
	isTest := strings.HasSuffix(name, "_test.go")
	var problems []Problem
	if base := path.Base(folder); vagueNames[base] || vagueNames[file.Name.Name] {
		problems = append(problems, Problem{name, "name", fmt.Sprintf("a package called %q says nothing: name it after its one job", base)})
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || (imported != Module && !strings.HasPrefix(imported, Module+"/")) {
			continue
		}
		to := strings.TrimPrefix(strings.TrimPrefix(imported, Module), "/")
		if reason := arrow(folder, to, isTest); reason != "" {
			problems = append(problems, Problem{place(spec.Pos()), "arrow", reason})
		}
	}
	if !inAny(folder, maySleep) {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.SelectorExpr); ok {
				if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "time" && call.Sel.Name == "Sleep" {
					problems = append(problems, Problem{place(call.Pos()), "sleep", "time.Sleep is a guess: wait for an event (scaffold/await), or use host/clock"})
				}
			}
			return true
		})
	}
	return problems
}

// The host names are split so that this file does not name them itself.
var escapes = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`\bflaky\s*=\s*(True|1)`), "a flaky test is a bug in its barrier: mend the barrier"},
	{regexp.MustCompile(`proxy\.golang\.` + `org|sum\.golang\.` + `org|registry\.npmjs\.` + `org|deb\.debian\.` + `org|bcr\.bazel\.` + `build`), "names a package registry's host: ask the client (go env, npm config, apt-get indextargets)"},
	{regexp.MustCompile(`["'= ](/work/|/root/)`), "names a folder of somebody's machine"},
}

func checkEscapes(name string, text []byte) []Problem {
	var problems []Problem
	for number, line := range strings.Split(string(text), "\n") {
		for _, escape := range escapes {
			if escape.pattern.MatchString(line) {
				problems = append(problems, Problem{fmt.Sprintf("%s:%d", name, number+1), "escape", escape.text})
			}
		}
	}
	return problems
}

func inAny(folder string, rooms []string) bool {
	for _, room := range rooms {
		if inside(folder, room) {
			return true
		}
	}
	return false
}

// inside says whether folder is the room itself or lies in it.
func inside(folder, room string) bool { return folder == room || strings.HasPrefix(folder, room+"/") }
