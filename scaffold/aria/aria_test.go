package aria_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"keylane/scaffold/aria"
)

var example = aria.Tree{Nodes: []*aria.Node{{Role: "main", Children: []*aria.Node{
	{Role: "heading", Name: "Sessions", Flags: []aria.Flag{{Name: "level", Value: "1"}}},
	{Role: "button", Name: "Details", Flags: []aria.Flag{{Name: "disabled"}, {Name: "expanded", Value: "false"}}},
	{Role: "textbox", Name: "Message", Value: "hello", Description: "Enter sends"},
	{Role: "paragraph", Children: []*aria.Node{{Text: "One two"}}},
	{Role: "row", Name: `TOOL: {"file": 'a'}`, Children: []*aria.Node{{Text: "between: items"}, {Role: "img"}, {Text: "at {{clock}} sharp"}}},
	{Role: "code", Children: []*aria.Node{{Text: "l1\nl2"}}},
}}}}

const exampleText = `# aria 1
- main:
  - heading "Sessions" [level=1]
  - button "Details" [disabled] [expanded=false]
  - textbox "Message":
    - /value: hello
    - /description: Enter sends
  - paragraph: One two
  - 'row "TOOL: {\"file\": ''a''}"':
    - text: "between: items"
    - img
    - text: "at {{clock}} sharp"
  - code: "l1\nl2"
`

func TestATreeIsPrintedAsDocumented(t *testing.T) {
	got, err := aria.Print(example)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exampleText, got); diff != "" {
		t.Error(diff)
	}
}

func TestThePrintedExampleIsParsedBack(t *testing.T) {
	got, err := aria.Parse(exampleText)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, got); diff != "" {
		t.Error(diff)
	}
	if !got.Equal(example) {
		t.Error("Equal denies what go-cmp says")
	}
}

// oddText draws what pages really contain, and worse.
var oddText = rapid.OneOf(
	rapid.StringN(1, 40, 200),
	rapid.StringMatching(`[ \n\t:#'"\\{}\[\]a-c-]{1,12}`),
	rapid.SampledFrom([]string{
		`"`, `'`, `''`, `\`, ":", "a: b", "a:", " #x", "a #b", "- a", "? a", "{{clock}}", "}", "\n", "a\nb", "\r\n", "\t", " a", "a ", "yes", "NO", "~",
		"null", "1", "1.5e3", "0x1f", "1:30", "2026-07-25", "-", "---", "...", "🙂👩‍💻", "汉字：测试", "a\u2028b", "\u2029", "\ufeff", "\u00a0", "\u0085", "\u0000", "\x7f",
		"\ufffe", "\U0010ffff", "e\u0301", "\u202e", "&a", "*a", "!a", "|", ">", "%", "@", "`", "[a]", "=", "<<", ".inf", "text: a", "/value: a", "<b>", strings.Repeat("long ", 300),
	}),
)

func drawNode(t *rapid.T, depth int) *aria.Node {
	node := &aria.Node{Role: rapid.OneOf(
		rapid.SampledFrom([]string{"button", "listitem", "img", "y", "on", "null", "DisclosureTriangle", "doc-note", "texts"}),
		rapid.StringMatching(`[A-Za-z][A-Za-z0-9-]{0,8}`).Filter(func(s string) bool { return s != "text" }),
	).Draw(t, "role")}
	if rapid.Bool().Draw(t, "named") {
		node.Name = oddText.Draw(t, "name")
	}
	if rapid.IntRange(0, 3).Draw(t, "valued") == 0 {
		node.Value = oddText.Draw(t, "value")
	}
	if rapid.IntRange(0, 5).Draw(t, "described") == 0 {
		node.Description = oddText.Draw(t, "description")
	}
	values := map[string][]string{
		"checked": {"", "mixed"}, "current": {"", "page"}, "expanded": {"", "false"}, "invalid": {"", "spelling"}, "level": {"1", "12"},
		"live": {"off", "polite"}, "pressed": {"", "false"},
	}
	for _, name := range aria.FlagNames() {
		if rapid.IntRange(0, 6).Draw(t, name) == 0 {
			allowed := values[name]
			if allowed == nil {
				allowed = []string{""}
			}
			node.Flags = append(node.Flags, aria.Flag{Name: name, Value: rapid.SampledFrom(allowed).Draw(t, name+" value")})
		}
	}
	if depth > 0 {
		node.Children = drawList(t, depth-1)
	}
	return node
}

