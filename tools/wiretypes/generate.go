package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"keylane/host/api"
	"keylane/host/shape"
)

const head = `// Made by //tools:types from the Go types of host/api. Do not edit: change them, and run
//
//	./bazelw run //tools:types

/** Any JSON, as the host relays it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
`

// writer collects declarations, each once.
type writer struct {
	schema  api.Schema
	sources *sources
	owners  map[string]reflect.Type // of the names that are taken
	text    map[string]string       // declarations by name
	err     error
}

// generate writes the types of a schema; root is the repository.
func generate(root fs.FS, schema api.Schema) ([]byte, error) {
	w := &writer{schema, &sources{root, map[string]*source{}}, map[string]reflect.Type{}, map[string]string{}, nil}
	var methods, frames strings.Builder
	api, err := w.sources.of(module + "host/api")
	if err != nil {
		return nil, err
	}
	methods.WriteString("\n/** Method → [payload, value]. */\nexport interface Methods {\n")
	for _, m := range schema.Methods {
		methods.WriteString(comment("  ", api.notes[m.Name]))
		fmt.Fprintf(&methods, "  %q: [%s, %s];\n", m.Name, w.typeOf(m.Payload), w.typeOf(m.Value))
	}
	methods.WriteString("}\n")
	streams := []string{}
	for _, f := range schema.Frames {
		w.typeOf(f.Payload)
		if f.Stream != "" && !slices.Contains(streams, f.Stream) {
			streams = append(streams, f.Stream)
		}
	}
	for _, stream := range streams {
		fmt.Fprintf(&frames, "\n/** Frames of GET /api/events.%s. */\nexport type %sFrame =", stream, upper(stream))
		for _, f := range schema.Frames {
			if f.Stream == stream {
				fmt.Fprintf(&frames, "\n  | { readonly method: %q; readonly payload: %s }", f.Name, w.typeOf(f.Payload))
			}
		}
		frames.WriteString(";\n")
	}
	fmt.Fprintf(&frames, "\nexport type StreamName = %s;\n", union(streams))
	for _, t := range schema.Elsewhere {
		w.typeOf(t)
	}
	for t, values := range schema.Vocabulary.Values {
		w.fail(w.sources.complete(t, values))
	}
	if w.err != nil {
		return nil, w.err
	}
	var out strings.Builder
	out.WriteString(head)
	for _, name := range slices.Sorted(maps.Keys(w.text)) {
		out.WriteString("\n" + w.text[name])
	}
	out.WriteString(methods.String())
	out.WriteString(frames.String())
	return []byte(out.String()), nil
}

func (w *writer) typeOf(t reflect.Type) string {
	s, err := w.schema.Vocabulary.Of(t)
	if err != nil {
		w.fail(err)
		return "never"
	}
	return w.shape(s)
}

func (w *writer) fail(err error) { w.err = cmp.Or(w.err, err) }

// shape is how TypeScript names a shape; what has a name of its own is declared on the way.
func (w *writer) shape(s *shape.Shape) string {
	switch s.Kind {
	case shape.Any:
		return "Json"
	case shape.Object:
		return "JsonObject"
	case shape.Whole, shape.Number:
		return "number"
	case shape.Bool:
		return "boolean"
	case shape.List:
		element := w.shape(s.Element)
		if strings.Contains(element, " | ") {
			element = "(" + element + ")"
		}
		return "readonly " + element + "[]"
	case shape.Text:
		if s.Values == nil {
			return "string"
		}
		if len(s.Values) == 1 {
			return union(s.Values)
		}
		name, isNew := w.name(s.Type)
		if isNew {
			w.text[name] = w.comment(s.Type, name) + fmt.Sprintf("export type %s = %s;\n", name, union(s.Values))
		}
		return name
	}
	if len(s.Fields) == 0 {
		return "Record<string, never>"
	}
	name, isNew := w.name(s.Type)
	if isNew {
		w.text[name] = w.comment(s.Type, name) + w.record(name, s)
	}
	return name
}

func (w *writer) record(name string, s *shape.Shape) string {
	if !s.Divided() {
		return fmt.Sprintf("export interface %s {\n%s}\n", name, w.fields(s.Fields))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "export type %s =", name)
	for _, value := range s.Fields[0].Shape.Values {
		fmt.Fprintf(&out, "\n  | { readonly %s: %q", s.Fields[0].Name, value)
		for _, f := range s.Fields[1:] {
			if f.With(value) {
				fmt.Fprintf(&out, "; %s", w.field(f))
			}
		}
		out.WriteString(" }")
	}
	return out.String() + ";\n"
}

func (w *writer) fields(fields []shape.Field) string {
	var out strings.Builder
	for _, f := range fields {
		in, err := w.sources.of(f.Owner.PkgPath())
		if err != nil {
			w.fail(err)
			return ""
		}
		doc := in.fields[f.Owner.Name()+"."+f.GoName]
		out.WriteString(comment("  ", renamed(doc, f.GoName, f.Name, true)))
		fmt.Fprintf(&out, "  %s;\n", w.field(f))
	}
	return out.String()
}

func (w *writer) field(f shape.Field) string {
	optional := ""
	if f.Optional {
		optional = "?"
	}
	return fmt.Sprintf("readonly %s%s: %s", key(f.Name), optional, w.shape(f.Shape))
}

// key is a key as TypeScript writes it.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// name is what the page calls a type, and whether it is called for the first time.
func (w *writer) name(t reflect.Type) (name string, isNew bool) {
	if name = w.schema.Names[t]; name == "" {
		name = upper(t.Name())
	}
	if name == "" {
		w.fail(fmt.Errorf("%s has no name: declare a type for it", t))
		return "never", false
	}
	owner, taken := w.owners[name]
	if taken && owner != t {
		w.fail(fmt.Errorf("%s and %s are both called %s: give one another name in api.NewSchema", owner, t, name))
	}
	w.owners[name] = t
	return name, !taken
}

// comment is the comment of a type's declaration.
func (w *writer) comment(t reflect.Type, name string) string {
	if standIn, ok := w.schema.Vocabulary.StandIns[t]; ok {
		t = standIn
	}
	in, err := w.sources.of(t.PkgPath())
	if err != nil {
		w.fail(err)
		return ""
	}
	return comment("", renamed(in.types[t.Name()], t.Name(), name, false))
}

// renamed takes a Go comment's first word, which is the name of what it describes, as the page calls it. Where that is a key, which
// stands right below, "key is" goes without saying.
func renamed(doc, from, to string, isKey bool) string {
	rest, begins := strings.CutPrefix(doc, from+" ")
	if !begins {
		return doc
	}
	for _, verb := range []string{"is ", "are "} {
		if described, ok := strings.CutPrefix(rest, verb); ok && isKey {
			return upper(described)
		}
	}
	return to + " " + rest
}

// comment writes a Go comment as one of TypeScript's.
func comment(indent, doc string) string {
	doc = strings.TrimSpace(strings.ReplaceAll(doc, "*/", "* /"))
	if doc == "" {
		return ""
	}
	lines := strings.Split(doc, "\n")
	for i, line := range lines {
		if i == 0 || line == "" {
			continue
		}
		lines[i] = " " + line
	}
	if len(lines) == 1 {
		return indent + "/** " + lines[0] + " */\n"
	}
	return indent + "/**\n" + indent + " * " + strings.Join(lines, "\n"+indent+" *") + "\n" + indent + " */\n"
}

func union(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return strings.Join(quoted, " | ")
}

func upper(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + name[size:]
}
