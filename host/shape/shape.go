// Package shape tells what JSON a Go type stands for, as data, and holds texts against
// it.
//
// Vocabulary.Of reads a type by reflection: JSON tags name the keys, `omitempty`
// makes one optional, and a tag `wire:"…"` says what the type cannot:
//
//	wire:"min=1"         a text of at least 1 byte, a number of at least 1, a list of at least 1 entry
//	wire:"max=1000"      the same, at most
//	wire:"object"        raw JSON that is an object
//	wire:"for=edit"      the key goes with that value of the record's first field, which is an enumeration (for=a|b for two)
//
// What reflection cannot see, the vocabulary adds: the values of an enumeration, and for a
// type that writes its own JSON another one that stands for what it writes.
//
// Shape.Check is how the host reads what a page sends, how tests read what the host sends,
// and a program under tools/ writes the page's types from the same shapes: the
// three cannot differ. A shape knows no method, no stream and no session.
package shape

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Kind is what a shape is.
type Kind int

// The kinds.
const (
	Any    Kind = iota // any JSON
	Object             // any JSON object
	Text
	Whole // a number without a fraction that an int64 holds
	Number
	Bool
	List   // of Element
	Record // an object with Fields, and no other keys
)

// Shape is what JSON of one type looks like. Shapes are shared: do not change them.
type Shape struct {
	Kind Kind
	// Type is the Go type it was read from; of a stand-in, the type it stands for.
	Type reflect.Type
	// Values are what a text can be; nil means any.
	Values []string
	// Min and Max bound a number, the bytes of a text, or the entries of a list.
	Min, Max *int64
	Element  *Shape
	Fields   []Field
}

// Field is one key of a record.
type Field struct {
	Name     string
	Shape    *Shape
	Optional bool
	// For are the values of the record's first field with which this one goes; nil means all.
	For []string
	// Owner and GoName are where the field is declared, for whoever looks for its comment.
	Owner  reflect.Type
	GoName string
}

// With tells whether the field goes with this value of the record's first field.
func (f Field) With(value string) bool {
	for _, v := range f.For {
		if v == value {
			return true
		}
	}
	return f.For == nil
}

// Divided tells whether a record has fields that go with some values of its first field only.
func (s *Shape) Divided() bool {
	for _, f := range s.Fields {
		if f.For != nil {
			return true
		}
	}
	return false
}

// Vocabulary is what reflection cannot see.
type Vocabulary struct {
	// Values are those of the enumerations, types whose kind is string.
	Values map[reflect.Type][]string
	// StandIns are, for types that write their own JSON, structs that say what they write.
	StandIns map[reflect.Type]reflect.Type
}

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	jsonWriter = reflect.TypeFor[json.Marshaler]()
	textWriter = reflect.TypeFor[encoding.TextMarshaler]()
)

// Of returns the shape of a type, or an error that names what has none.
func (v Vocabulary) Of(t reflect.Type) (*Shape, error) {
	if values, ok := v.Values[t]; ok {
		return &Shape{Kind: Text, Type: t, Values: values}, nil
	}
	if standIn, ok := v.StandIns[t]; ok {
		s, err := v.Of(standIn)
		if err != nil {
			return nil, err
		}
		stands := *s
		stands.Type = t
		return &stands, nil
	}
	switch {
	case t == rawType:
		return &Shape{Kind: Any, Type: t}, nil
	case t.Implements(jsonWriter), t.Implements(textWriter):
		return nil, fmt.Errorf("shape: %s writes its own JSON and has no stand-in", t)
	}
	switch t.Kind() {
	case reflect.Interface:
		return &Shape{Kind: Any, Type: t}, nil
	case reflect.String:
		return &Shape{Kind: Text, Type: t}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &Shape{Kind: Whole, Type: t}, nil
	case reflect.Float32, reflect.Float64:
		return &Shape{Kind: Number, Type: t}, nil
	case reflect.Bool:
		return &Shape{Kind: Bool, Type: t}, nil
	case reflect.Pointer:
		return v.Of(t.Elem())
	case reflect.Slice:
		element, err := v.Of(t.Elem())
		if err != nil {
			return nil, err
		}
		return &Shape{Kind: List, Type: t, Element: element}, nil
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return &Shape{Kind: Object, Type: t}, nil
		}
	case reflect.Struct:
		return v.record(t)
	}
	return nil, fmt.Errorf("shape: %s has no JSON that a page could read", t)
}

func (v Vocabulary) record(t reflect.Type) (*Shape, error) {
	s := &Shape{Kind: Record, Type: t}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		if f.Anonymous && !tagged {
			inner, err := v.Of(f.Type)
			if err != nil {
				return nil, err
			}
			s.Fields = append(s.Fields, inner.Fields...)
			continue
		}
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			return nil, fmt.Errorf("shape: %s.%s has no name in JSON", t, f.Name)
		}
		if name == "-" {
			continue
		}
		inner, err := v.Of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%w (in %s.%s)", err, t, f.Name)
		}
		field := Field{Name: name, Owner: t, GoName: f.Name, Optional: strings.Contains(","+options+",", ",omitempty,")}
		if f.Type.Kind() == reflect.Pointer && !field.Optional {
			return nil, fmt.Errorf("shape: %s.%s would be null when it is nil: say omitempty", t, f.Name)
		}
		if field.Shape, field.For, err = narrowed(*inner, f.Tag.Get("wire")); err != nil {
			return nil, fmt.Errorf("shape: %s.%s: %w", t, f.Name, err)
		}
		s.Fields = append(s.Fields, field)
	}
	if s.Divided() && (s.Fields[0].Shape.Values == nil || s.Fields[0].Optional || s.Fields[0].For != nil) {
		return nil, fmt.Errorf("shape: %s has keys that go with some values of its first field, which is no enumeration", t)
	}
	return s, nil
}

// narrowed applies a wire tag.
func narrowed(s Shape, tag string) (*Shape, []string, error) {
	var with []string
	for option := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "":
		case "object":
			if s.Kind != Any {
				return nil, nil, fmt.Errorf("wire:%q: only raw JSON can be said to be an object", tag)
			}
			s.Kind = Object
		case "for":
			with = strings.Split(value, "|")
		case "min", "max":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("wire:%q: %w", tag, err)
			}
			if key == "min" {
				s.Min = &n
			} else {
				s.Max = &n
			}
		default:
			return nil, nil, fmt.Errorf("wire:%q: unknown option %q", tag, key)
		}
	}
	return &s, with, nil
}