func drawList(t *rapid.T, depth int) []*aria.Node {
	var nodes []*aria.Node
	for range rapid.IntRange(0, 4).Draw(t, "children") {
		if rapid.IntRange(0, 2).Draw(t, "is text") == 0 {
			nodes = append(nodes, &aria.Node{Text: oddText.Draw(t, "text")})
		} else {
			nodes = append(nodes, drawNode(t, depth))
		}
	}
	return nodes
}

func TestParseGivesBackEveryPrintedTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := aria.Tree{Nodes: drawList(t, 3)}
		printed, err := aria.Print(tree)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := aria.Parse(printed)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if diff := cmp.Diff(tree, parsed); diff != "" {
			t.Fatalf("%s\n%s", diff, printed)
		}
	})
}

// inYAML is what a YAML reader should see of a list of nodes.
func inYAML(t *rapid.T, nodes []*aria.Node) []any {
	list := []any{}
	for _, node := range nodes {
		if node.Role == "" {
			list = append(list, map[string]any{"text": node.Text})
			continue
		}
		alone, err := aria.Print(aria.Tree{Nodes: []*aria.Node{{Role: node.Role, Name: node.Name, Flags: node.Flags}}})
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Contains(alone, "\n  - /name: ")
		key := node.Role
		if node.Name != "" && !long {
			// the key's own spelling is checked by the round trip; here only the quoting around it matters
			line := strings.TrimSuffix(strings.TrimPrefix(strings.SplitN(alone, "\n", 2)[1], "- "), "\n")
			if strings.HasPrefix(line, "'") {
				line = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(line, "'"), "'"), "''", "'")
			}
			key = line
		} else {
			for _, f := range node.Flags {
				key += " [" + f.Name
				if f.Value != "" {
					key += "=" + f.Value
				}
				key += "]"
			}
		}
		below := []any{}
		for _, p := range []struct{ name, value string }{{"name", node.Name}, {"value", node.Value}, {"description", node.Description}} {
			if p.value != "" && (p.name != "name" || long) {
				below = append(below, map[string]any{"/" + p.name: p.value})
			}
		}
		switch {
		case len(below) == 0 && len(node.Children) == 0:
			list = append(list, key)
		case len(below) == 0 && len(node.Children) == 1 && node.Children[0].Role == "":
			list = append(list, map[string]any{key: node.Children[0].Text})
		default:
			list = append(list, map[string]any{key: append(below, inYAML(t, node.Children)...)})
		}
	}
	return list
}

func TestEveryPrintedTreeIsYAMLWithTheSameStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := aria.Tree{Nodes: drawList(t, 3)}
		printed, err := aria.Print(tree)
		if err != nil {
			t.Fatal(err)
		}
		var got []any
		if err := yaml.Unmarshal([]byte(printed), &got); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if got == nil {
			got = []any{}
		}
		if diff := cmp.Diff(inYAML(t, tree.Nodes), got); diff != "" {
			t.Fatalf("%s\n%s", diff, printed)
		}
	})
}

func TestParseRefusesEverythingElseWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "", "1:1: the last line does not end"},
		{"no final newline", "# aria 1\n- main", "2:1: the last line does not end"},
		{"another version", "# aria 2\n- main\n", "1:1: the first line"},
		{"an empty tree without brackets", "# aria 1\n", "1:1: an empty tree is written []"},
		{"wrong indentation", "# aria 1\n- main:\n   - img\n", "3:1: wrong indentation"},
		{"a tab", "# aria 1\n- main:\n\t- img\n", "3:1: wrong indentation"},
		{"no role", "# aria 1\n- \"x\"\n", "2:3: expected a role"},
		{"an unknown flag", "# aria 1\n- img [blue]\n", `2:3: unknown flag "blue"`},
		{"a wrong flag value", "# aria 1\n- heading [level=0]\n", "2:3: flag level needs a positive number"},
		{"flags out of order", "# aria 1\n- tab [selected] [busy]\n", "2:1: tab: flag busy is out of order"},
		{"a flag twice", "# aria 1\n- tab [busy] [busy]\n", "2:1: tab: flag busy is out of order or twice"},
		{"an unclosed quote", "# aria 1\n- 'row\n", "2:3: the single quote is not closed"},
		{"a superfluous quote around a text", "# aria 1\n- p: \"x\"\n", "2:6: not the canonical spelling"},
		{"a missing quote around a token", "# aria 1\n- p: {{clock}}\n", "2:6: not the canonical spelling"},
		{"a superfluous quote around a key", "# aria 1\n- 'img'\n", "2:3: not the canonical spelling"},
		{"a bare colon and nothing below", "# aria 1\n- main:\n- img\n", "2:7: not the canonical spelling"},
		{"a text on a line of its own that belongs behind the colon", "# aria 1\n- p:\n  - text: x\n", "2:5: not the canonical spelling"},
		{"an unknown property", "# aria 1\n- p:\n  - /size: x\n", `3:5: unknown property "size"`},
		{"a property after a child", "# aria 1\n- p:\n  - img\n  - /value: x\n", "4:5: a property must come right below its node"},
		{"a property twice", "# aria 1\n- p:\n  - /value: x\n  - /value: y\n", "4:5: property value is empty or twice"},
		{"a property at the top", "# aria 1\n- /value: x\n", "2:3: a property must come right below"},
		{"an empty text", "# aria 1\n- p: \"\"\n", "2:6: an empty text"},
		{"an escape that JSON does not know", "# aria 1\n- p: \"\\x41\"\n", "2:6: the text"},
		{"trailing spaces", "# aria 1\n- main \n", "2:7: unexpected"},
		{"a blank line", "# aria 1\n- main\n\n", "3:1: wrong indentation"},
		{"Windows line ends", "# aria 1\r\n- main\r\n", "1:1: the first line"},
		{"too deep", "# aria 1\n" + deep(1100), "nested deeper than 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := aria.Parse(c.text)
			var syntax *aria.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s- p:\n", strings.Repeat("  ", i))
	}
	return b.String()
}

func TestPrintRefusesAnImpossibleTree(t *testing.T) {
	for _, c := range []struct {
		name string
		node aria.Node
		want string
	}{
		{"a role with a space", aria.Node{Role: "a b"}, "can't be a role"},
		{"the role text", aria.Node{Role: "text"}, "can't be a role"},
		{"nothing at all", aria.Node{}, "neither role nor text"},
		{"a text with children", aria.Node{Text: "x", Children: []*aria.Node{{Role: "img"}}}, "has more than text"},
		{"an element with text", aria.Node{Role: "p", Text: "x"}, "outside its children"},
		{"bytes that are not UTF-8", aria.Node{Role: "p", Name: "\xff"}, "not valid UTF-8"},
		{"unordered flags", aria.Node{Role: "p", Flags: []aria.Flag{{Name: "selected"}, {Name: "busy"}}}, "out of order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := aria.Print(aria.Tree{Nodes: []*aria.Node{&c.node}}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestMapRewritesEveryStringAndDropsEmptiedTexts(t *testing.T) {
	got := aria.Tree{Nodes: []*aria.Node{
		{Role: "a", Name: "xn", Value: "xv", Description: "xd", Flags: []aria.Flag{{Name: "busy"}}, Children: []*aria.Node{{Text: "xt"}, {Text: "x"}}},
	}}.Map(func(s string) string { return strings.ReplaceAll(s, "x", "") })
	want := aria.Tree{Nodes: []*aria.Node{
		{Role: "a", Name: "n", Value: "v", Description: "d", Flags: []aria.Flag{{Name: "busy"}}, Children: []*aria.Node{{Text: "t"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFlagNamesAreSortedSoThatTheirOrderNeedsNoTable(t *testing.T) {
	if names := aria.FlagNames(); !slices.IsSorted(names) {
		t.Error(names)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(exampleText)
	f.Add("# aria 1\n[]\n")
	f.Add("# aria 1\n- 'a \"b''\"':\n  - /name: x\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := aria.Parse(text)
		if err != nil {
			return
		}
		printed, err := aria.Print(tree)
		if err != nil || printed != text {
			t.Errorf("accepted %q, prints %q (%v)", text, printed, err)
		}
	})
}
