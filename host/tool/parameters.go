package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Parameters is the JSON Schema of a tool's arguments, made from the Go type that the tool decodes them into, so that what the model is
// told and what the tool reads cannot drift apart. A is a struct; every field has a JSON name and may have two more tags:
//
//	Command string `json:"command" schema:"required,min=1" about:"The command line, given to bash -c"`
//
// Schema holds, separated by commas: required; min=N and max=N, which bound a number, the characters of a text or the entries of a list;
// and of=a|b|c for a text that is one of these. About is the description. Fields are texts, whole numbers, booleans, structs, and
// lists of these; an object takes no keys but its fields. [Registry.Register] refuses the schema of a type that has none, and says why.
func Parameters[A any]() json.RawMessage {
	var out bytes.Buffer
	if err := describe(&out, reflect.TypeFor[A](), rules{}, ""); err != nil {
		return json.RawMessage(`{"$comment":` + quoted(err.Error()) + `}`)
	}
	return out.Bytes()
}

// rules is a field's schema tag.
type rules struct {
	required bool
	min, max string
	of       []string
}

func parseRules(tag string) (r rules, err error) {
	for _, rule := range strings.Split(tag, ",") {
		key, value, _ := strings.Cut(rule, "=")
		switch key {
		case "":
		case "required":
			r.required = true
		case "min", "max":
			if _, err := strconv.Atoi(value); err != nil {
				return r, fmt.Errorf("%s is not a whole number", rule)
			}
			if key == "min" {
				r.min = value
			} else {
				r.max = value
			}
		case "of":
			r.of = strings.Split(value, "|")
		default:
			return r, fmt.Errorf("the schema tag has no rule %q", key)
		}
	}
	return r, nil
}

// describe writes the schema of a type; the description stands before what is inside, as a reader wants it.
func describe(out *bytes.Buffer, t reflect.Type, r rules, about string) error {
	bounds := func(low, high string) {
		if r.min != "" {
			fmt.Fprintf(out, `,"%s":%s`, low, r.min)
		}
		if r.max != "" {
			fmt.Fprintf(out, `,"%s":%s`, high, r.max)
		}
	}
	description := func() {
		if about != "" {
			out.WriteString(`,"description":` + quoted(about))
		}
	}
	switch kind := t.Kind(); kind {
	case reflect.String:
		out.WriteString(`{"type":"string"`)
		bounds("minLength", "maxLength")
		if len(r.of) > 0 {
			choices := make([]string, len(r.of))
			for i, choice := range r.of {
				choices[i] = quoted(choice)
			}
			out.WriteString(`,"enum":[` + strings.Join(choices, ",") + `]`)
		}
		description()
	case reflect.Int, reflect.Int64:
		out.WriteString(`{"type":"integer"`)
		bounds("minimum", "maximum")
		description()
	case reflect.Bool:
		out.WriteString(`{"type":"boolean"`)
		description()
	case reflect.Slice:
		out.WriteString(`{"type":"array"`)
		bounds("minItems", "maxItems")
		description()
		out.WriteString(`,"items":`)
		if err := describe(out, t.Elem(), rules{}, ""); err != nil {
			return err
		}
	case reflect.Struct:
		out.WriteString(`{"type":"object"`)
		description()
		if err := describeFields(out, t); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a %s has no schema", kind)
	}
	out.WriteString(`}`)
	return nil
}

func describeFields(out *bytes.Buffer, t reflect.Type) error {
	var properties bytes.Buffer
	required := []string{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		r, err := parseRules(field.Tag.Get("schema"))
		if err == nil && (name == "" || name == "-" || field.Anonymous || slices.Contains(required, quoted(name))) {
			err = errors.New("it needs a JSON name of its own")
		}
		if err == nil {
			if properties.Len() > 0 {
				properties.WriteByte(',')
			}
			properties.WriteString(quoted(name) + ":")
			err = describe(&properties, field.Type, r, field.Tag.Get("about"))
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", field.Name, err)
		}
		if r.required {
			required = append(required, quoted(name))
		}
	}
	out.WriteString(`,"additionalProperties":false`)
	if len(required) > 0 {
		out.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	out.WriteString(`,"properties":{` + properties.String() + `}`)
	return nil
}

// quoted is a JSON string with < > & as they are: a model reads it.
func quoted(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return strings.TrimSuffix(out.String(), "\n")
}
