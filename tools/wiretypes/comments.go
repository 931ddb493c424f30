package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// module is the path that all packages of the repository begin with.
const module = "keylane/"

// sources are the Go files of the repository, read as far as they are asked for.
type sources struct {
	root     fs.FS
	packages map[string]*source
}

// source is what the files of one package say.
type source struct {
	types  map[string]string   // by name
	fields map[string]string   // by type.field
	values map[string][]string // the texts of the constants of a type, as they stand
	notes  map[string]string   // comments above a call whose first argument is a text, by that text
}

// of reads a package, without its tests.
func (s *sources) of(pkg string) (*source, error) {
	if known := s.packages[pkg]; known != nil {
		return known, nil
	}
	if pkg == "" { // a type without a name has no source
		return &source{}, nil
	}
	folder, ours := strings.CutPrefix(pkg, module)
	if !ours {
		return nil, fmt.Errorf("the package %q is not of this repository", pkg)
	}
	files, err := fs.Glob(s.root, path.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	out := &source{map[string]string{}, map[string]string{}, map[string][]string{}, map[string]string{}}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(s.root, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		out.read(set, file)
	}
	if len(out.types) == 0 {
		return nil, fmt.Errorf("no Go source that declares a type lies in %s", folder)
	}
	s.packages[pkg] = out
	return out, nil
}

func (s *source) read(set *token.FileSet, file *ast.File) {
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc := spec.Doc.Text()
				if doc == "" && len(group.Specs) == 1 {
					doc = group.Doc.Text()
				}
				s.types[spec.Name.Name] = doc
				if record, ok := spec.Type.(*ast.StructType); ok {
					s.record(spec.Name.Name, record)
				}
			case *ast.ValueSpec:
				if group.Tok == token.CONST {
					s.constants(spec)
				}
			}
		}
	}
	comments := ast.NewCommentMap(set, file, file.Comments)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(literal.Value)
		if err != nil {
			return true
		}
		for _, comment := range comments[call] {
			if comment.End() < call.Pos() {
				s.notes[name] = comment.Text()
			}
		}
		return true
	})
}

func (s *source) record(name string, record *ast.StructType) {
	for _, field := range record.Fields.List {
		doc := field.Doc.Text()
		if doc == "" {
			doc = field.Comment.Text()
		}
		for _, n := range field.Names {
			s.fields[name+"."+n.Name] = doc
		}
	}
}

// constants keeps what a constant of a named type is, where that is a text.
func (s *source) constants(spec *ast.ValueSpec) {
	named, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range spec.Values {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && text != "" {
				s.values[named.Name] = append(s.values[named.Name], text)
			}
		}
	}
}

// complete makes sure that an enumeration of the schema has what the constants of its type say. A constant that is an expression
// says nothing here; the empty text means "none".
func (s *sources) complete(t reflect.Type, values []string) error {
	in, err := s.of(t.PkgPath())
	if err != nil {
		return err
	}
	for _, constant := range in.values[t.Name()] {
		if !slices.Contains(values, constant) {
			return fmt.Errorf("%s has a constant %q that api.NewSchema does not list", t, constant)
		}
	}
	return nil
}
