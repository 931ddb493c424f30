package aria

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// Source is an accessibility tree as the protocol gives it.
type Source struct {
	// Nodes are the nodes of the document, in any order, ignored ones included.
	Nodes []*accessibility.Node
	// Root is the element whose subtree is wanted; zero means the whole document.
	Root cdp.BackendNodeID
	// Current is aria-current of the elements that have it; the protocol's nodes lack it.
	Current map[cdp.BackendNodeID]string
}

// Build makes the tree of what a person perceives below the root element, itself included:
//
//   - nodes that accessibility ignores, and those without a meaning of their own (generic, none, presentation, ...), are replaced by their children;
//   - neighbouring texts of one element are joined; texts of different blocks are not. White space at the ends goes, line breaks inside (pre, br) stay;
//   - text that only repeats the name goes; so do list markers and the inner life of text fields, which have a value instead;
//   - white space in names and descriptions is collapsed.
func Build(source Source) (Tree, error) {
	b := &builder{source: source, byID: make(map[accessibility.NodeID]*accessibility.Node, len(source.Nodes))}
	var root *accessibility.Node
	for _, node := range source.Nodes {
		b.byID[node.NodeID] = node
		if (source.Root != 0 && node.BackendDOMNodeID == source.Root) || (source.Root == 0 && node.ParentID == "") {
			if root == nil || root.Ignored {
				root = node
			}
		}
	}
	if root == nil {
		return Tree{}, fmt.Errorf("aria: the root element %d is not in the accessibility tree: it is hidden or gone", source.Root)
	}
	pieces := b.pieces(root, nil)
	return Tree{Nodes: join(pieces)}, nil
}

type builder struct {
	source Source
	byID   map[accessibility.NodeID]*accessibility.Node
}

// piece is a built node, or a part of a text with the element that it belongs to: only parts of the same element are joined.
type piece struct {
	node  *Node
	text  string
	block *accessibility.Node
}

// transparent roles have no meaning of their own: their children stand for them.
var transparent = map[string]bool{
	"": true, "generic": true, "none": true, "presentation": true, "GenericContainer": true, "MenuListPopup": true, "LayoutTable": true,
	"LayoutTableRow": true, "LayoutTableCell": true, "Iframe": false, "LabelText": true, "RubyAnnotation": false,
}

// dropped roles go with everything below them.
var dropped = map[string]bool{"InlineTextBox": true, "ListMarker": true}

// fields hold their content as a value; what is below them is the browser's own.
var fields = map[string]bool{"textbox": true, "searchbox": true, "spinbutton": true}

func (b *builder) pieces(node, block *accessibility.Node) []piece {
	role := text(node.Role)
	switch {
	case dropped[role]:
		return nil
	case role == "StaticText" && !node.Ignored:
		return []piece{{text: text(node.Name), block: block}}
	case role == "LineBreak" && !node.Ignored:
		return []piece{{text: "\n", block: block}}
	}
	var below []piece
	for _, id := range node.ChildIDs {
		if child := b.byID[id]; child != nil {
			below = append(below, b.pieces(child, node)...)
		}
	}
	if node.Ignored || transparent[role] {
		return below
	}
	built := &Node{
		Role: role, Name: collapse(text(node.Name)), Value: value(node), Description: collapse(text(node.Description)),
		Flags: b.flags(node, role),
	}
	if !fields[role] {
		built.Children = join(below)
		if onlyRepeats(built.Children, built.Name) {
			built.Children = nil
		}
	}
	return []piece{{node: built}}
}

// join makes texts of neighbouring parts of the same element.
func join(pieces []piece) []*Node {
	var nodes []*Node
	for i := 0; i < len(pieces); {
		if pieces[i].node != nil {
			nodes = append(nodes, pieces[i].node)
			i++
			continue
		}
		var joined strings.Builder
		block := pieces[i].block
		for i < len(pieces) && pieces[i].node == nil && pieces[i].block == block {
			joined.WriteString(pieces[i].text)
			i++
		}
		if clean := strings.TrimSpace(visible(joined.String())); clean != "" {
			nodes = append(nodes, &Node{Text: clean})
		}
	}
	return nodes
}

// onlyRepeats says whether the children are texts that together are the name.
func onlyRepeats(children []*Node, name string) bool {
	words := make([]string, len(children))
	for i, child := range children {
		if child.Role != "" {
			return false
		}
		words[i] = child.Text
	}
	return len(children) > 0 && (collapse(strings.Join(words, " ")) == name || collapse(strings.Join(words, "")) == name)
}

func (b *builder) flags(node *accessibility.Node, role string) []Flag {
	var flags []Flag
	add := func(name, value string) { flags = append(flags, Flag{name, value}) }
	for _, property := range node.Properties {
		value := text(property.Value)
		switch name := string(property.Name); name {
		case "busy", "disabled", "modal", "multiselectable", "readonly", "required", "selected":
			if value == "true" {
				add(name, "")
			}
		case "checked":
			if value == "true" || value == "mixed" {
				add(name, strings.TrimPrefix(value, "true"))
			}
		case "pressed":
			if value == "true" || value == "mixed" || value == "false" {
				add(name, strings.TrimPrefix(value, "true"))
			}
		case "expanded":
			add(name, strings.TrimPrefix(value, "true"))
		case "invalid":
			if value != "false" && value != "" {
				add(name, strings.TrimPrefix(value, "true"))
			}
		case "level":
			if role != "listitem" { // that is the depth, which the tree shows
				add(name, value)
			}
		case "live":
			if value != implicitLive[role] {
				add(name, value)
			}
		}
	}
	if current := b.source.Current[node.BackendDOMNodeID]; current != "" && current != "false" {
		add("current", strings.TrimPrefix(current, "true"))
	}
	slices.SortFunc(flags, func(x, y Flag) int { return flagIndex(x.Name) - flagIndex(y.Name) })
	// A value that the format does not know (a page can write anything into aria-current) counts as the bare flag.
	for i, flag := range flags {
		if flag.check() != nil {
			flags[i].Value = ""
		}
	}
	flags = slices.CompactFunc(flags, func(x, y Flag) bool { return x.Name == y.Name })
	return slices.DeleteFunc(flags, func(f Flag) bool { return f.check() != nil })
}

// implicitLive is what a role means without aria-live.
var implicitLive = map[string]string{"status": "polite", "log": "polite", "alert": "assertive", "timer": "off", "marquee": "off", "": ""}

func value(node *accessibility.Node) string {
	for _, property := range node.Properties {
		if string(property.Name) == "valuetext" {
			if spoken := text(property.Value); spoken != "" {
				return clean(spoken)
			}
		}
	}
	if node.Value == nil {
		return ""
	}
	// Ranges are 32-bit floats that show as 0.30000001192092896.
	if number, err := strconv.ParseFloat(string(node.Value.Value), 64); err == nil {
		return strconv.FormatFloat(number, 'g', 6, 64)
	}
	return clean(text(node.Value))
}

// text reads a protocol value: the string itself, or the JSON of anything else.
func text(value *accessibility.Value) string {
	if value == nil || len(value.Value) == 0 || string(value.Value) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(value.Value, &s) != nil {
		s = string(value.Value)
	}
	return s
}

func clean(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// visible removes what has no width: zero-width spaces and soft hyphens, which only tell where a line may break.
func visible(s string) string {
	return strings.NewReplacer("\u200b", "", "\u00ad", "").Replace(clean(s))
}

func collapse(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }
