package composition

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// FieldError says which config key a Validate method objects to, or a plugin that
// cannot start with it, so that the boot error can point at it. Path is the key's way down, "models.0.id".
type FieldError struct {
	Path string
	Err  error
}

func (e *FieldError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// Validator is what a config may implement to check more than types. Validate
// returns nil or an error, best a *FieldError; it must not change anything.
type Validator interface{ Validate() error }

// decodeConfig fills target, a settable value that already holds the defaults,
// from n. A key the type does not have, a key twice, and a value of another
// type are errors with their place.
func decodeConfig(file, row string, n *yaml.Node, target reflect.Value) []error {
	d := decoder{file: file, row: row}
	d.value(n, target, "config")
	return d.problems
}

type decoder struct {
	file, row string
	problems  []error
}

func (d *decoder) failf(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, at(d.file, n).errorf(d.row, format, args...))
}

func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	if isNull(n) {
		d.failf(n, "%s: nothing is no value; leave the key out to get its default", path)
		return
	}
	if v.CanAddr() {
		if _, ok := v.Addr().Interface().(yaml.Unmarshaler); ok {
			if err := n.Decode(v.Addr().Interface()); err != nil {
				d.failf(n, "%s: %w", path, err)
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		d.value(n, fresh.Elem(), path)
		v.Set(fresh)
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Slice:
		d.slice(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.failf(n, "%s: want keys and values, found %s", path, kindWord(n))
		return
	}
	fields, known := configFields(v.Type())
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		index, ok := fields[key.Value]
		switch {
		case !ok && len(known) == 0:
			d.failf(key, "%s: unknown key %q; there are none", path, key.Value)
		case !ok:
			d.failf(key, "%s: unknown key %q; known: %s", path, key.Value, list(known))
		case seen[key.Value]:
			d.failf(key, "%s: the key %q stands here a second time", path, key.Value)
		default:
			seen[key.Value] = true
			d.value(value, v.Field(index), path+"."+key.Value)
		}
	}
}

// configFields maps the yaml names of a config type to its field numbers. A field
// without a yaml tag cannot be set.
func configFields(t reflect.Type) (map[string]int, []string) {
	fields := map[string]int{}
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" || name == "-" || !t.Field(i).IsExported() {
			continue
		}
		fields[name] = i
		names = append(names, name)
	}
	return fields, names
}

func (d *decoder) slice(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.failf(n, "%s: want a list, found %s", path, kindWord(n))
		return
	}
	fresh := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.value(item, fresh.Index(i), fmt.Sprintf("%s.%d", path, i))
	}
	v.Set(fresh)
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.failf(n, "%s: want keys and values, found %s", path, kindWord(n))
		return
	}
	fresh := reflect.MakeMap(v.Type())
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		k := reflect.ValueOf(key.Value).Convert(v.Type().Key())
		if fresh.MapIndex(k).IsValid() {
			d.failf(key, "%s: the key %q stands here a second time", path, key.Value)
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(value, item, path+"."+key.Value)
		fresh.SetMapIndex(k, item)
	}
	v.Set(fresh)
}

// scalar takes a leaf. The YAML library would turn the number 1 into the text
// "1"; here a leaf has to be of the kind its field has.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	want, tags := "", []string(nil)
	switch v.Kind() {
	case reflect.String:
		want, tags = "a text", []string{"!!str"}
	case reflect.Bool:
		want, tags = "true or false", []string{"!!bool"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		want, tags = "a whole number", []string{"!!int"}
	case reflect.Float32, reflect.Float64:
		want, tags = "a number", []string{"!!int", "!!float"}
	default:
		d.failf(n, "%s: the plugin's config has a field of type %s, which cannot be written in YAML", path, v.Type())
		return
	}
	if n.Kind != yaml.ScalarNode || !contains(tags, n.ShortTag()) {
		d.failf(n, "%s: want %s, found %s", path, want, kindWord(n))
		return
	}
	if err := n.Decode(v.Addr().Interface()); err != nil {
		d.failf(n, "%s: want %s that fits %s, found %s", path, want, v.Type(), kindWord(n))
	}
}

// validate asks the config itself, and points at the key it objects to.
func validate(r *row, config any) error {
	v, ok := config.(Validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	if err == nil {
		return nil
	}
	where := r.at
	if r.config != nil {
		where = at(r.configFile, r.config)
	}
	if place, ok := r.blamed(err); ok {
		where = place
	}
	return where.errorf(r.id, "config: %w", err)
}

// blamed is where the config key stands that err objects to, when it is a FieldError and the key's
// row has a config.
func (r *row) blamed(err error) (place, bool) {
	var field *FieldError
	if r.config == nil || !errors.As(err, &field) {
		return place{}, false
	}
	return at(r.configFile, locate(r.config, strings.Split(field.Path, "."))), true
}

// blame is where to mend what err says: the key it objects to, else the row.
func (r *row) blame(err error) place {
	if where, ok := r.blamed(err); ok {
		return where
	}
	return r.at
}

// locate walks down as far as the file goes; a defaulted key has no node of its own.
func locate(n *yaml.Node, path []string) *yaml.Node {
	for _, step := range path {
		next := (*yaml.Node)(nil)
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == step {
					next = n.Content[i+1]
				}
			}
		case yaml.SequenceNode:
			for i, item := range n.Content {
				if fmt.Sprint(i) == step {
					next = item
				}
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
