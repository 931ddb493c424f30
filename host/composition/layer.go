package composition

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"gopkg.in/yaml.v3"
)

// Layer is one file of the tree: the base, or patches over what lies below.
type Layer struct {
	// Name is shown in errors; a path where the layer is a file.
	Name string
	// Data is YAML; empty means no rows and no patches.
	Data []byte
	// Base marks the list of rows. Exactly the first layer of a tree is a base.
	Base bool
	// Made marks text that a program wrote, not a person: errors name the layer, and no line in it.
	Made bool
}

// Parsed keys of rows and patches; anything else is unknown.
const (
	keyID       = "id"
	keyPlugin   = "plugin"
	keyConfig   = "config"
	keyDisabled = "disabled"
	keyRequired = "required"
	keyInsert   = "insert"
	keyAfter    = "after"
)

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// entry is a row or a patch as written, before it is known which of the two.
type entry struct {
	at       place
	id       *text
	plugin   *text
	config   *yaml.Node
	disabled *bool
	required *bool
	insert   *yaml.Node
	after    *text
}

type text struct {
	value string
	at    place
}

// parseLayer returns the layer's top-level items; none for an empty layer.
func parseLayer(l Layer) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(l.Data))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, syntaxError(l.Name, err)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, at(l.Name, &second).errorf("", "a second document; one file holds one list")
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(l.Name, err)
	}
	root := document.Content[0]
	if isNull(root) {
		return nil, nil
	}
	if root.Kind != yaml.SequenceNode {
		return nil, at(l.Name, root).errorf("", "want a list of %s, found %s", itemWord(l.Base), kindWord(root))
	}
	if err := refuseAliases(l.Name, root); err != nil {
		return nil, err
	}
	if l.Made {
		forgetLines(root)
	}
	return root.Content, nil
}

func forgetLines(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, child := range n.Content {
		forgetLines(child)
	}
}

func itemWord(base bool) string {
	if base {
		return "rows"
	}
	return "patches"
}

// refuseAliases keeps positions honest: with an alias one node would stand in two
// places.
func refuseAliases(file string, n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return at(file, n).errorf("", "an alias (*%s); write the value out", n.Value)
	}
	if n.Anchor != "" {
		return at(file, n).errorf("", "an anchor (&%s); write the value out", n.Anchor)
	}
	for _, child := range n.Content {
		if err := refuseAliases(file, child); err != nil {
			return err
		}
	}
	return nil
}

// parseEntry reads one row or patch. It returns every error it finds; the entry is
// usable only when there is none.
func parseEntry(file string, n *yaml.Node, allowed ...string) (entry, []error) {
	e := entry{at: at(file, n)}
	if n.Kind != yaml.MappingNode {
		return e, []error{at(file, n).errorf("", "want keys and values, found %s", kindWord(n))}
	}
	row := ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == keyID {
			row = n.Content[i+1].Value
		}
	}
	var problems []error
	failf := func(n *yaml.Node, format string, args ...any) {
		problems = append(problems, at(file, n).errorf(row, format, args...))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !contains(allowed, key.Value) {
			failf(key, "unknown key %q; known: %s", key.Value, list(allowed))
			continue
		}
		if seen[key.Value] {
			failf(key, "the key %q stands here a second time", key.Value)
			continue
		}
		seen[key.Value] = true
		switch key.Value {
		case keyID, keyPlugin, keyAfter:
			if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" || value.Value == "" {
				failf(value, "%s: want a text, found %s", key.Value, kindWord(value))
				continue
			}
			t := &text{value.Value, at(file, value)}
			switch key.Value {
			case keyID:
				e.id = t
			case keyPlugin:
				e.plugin = t
			default:
				e.after = t
			}
		case keyDisabled, keyRequired:
			var b bool
			if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!bool" || value.Decode(&b) != nil {
				failf(value, "%s: want true or false, found %s", key.Value, kindWord(value))
				continue
			}
			if key.Value == keyDisabled {
				e.disabled = &b
			} else {
				e.required = &b
			}
		case keyConfig:
			if value.Kind != yaml.MappingNode && !isNull(value) {
				failf(value, "config: want keys and values, found %s", kindWord(value))
				continue
			}
			e.config = value
		case keyInsert:
			if value.Kind != yaml.SequenceNode {
				failf(value, "insert: want a list of rows, found %s", kindWord(value))
				continue
			}
			e.insert = value
		}
	}
	return e, problems
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func kindWord(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null":
			return "nothing"
		case "!!str":
			return fmt.Sprintf("the text %q", n.Value)
		case "!!bool":
			return "the truth value " + n.Value
		case "!!int", "!!float":
			return "the number " + n.Value
		default:
			return fmt.Sprintf("%s %q", n.ShortTag(), n.Value)
		}
	default:
		return "something else"
	}
}
