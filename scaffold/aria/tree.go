package aria

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Tree is a captured region: one node, or several when the captured element has no role of its own.
type Tree struct{ Nodes []*Node }

// Node is an element with a role, or a text when Role is empty.
type Node struct {
	// Role is Chromium's name of the role; empty for a text.
	Role string
	// Text is the text of a text node; empty for an element.
	Text string

	Name        string
	Value       string // what an input or a range shows
	Description string
	Flags       []Flag // in the order of FlagNames, each name once
	Children    []*Node
}

// Flag is a state or property: [disabled] has an empty Value, [level=2] has "2".
type Flag struct{ Name, Value string }

// flagValues are the flags in their order, with their allowed values; "" allows the bare flag, "#" a positive number.
var flagValues = []struct {
	name   string
	values []string
}{
	{"busy", []string{""}},
	{"checked", []string{"", "mixed"}},
	{"current", []string{"", "page", "step", "location", "date", "time"}},
	{"disabled", []string{""}},
	{"expanded", []string{"", "false"}},
	{"invalid", []string{"", "grammar", "spelling"}},
	{"level", []string{"#"}},
	{"live", []string{"off", "polite", "assertive"}},
	{"modal", []string{""}},
	{"multiselectable", []string{""}},
	{"pressed", []string{"", "mixed", "false"}},
	{"readonly", []string{""}},
	{"required", []string{""}},
	{"selected", []string{""}},
}

// FlagNames returns the known flags in the order in which they are written.
func FlagNames() []string {
	names := make([]string, len(flagValues))
	for i, f := range flagValues {
		names[i] = f.name
	}
	return names
}

func flagIndex(name string) int {
	for i, f := range flagValues {
		if f.name == name {
			return i
		}
	}
	return -1
}

func (f Flag) check() error {
	i := flagIndex(f.Name)
	if i < 0 {
		return fmt.Errorf("unknown flag %q", f.Name)
	}
	allowed := flagValues[i].values
	if allowed[0] == "#" {
		if n, err := strconv.Atoi(f.Value); err != nil || n < 1 || strconv.Itoa(n) != f.Value {
			return fmt.Errorf("flag %s needs a positive number, not %q", f.Name, f.Value)
		}
		return nil
	}
	if !slices.Contains(allowed, f.Value) {
		return fmt.Errorf("flag %s can't have the value %q", f.Name, f.Value)
	}
	return nil
}

var rolePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

// Check says what makes the tree unprintable: a role that is not a word or is "text", flags unknown, unordered or with a wrong
// value, an element with Text, a text with anything else or
// empty, strings that are not UTF-8.
func (t Tree) Check() error { return checkList(t.Nodes) }

func checkList(nodes []*Node) error {
	for _, node := range nodes {
		if err := node.check(); err != nil {
			return err
		}
		if err := checkList(node.Children); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) check() error {
	for _, s := range []string{n.Text, n.Name, n.Value, n.Description} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("aria: %q is not valid UTF-8", s)
		}
	}
	if n.Role == "" {
		switch {
		case n.Text == "":
			return fmt.Errorf("aria: a node has neither role nor text")
		case n.Name != "" || n.Value != "" || n.Description != "" || len(n.Flags) > 0 || len(n.Children) > 0:
			return fmt.Errorf("aria: the text %q has more than text", n.Text)
		}
		return nil
	}
	if !rolePattern.MatchString(n.Role) || n.Role == "text" {
		return fmt.Errorf("aria: %q can't be a role", n.Role)
	}
	if n.Text != "" {
		return fmt.Errorf("aria: %s has text %q outside its children", n.Role, n.Text)
	}
	last := -1
	for _, flag := range n.Flags {
		if err := flag.check(); err != nil {
			return fmt.Errorf("aria: %s: %w", n.Role, err)
		}
		if i := flagIndex(flag.Name); i <= last {
			return fmt.Errorf("aria: %s: flag %s is out of order or twice", n.Role, flag.Name)
		} else {
			last = i
		}
	}
	return nil
}

// Map returns a copy of the tree with every name, value, description and text rewritten. A text that becomes empty is dropped.
func (t Tree) Map(rewrite func(string) string) Tree { return Tree{Nodes: mapList(t.Nodes, rewrite)} }

func mapList(nodes []*Node, rewrite func(string) string) []*Node {
	var mapped []*Node
	for _, node := range nodes {
		if node.Role == "" {
			if text := rewrite(node.Text); text != "" {
				mapped = append(mapped, &Node{Text: text})
			}
			continue
		}
		mapped = append(mapped, &Node{
			Role: node.Role, Name: rewrite(node.Name), Value: rewrite(node.Value), Description: rewrite(node.Description),
			Flags: slices.Clone(node.Flags), Children: mapList(node.Children, rewrite),
		})
	}
	return mapped
}

// Equal reports whether two trees are the same.
func (t Tree) Equal(other Tree) bool { return slices.EqualFunc(t.Nodes, other.Nodes, equalNodes) }

func equalNodes(a, b *Node) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Name == b.Name && a.Value == b.Value && a.Description == b.Description &&
		slices.Equal(a.Flags, b.Flags) && slices.EqualFunc(a.Children, b.Children, equalNodes)
}
