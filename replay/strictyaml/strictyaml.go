// Package strictyaml reads the YAML files that people write for the lane: overrides of a replay and scripts of a provider.
//
// A file is one document with a closed set of keys. What a file may say is written down as Fields and Items, functions that read
// one node each; whatever else it says is an error with its line and column, and so is a key that stands there twice or a value of
// another kind. Nothing is guessed: the number 3 is no text.
package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// File is where a text comes from, for its errors: "<room>: <name>:<line>:<column>: …".
type File struct {
	Room string // the package that reads it
	Name string
}

// Fail is an error at a node.
func (f File) Fail(n *yaml.Node, format string, args ...any) error {
	return f.failAt(fmt.Sprintf(":%d:%d", n.Line, n.Column), fmt.Sprintf(format, args...))
}

func (f File) failAt(place, text string) error {
	return fmt.Errorf("%s: %s%s: %s", f.Room, f.Name, place, text)
}

// Root returns the top of the one document in data. Empty says what an empty file should do about it.
func (f File) Root(data []byte, empty string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, f.failAt(":1:1", "the file is empty: "+empty)
	case err != nil:
		return nil, f.syntaxError(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, f.failAt("", "there is more than one YAML document, or text behind the first")
	}
	return document.Content[0], nil
}

// syntaxError words an error of the YAML parser, which knows the line at most.
func (f File) syntaxError(err error) error {
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return f.failAt(fmt.Sprintf(":%d:1", line), "not YAML: "+text)
}

// Fields are the keys that a mapping may have, and what reads each.
type Fields map[string]func(*yaml.Node) error

// Fields reads a mapping; what names it in errors.
func (f File) Fields(n *yaml.Node, what string, take Fields) error {
	if n.Kind != yaml.MappingNode {
		return f.Fail(n, "%s must be a mapping", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := take[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || read == nil:
			return f.Fail(key, "%s has no key %q", what, key.Value)
		case seen[key.Value]:
			return f.Fail(key, "%s has the key %q twice", what, key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

// Items reads a list, one entry after the other; what names it in errors.
func (f File) Items(n *yaml.Node, what string, take func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return f.Fail(n, "%s must be a list", what)
	}
	for _, item := range n.Content {
		if err := take(item); err != nil {
			return err
		}
	}
	return nil
}

// Text reads a text.
func (f File) Text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			return f.Fail(n, "this must be a text: put it in quotes")
		}
		*into = n.Value
		return nil
	}
}

// Word reads a text that says something.
func (f File) Word(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if f.Text(into)(n) != nil || *into == "" {
			return f.Fail(n, "this must be a text that is not empty: put it in quotes")
		}
		return nil
	}
}

// Number reads a whole number from low to high.
func (f File) Number(into *int, low, high int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var value int
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&value) != nil || value < low || value > high {
			return f.Fail(n, "this must be a whole number from %d to %d", low, high)
		}
		*into = value
		return nil
	}
}
