package aria

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Header is the first line of every golden: the format and its version.
const Header = "# aria 1"

// maxKey bounds a node's key: YAML allows 1024 characters for one that stands before a colon.
const maxKey = 1000

// Print writes the tree. The error says what makes it unprintable, see [Tree.Check]; a tree from [Build] or [Parse] is always printable.
func Print(tree Tree) (string, error) {
	if err := tree.Check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(Header + "\n")
	if len(tree.Nodes) == 0 {
		b.WriteString("[]\n")
	}
	printList(&b, tree.Nodes, "")
	return b.String(), nil
}

func printList(b *strings.Builder, nodes []*Node, indent string) {
	for _, node := range nodes {
		printNode(b, node, indent)
	}
}

func printNode(b *strings.Builder, node *Node, indent string) {
	b.WriteString(indent + "- ")
	if node.Role == "" {
		b.WriteString("text: " + scalar(node.Text) + "\n")
		return
	}
	key, named := node.key(), true
	if utf8.RuneCountInString(key) > maxKey {
		short := *node
		short.Name, named = "", false
		key = short.key()
	}
	properties := node.properties(named)
	b.WriteString(key)
	switch {
	case len(properties) == 0 && len(node.Children) == 0:
		b.WriteString("\n")
		return
	case len(properties) == 0 && len(node.Children) == 1 && node.Children[0].Role == "":
		b.WriteString(": " + scalar(node.Children[0].Text) + "\n")
		return
	}
	b.WriteString(":\n")
	for _, p := range properties {
		b.WriteString(indent + "  - /" + p.Name + ": " + scalar(p.Value) + "\n")
	}
	printList(b, node.Children, indent+"  ")
}

// properties are the node's strings that are written on lines of their own.
func (n *Node) properties(named bool) []Flag {
	var list []Flag
	if !named {
		list = append(list, Flag{"name", n.Name})
	}
	if n.Value != "" {
		list = append(list, Flag{"value", n.Value})
	}
	if n.Description != "" {
		list = append(list, Flag{"description", n.Description})
	}
	return list
}

// key is what stands before the colon, quoted if YAML needs it.
func (n *Node) key() string {
	var b strings.Builder
	b.WriteString(n.Role)
	if n.Name != "" {
		b.WriteString(" " + quoteString(n.Name))
	}
	for _, flag := range n.Flags {
		b.WriteString(" [" + flag.Name)
		if flag.Value != "" {
			b.WriteString("=" + flag.Value)
		}
		b.WriteString("]")
	}
	key := b.String()
	if keyNeedsQuotes(key) {
		return "'" + strings.ReplaceAll(key, "'", "''") + "'"
	}
	return key
}

// keyNeedsQuotes: a plain YAML scalar ends at ": " and " #". It starts with a letter here, so nothing else can disturb.
func keyNeedsQuotes(key string) bool {
	return strings.Contains(key, ": ") || strings.Contains(key, " #") || strings.ContainsAny(key, "{}") || keyword.MatchString(key)
}

// keyword is what YAML 1.1 or 1.2 reads as something else than a string.
var keyword = regexp.MustCompile(`(?i)^(y|n|yes|no|true|false|on|off|null|~)$`)

// number is, generously, what YAML reads as a number or a date, or as a base-60 number.
var number = regexp.MustCompile(`^[-+.]?[0-9]|^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$`)

// scalar writes a text after a colon, in double quotes if YAML or our token rule needs them.
func scalar(text string) string {
	if scalarNeedsQuotes(text) {
		return quoteString(text)
	}
	return text
}

func scalarNeedsQuotes(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case text == "", strings.TrimSpace(text) != text:
		return true
	case strings.ContainsRune("-?:,[]{}#&*!|>'\"%@`=<~", first):
		return true
	case strings.Contains(text, ": "), strings.HasSuffix(text, ":"), strings.Contains(text, " #"):
		return true
	case strings.ContainsAny(text, "{}"):
		return true
	case keyword.MatchString(text), number.MatchString(text):
		return true
	}
	return strings.ContainsFunc(text, mustEscape)
}

// mustEscape are the characters that can't stand raw in YAML on one line: controls, line and paragraph separators, the byte order mark, non-characters.
func mustEscape(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == '\u2028', r == '\u2029', r == '\ufeff', r == 0xfffe, r == 0xffff:
		return true
	}
	return unicode.Is(unicode.Cf, r) // invisible: direction marks, joiners, soft hyphens; a reader must see them
}

// quoteString writes a JSON string that is also a YAML double-quoted scalar.
func quoteString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case mustEscape(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
