package session

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep the data of an event may nest. The bound is ours: the validation itself does not recurse, but encoding/json gives up at
// 10 000 levels, and what is in a log must survive every later encoding.
const MaxDepth = 8192

// rowDepth is how deep a storage row may nest: the event's data stands one level down in it.
const rowDepth = MaxDepth + 1

// checkLossless says whether text is exactly one JSON value that survives a round trip through a JavaScript program; see ParseEvent.
// It works with a stack of its own, so that nesting cannot overflow the goroutine's.
func checkLossless(text []byte, depth int) error {
	if !utf8.Valid(text) {
		return errors.New("not valid UTF-8")
	}
	scan := scanner{text: text, depth: depth}
	if err := scan.value(); err != nil {
		return fmt.Errorf("at byte %d: %w", scan.at, err)
	}
	scan.space()
	if scan.at != len(text) {
		return fmt.Errorf("at byte %d: text after the value", scan.at)
	}
	return nil
}

// member is one key and value of an object, cut out of its text without decoding the value.
type member struct {
	key   string
	value []byte
}

// splitObject cuts a valid JSON object into its members.
func splitObject(text []byte) ([]member, error) {
	var out []member
	scan := scanner{text: text, depth: rowDepth}
	err := scan.each('{', '}', func() error {
		key, err := scan.key()
		if err != nil {
			return err
		}
		value, err := scan.cut()
		out = append(out, member{key, value})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("not an object: at byte %d: %w", scan.at, err)
	}
	return out, nil
}

// splitArray cuts a valid JSON array into its elements.
func splitArray(text []byte) ([][]byte, error) {
	var out [][]byte
	scan := scanner{text: text, depth: rowDepth}
	err := scan.each('[', ']', func() error {
		value, err := scan.cut()
		out = append(out, value)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("not an array: at byte %d: %w", scan.at, err)
	}
	return out, nil
}

// scanner walks over JSON text.
type scanner struct {
	text  []byte
	at    int
	depth int // how deep values may nest
}

var errEnd = errors.New("unexpected end")

// frame is an open array or object. The keys of an object are kept to find duplicates: a few in a slice, many in a map.
type frame struct {
	object bool
	few    []string
	many   map[string]struct{}
}

const fewKeys = 16

func (f *frame) addKey(key string) error {
	if f.many != nil {
		if _, there := f.many[key]; there {
			return fmt.Errorf("key %q twice", key)
		}
		f.many[key] = struct{}{}
		return nil
	}
	for _, seen := range f.few {
		if seen == key {
			return fmt.Errorf("key %q twice", key)
		}
	}
	f.few = append(f.few, key)
	if len(f.few) > fewKeys {
		f.many = make(map[string]struct{}, 2*len(f.few))
		for _, seen := range f.few {
			f.many[seen] = struct{}{}
		}
	}
	return nil
}

// value walks over one complete value.
func (s *scanner) value() error {
	var open []frame
	for {
		closed, err := s.token(&open)
		if err != nil {
			return err
		}
		for closed {
			if len(open) == 0 {
				return nil
			}
			closed, err = s.afterElement(&open)
			if err != nil {
				return err
			}
		}
	}
}

// token walks over a scalar, or over the start of an array or object up to where its first element's value begins. It reports whether a
// value is complete now.
func (s *scanner) token(open *[]frame) (bool, error) {
	s.space()
	if s.at >= len(s.text) {
		return false, errEnd
	}
	switch c := s.text[s.at]; c {
	case '{', '[':
		if len(*open) >= s.depth {
			return false, fmt.Errorf("nested deeper than %d", MaxDepth)
		}
		s.at++
		s.space()
		if s.at < len(s.text) && s.text[s.at] == c+2 { // '{'+2 is '}', '['+2 is ']'
			s.at++
			return true, nil
		}
		*open = append(*open, frame{object: c == '{'})
		if c == '{' {
			return false, s.objectKey(*open)
		}
		return false, nil
	case '"':
		return true, s.str()
	case 't':
		return true, s.word("true")
	case 'f':
		return true, s.word("false")
	case 'n':
		return true, s.word("null")
	default:
		return true, s.number()
	}
}

// afterElement walks over the comma (and the next key) or the closing bracket after an element, and reports whether that completed a value.
func (s *scanner) afterElement(open *[]frame) (bool, error) {
	top := &(*open)[len(*open)-1]
	s.space()
	if s.at >= len(s.text) {
		return false, errEnd
	}
	c := s.text[s.at]
	s.at++
	switch {
	case c == ',' && top.object:
		return false, s.objectKey(*open)
	case c == ',':
		return false, nil
	case c == '}' && top.object, c == ']' && !top.object:
		*open = (*open)[:len(*open)-1]
		return true, nil
	}
	s.at--
	return false, fmt.Errorf("unexpected %q", c)
}

func (s *scanner) objectKey(open []frame) error {
	key, err := s.key()
	if err != nil {
		return err
	}
	return open[len(open)-1].addKey(key)
}

// key walks over a key and its colon.
func (s *scanner) key() (string, error) {
	s.space()
	start := s.at
	if err := s.str(); err != nil {
		return "", err
	}
	raw := s.text[start:s.at]
	s.space()
	if s.at >= len(s.text) {
		return "", errEnd
	}
	if s.text[s.at] != ':' {
		return "", errors.New("no colon after a key")
	}
	s.at++
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	return textOf(raw)
}

// each walks over a bracketed list and calls element at the start of each of its elements.
func (s *scanner) each(opening, closing byte, element func() error) error {
	s.space()
	if s.at >= len(s.text) || s.text[s.at] != opening {
		return fmt.Errorf("no %q", opening)
	}
	s.at++
	s.space()
	if s.at < len(s.text) && s.text[s.at] == closing {
		s.at++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		s.space()
		if s.at >= len(s.text) {
			return errEnd
		}
		c := s.text[s.at]
		s.at++
		if c == closing {
			return nil
		}
		if c != ',' {
			return fmt.Errorf("unexpected %q", c)
		}
	}
}

// cut walks over one value and gives its text.
func (s *scanner) cut() ([]byte, error) {
	s.space()
	start := s.at
	if err := s.value(); err != nil {
		return nil, err
	}
	return s.text[start:s.at:s.at], nil
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) word(word string) error {
	if !bytes.HasPrefix(s.text[s.at:], []byte(word)) {
		return errors.New("not a JSON value")
	}
	s.at += len(word)
	return nil
}

func (s *scanner) str() error {
	if s.at >= len(s.text) || s.text[s.at] != '"' {
		return errors.New("no string")
	}
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return nil
		case c < ' ':
			s.at = i
			return errors.New("control character in a string")
		case c == '\\':
			i++
			if i >= len(s.text) {
				return errEnd
			}
			switch s.text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if !hexadecimal(s.text[i+1:]) {
					s.at = i
					return errors.New(`\u without four hexadecimal digits`)
				}
				i += 4
			default:
				s.at = i
				return errors.New("unknown escape in a string")
			}
		}
	}
	return errEnd
}

func hexadecimal(text []byte) bool {
	if len(text) < 4 {
		return false
	}
	for _, c := range text[:4] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

// number walks over a number and checks that a float64 can stand for it: finite and not -0.
func (s *scanner) number() error {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	switch {
	case s.peek() == '0':
		s.at++
	case !s.digits():
		s.at = start
		return errors.New("not a JSON value")
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			return errors.New("no digits after the decimal point")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return errors.New("no digits in the exponent")
		}
	}
	return s.representable(s.text[start:s.at])
}

func (s *scanner) representable(text []byte) error {
	if len(text) < 18 && !bytes.ContainsAny(text, ".eE") && string(text) != "-0" {
		return nil // a short integer, the common case
	}
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return errors.New("number too large")
	}
	if value == 0 && math.Signbit(value) {
		return errors.New("number is -0")
	}
	return nil
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) digits() bool {
	start := s.at
	for s.peek() >= '0' && s.peek() <= '9' {
		s.at++
	}
	return s.at > start
}
