package aria

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// SyntaxError says where a text is not in the format. Line and Column count from 1, the column in bytes.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("aria: %d:%d: %s", e.Line, e.Column, e.Problem)
}

// Parse reads what [Print] writes, and nothing else: a text that means a tree but is spelled differently is an error at the first line that differs.
func Parse(text string) (Tree, error) {
	if !strings.HasSuffix(text, "\n") {
		return Tree{}, &SyntaxError{strings.Count(text, "\n") + 1, 1, "the last line does not end"}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != Header {
		return Tree{}, &SyntaxError{1, 1, fmt.Sprintf("the first line is not %q: another version or another format", Header)}
	}
	p := &parser{lines: lines, line: 1}
	var tree Tree
	if len(lines) == 2 && lines[1] == "[]" {
		return tree, nil
	}
	var err error
	if tree.Nodes, err = p.list("", nil); err != nil {
		return Tree{}, err
	}
	if p.line < len(lines) {
		return Tree{}, p.fail(1, "wrong indentation")
	}
	if len(tree.Nodes) == 0 {
		return Tree{}, p.fail(1, "an empty tree is written []")
	}
	return tree, canonical(tree, lines)
}

// canonical compares with the one right spelling.
func canonical(tree Tree, lines []string) error {
	printed, err := Print(tree)
	if err != nil {
		return &SyntaxError{2, 1, strings.TrimPrefix(err.Error(), "aria: ")}
	}
	want := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
	for i, line := range lines {
		if i >= len(want) {
			return &SyntaxError{i + 1, 1, "a superfluous line"}
		}
		if line != want[i] {
			column := 1
			for column <= len(line) && column <= len(want[i]) && line[column-1] == want[i][column-1] {
				column++
			}
			return &SyntaxError{i + 1, column, fmt.Sprintf("not the canonical spelling, which is %q", want[i])}
		}
	}
	if len(lines) < len(want) {
		return &SyntaxError{len(lines), 1, "lines are missing"}
	}
	return nil
}

// maxDepth bounds the nesting, so that a hostile file can't exhaust the stack.
const maxDepth = 1000

type parser struct {
	lines []string
	line  int // index of the next line
}

func (p *parser) fail(column int, format string, args ...any) error {
	return &SyntaxError{min(p.line, len(p.lines)-1) + 1, column, fmt.Sprintf(format, args...)}
}

// list reads the items of one depth. Properties go to the owner, which is nil at the top.
func (p *parser) list(indent string, owner *Node) ([]*Node, error) {
	if len(indent) > 2*maxDepth {
		return nil, p.fail(1, "nested deeper than %d", maxDepth)
	}
	var nodes []*Node
	for p.line < len(p.lines) {
		line := p.lines[p.line]
		item, ok := strings.CutPrefix(line, indent+"- ")
		if !ok {
			return nodes, nil
		}
		column := len(indent) + 3
		if strings.HasPrefix(item, "/") {
			if owner == nil || len(nodes) > 0 {
				return nil, p.fail(column, "a property must come right below its node")
			}
			if err := p.property(item, column, owner); err != nil {
				return nil, err
			}
			continue
		}
		node, err := p.node(item, column, indent)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

func (p *parser) property(item string, column int, owner *Node) error {
	name, raw, ok := strings.Cut(item[1:], ": ")
	if !ok {
		return p.fail(column, "a property needs a name, a colon and a value")
	}
	value, err := p.scalar(raw, column+len(name)+3)
	if err != nil {
		return err
	}
	fields := map[string]*string{"name": &owner.Name, "value": &owner.Value, "description": &owner.Description}
	field := fields[name]
	if field == nil {
		return p.fail(column, "unknown property %q", name)
	}
	if *field != "" || value == "" {
		return p.fail(column, "property %s is empty or twice", name)
	}
	*field = value
	p.line++
	return nil
}

func (p *parser) node(item string, column int, indent string) (*Node, error) {
	if raw, ok := strings.CutPrefix(item, "text: "); ok {
		text, err := p.scalar(raw, column+6)
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, p.fail(column, "an empty text")
		}
		p.line++
		return &Node{Text: text}, nil
	}
	key, rest, err := p.splitKey(item, column)
	if err != nil {
		return nil, err
	}
	node, err := p.key(key, column)
	if err != nil {
		return nil, err
	}
	switch {
	case rest == "":
		p.line++
		return node, nil
	case rest == ":":
		p.line++
		if node.Children, err = p.list(indent+"  ", node); err != nil {
			return nil, err
		}
		return node, nil
	case strings.HasPrefix(rest, ": "):
		at := column + len(item) - len(rest) + 2
		text, err := p.scalar(rest[2:], at)
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, p.fail(at, "an empty text")
		}
		node.Children = []*Node{{Text: text}}
		p.line++
		return node, nil
	}
	return nil, p.fail(column+len(item)-len(rest), "unexpected %q after the node", rest)
}

// splitKey separates the node's key, unquoted, from what follows it.
func (p *parser) splitKey(item string, column int) (key, rest string, err error) {
	if strings.HasPrefix(item, "'") {
		for i := 1; i < len(item); i++ {
			if item[i] != '\'' {
				continue
			}
			if i+1 < len(item) && item[i+1] == '\'' {
				i++
				continue
			}
			return strings.ReplaceAll(item[1:i], "''", "'"), item[i+1:], nil
		}
		return "", "", p.fail(column, "the single quote is not closed")
	}
	end := plainKey.FindStringIndex(item)
	if end == nil {
		return "", "", p.fail(column, "expected a role, a property or text")
	}
	return item[:end[1]], item[end[1]:], nil
}

const (
	rolePart = `[A-Za-z][A-Za-z0-9-]*`
	namePart = `"(?:[^"\\]|\\.)*"`
	flagPart = `\[([a-z]+)(?:=([a-z0-9]+))?\]`
)

var (
	plainKey = regexp.MustCompile(`^` + rolePart + `(?: ` + namePart + `)?(?: ` + flagPart + `)*`)
	wholeKey = regexp.MustCompile(`^(` + rolePart + `)(?: (` + namePart + `))?((?: ` + flagPart + `)*)$`)
	oneFlag  = regexp.MustCompile(flagPart)
)

func (p *parser) key(key string, column int) (*Node, error) {
	parts := wholeKey.FindStringSubmatch(key)
	if parts == nil {
		return nil, p.fail(column, "%q is not a role, a name in double quotes and flags in brackets", key)
	}
	node := &Node{Role: parts[1]}
	if parts[2] != "" {
		name, err := unquote(parts[2])
		if err != nil {
			return nil, p.fail(column, "the name %s: %v", parts[2], err)
		}
		node.Name = name
	}
	for _, flag := range oneFlag.FindAllStringSubmatch(parts[3], -1) {
		f := Flag{Name: flag[1], Value: flag[2]}
		if err := f.check(); err != nil {
			return nil, p.fail(column, "%v", err)
		}
		node.Flags = append(node.Flags, f)
	}
	return node, nil
}

func (p *parser) scalar(raw string, column int) (string, error) {
	if !strings.HasPrefix(raw, `"`) {
		return raw, nil // whether it may be plain is checked against the canonical spelling
	}
	text, err := unquote(raw)
	if err != nil {
		return "", p.fail(column, "the text %s: %v", raw, err)
	}
	return text, nil
}

// unquote reads a JSON string. json replaces lone surrogates and bad UTF-8; the canonical spelling then differs, so they are refused.
func unquote(quoted string) (string, error) {
	var text string
	err := json.Unmarshal([]byte(quoted), &text)
	return text, err
}
