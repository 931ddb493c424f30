package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// marshalPlain is json.Marshal without the HTML escapes, which would make logs unreadable for nothing.
func marshalPlain(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// object writes a JSON object with its fields in the order of the calls.
type object struct {
	out  []byte
	seen []string
	err  error
}

func newObject() *object { return &object{out: []byte{'{'}} }

func (o *object) add(name string, value any) {
	text, err := marshalPlain(value)
	if err != nil {
		o.err = errors.Join(o.err, fmt.Errorf("%s: %w", name, err))
		return
	}
	o.addRaw(name, text)
}

func (o *object) addRaw(name string, text []byte) {
	if len(o.seen) > 0 {
		o.out = append(o.out, ',')
	}
	o.seen = append(o.seen, name)
	key, err := marshalPlain(name)
	o.err = errors.Join(o.err, err)
	o.out = append(append(append(o.out, key...), ':'), text...)
}

// addExtra adds unknown fields in the order of their names. A name that is taken already is an error: one of the two would be lost.
func (o *object) addExtra(extra map[string]json.RawMessage) {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(o.seen, name) {
			o.err = errors.Join(o.err, fmt.Errorf("extra field %q is a known field", name))
			continue
		}
		o.add(name, extra[name])
	}
}

func (o *object) finish() ([]byte, error) {
	if o.err != nil {
		return nil, o.err
	}
	return append(o.out, '}'), nil
}

// fields are the members of a JSON object that have not been taken yet.
type fields map[string]json.RawMessage

func decodeFields(text []byte) (fields, error) {
	var out fields
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	if out == nil {
		return nil, errors.New("is null")
	}
	return out, nil
}

// take moves a field into its typed place.
func (f fields) take(name string, into any, required bool) error {
	text, there := f[name]
	if !there || string(text) == "null" {
		if required {
			return fmt.Errorf("%s is missing", name)
		}
		if !there {
			return nil
		}
		return fmt.Errorf("%s is null", name)
	}
	delete(f, name)
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (f fields) rest() map[string]json.RawMessage {
	if len(f) == 0 {
		return nil
	}
	return f
}
