package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// mostIssues bounds what Check tells of one text.
const mostIssues = 8

// Check holds a JSON text against the shape and returns what is wrong, in words for whoever
// wrote the text: each one "<path>: want …, got …", at most a few, nil when it
// fits. The path of the text itself is path, "" for none; below it keys and positions are
// joined by dots. Beyond the shape, no key may stand twice in any object, and every text must be
// well-formed Unicode.
func (s *Shape) Check(path string, text []byte) []string {
	c := &checking{}
	c.value(path, bytes.TrimSpace(text), s)
	return c.issues
}

type checking struct{ issues []string }

func (c *checking) full() bool { return len(c.issues) >= mostIssues }

func (c *checking) add(path, want, got string) {
	if c.full() {
		return
	}
	if path == "" {
		path = "the text"
	}
	c.issues = append(c.issues, fmt.Sprintf("%s: want %s, got %s", path, want, got))
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// value holds one value, without white space around it, against a shape.
func (c *checking) value(path string, raw []byte, s *Shape) {
	if c.full() {
		return
	}
	if len(raw) == 0 {
		c.add(path, s.Want(), "nothing")
		return
	}
	ok := false
	switch s.Kind {
	case Any:
		ok = true
	case Object, Record:
		ok = raw[0] == '{'
	case List:
		ok = raw[0] == '['
	case Text:
		ok = raw[0] == '"'
	case Bool:
		ok = raw[0] == 't' || raw[0] == 'f'
	case Whole, Number:
		ok = raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	}
	if !ok {
		c.add(path, s.Want(), got(raw))
		return
	}
	switch raw[0] {
	case '{':
		c.object(path, raw, s)
	case '[':
		c.list(path, raw, s)
	case '"':
		c.text(path, raw, s)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		c.number(path, raw, s)
	}
}

var anything = &Shape{Kind: Any}

func (c *checking) list(path string, raw []byte, s *Shape) {
	element := s.Element
	if s.Kind != List {
		element = anything
	}
	n := int64(0)
	err := walk(raw, func(_ []byte, value []byte) {
		c.value(below(path, strconv.FormatInt(n, 10)), value, element)
		n++
	})
	if err != nil {
		c.add(path, s.Want(), err.Error())
		return
	}
	if s.Kind == List && !s.within(n) {
		c.add(path, s.Want(), fmt.Sprintf("%d entries", n))
	}
}

func (c *checking) object(path string, raw []byte, s *Shape) {
	values := map[string][]byte{}
	var names []string
	err := walk(raw, func(quoted, value []byte) {
		name, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil {
			c.add(path, "well-formed Unicode in every key", "a key that is not: "+got(quoted))
			return
		}
		key := string(name)
		if _, twice := values[key]; twice {
			c.add(below(path, clip(key)), "the key once", "it twice")
			return
		}
		values[key] = value
		names = append(names, key)
	})
	if err != nil {
		c.add(path, s.Want(), err.Error())
		return
	}
	if s.Kind != Record {
		for _, name := range names {
			c.value(below(path, clip(name)), values[name], anything)
		}
		return
	}
	c.record(path, names, values, s)
}

func (c *checking) record(path string, names []string, values map[string][]byte, s *Shape) {
	first := ""
	if s.Divided() {
		_ = json.Unmarshal(values[s.Fields[0].Name], &first) // what it is instead is told with the field
	}
	var known []string
	for _, f := range s.Fields {
		if s.Divided() && f.For != nil && !f.With(first) {
			continue
		}
		known = append(known, f.Name)
		value, there := values[f.Name]
		switch {
		case there:
			c.value(below(path, f.Name), value, f.Shape)
		case !f.Optional:
			c.add(below(path, f.Name), f.Shape.Want(), "nothing")
		}
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		want := "no such key"
		if len(known) > 0 {
			want = "no key but " + strings.Join(known, ", ")
		}
		if s.Divided() && slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == name }) {
			want = fmt.Sprintf("no such key beside %s %q", s.Fields[0].Name, first)
		}
		c.add(below(path, clip(name)), want, "this one")
	}
}

func (c *checking) text(path string, raw []byte, s *Shape) {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		what := "a lone surrogate"
		if !utf8.Valid(raw) {
			what = "bytes that are no UTF-8"
		}
		c.add(path, "well-formed Unicode", what)
		return
	}
	if s.Kind != Text {
		return
	}
	if s.Values != nil && !slices.Contains(s.Values, string(text)) || !s.within(int64(len(text))) {
		what := got(raw)
		if s.Values == nil && len(text) > 0 {
			what = fmt.Sprintf("%d bytes", len(text))
		}
		c.add(path, s.Want(), what)
	}
}

func (c *checking) number(path string, raw []byte, s *Shape) {
	if s.Kind != Whole {
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || !s.within(n) {
		c.add(path, s.Want(), got(raw))
	}
}

func (s *Shape) within(n int64) bool {
	return (s.Min == nil || n >= *s.Min) && (s.Max == nil || n <= *s.Max)
}

// Want says what fits, in words that go on from "want".
func (s *Shape) Want() string {
	switch s.Kind {
	case Object, Record:
		return "an object"
	case List:
		return "a list" + s.bounds(" of at least %d", " of at most %d", " of %d to %d")
	case Text:
		if s.Values != nil {
			return choice(s.Values)
		}
		if s.Min != nil && *s.Min == 1 && s.Max == nil {
			return "a text that is not empty"
		}
		return "a text" + s.bounds(" of at least %d bytes", " of at most %d bytes", " of %d to %d bytes")
	case Whole:
		return "a whole number" + s.bounds(" from %d on", " up to %d", " from %d to %d")
	case Number:
		return "a number"
	case Bool:
		return "true or false"
	}
	return "a value"
}

func (s *Shape) bounds(least, most, both string) string {
	switch {
	case s.Min != nil && s.Max != nil:
		return fmt.Sprintf(both, *s.Min, *s.Max)
	case s.Min != nil:
		return fmt.Sprintf(least, *s.Min)
	case s.Max != nil:
		return fmt.Sprintf(most, *s.Max)
	}
	return ""
}

func choice(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	if last := len(quoted) - 1; last > 0 {
		return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
	}
	return strings.Join(quoted, "")
}

// got names a value that does not fit.
func got(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		if len(raw) == 2 {
			return "an empty text"
		}
		// One spelling: how somebody escaped it says nothing about what is wrong.
		if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
			if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
				raw = quoted
			}
		}
	}
	return clip(strings.ToValidUTF8(string(raw), "\ufffd"))
}

// clip shortens what somebody else wrote to what a line can show.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// walk calls f for each member of an object or list; name is nil in a list. What it
// hands out is part of raw.
func walk(raw []byte, f func(name, value []byte)) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return broken(d)
	}
	var name []byte
	isObject := raw[0] == '{'
	for kind := d.PeekKind(); kind != ']' && kind != '}'; kind = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return broken(d)
		}
		value = bytes.Clone(value)
		if isObject && name == nil {
			name = value
			continue
		}
		f(name, value)
		name = nil
	}
	if _, err := d.ReadToken(); err != nil {
		return broken(d)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return broken(d)
	}
	return nil
}

func broken(d *jsontext.Decoder) error {
	return fmt.Errorf("text that is no JSON at byte %d", d.InputOffset())
}
