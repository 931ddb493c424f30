package aria_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/google/go-cmp/cmp"

	"keylane/scaffold/aria"
)

// nodes builds protocol nodes from an outline: one per line, two spaces per depth, `[!]role "name" property=value ...`; ! is ignored.
// Backend ids are the line numbers from 1.
func nodes(t *testing.T, outline string) []*accessibility.Node {
	t.Helper()
	var list []*accessibility.Node
	var path []*accessibility.Node
	quoted := func(s string) *accessibility.Value {
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return &accessibility.Value{Value: encoded}
	}
	for i, line := range strings.Split(strings.Trim(outline, "\n"), "\n") {
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 2
		node := &accessibility.Node{NodeID: accessibility.NodeID(fmt.Sprint(i + 1)), BackendDOMNodeID: cdp.BackendNodeID(i + 1)}
		body, node.Ignored = strings.TrimPrefix(body, "!"), strings.HasPrefix(body, "!")
		role, rest, _ := strings.Cut(body, " ")
		node.Role = quoted(role)
		if strings.HasPrefix(rest, `"`) {
			end := strings.Index(rest[1:], `"`) + 2
			node.Name, rest = &accessibility.Value{Value: []byte(rest[:end])}, rest[end:]
		}
		for _, field := range strings.Fields(rest) {
			name, value, _ := strings.Cut(field, "=")
			switch name {
			case "value":
				node.Value = &accessibility.Value{Value: []byte(value)}
			case "description":
				node.Description = quoted(value)
			default:
				node.Properties = append(node.Properties, &accessibility.Property{
					Name: accessibility.PropertyName(name), Value: &accessibility.Value{Value: []byte(value)},
				})
			}
		}
		if depth > 0 {
			parent := path[depth-1]
			parent.ChildIDs = append(parent.ChildIDs, node.NodeID)
			node.ParentID = parent.NodeID
		}
		path = append(path[:depth], node)
		list = append(list, node)
	}
	return list
}

func TestBuildShowsWhatAPersonPerceives(t *testing.T) {
	for _, c := range []struct{ name, outline, want string }{
		{"ignored nodes are replaced by their children", "main\n  !none\n    !none\n      button \"B\"", "- main:\n  - button \"B\""},
		{"a root without a role of its own gives its children", "generic\n  button \"A\"\n  button \"B\"", "- button \"A\"\n- button \"B\""},
		{"neighbouring texts of one element are joined",
			"paragraph\n  StaticText \"One \"\n    InlineTextBox \"One \"\n  StaticText \"two\"\n  LineBreak \"x\"\n  StaticText \"three\"", "- paragraph: \"One two\\nthree\""},
		{"texts of two blocks are not", "status\n  generic\n    StaticText \"failed\"\n  generic\n    StaticText \"API\"\n  StaticText \"x\"",
			"- status:\n  - text: failed\n  - text: API\n  - text: x"},
		{"a flex row's items are blocks too", "main\n  !none\n    StaticText \"a\"\n  !none\n    StaticText \"b\"", "- main:\n  - text: a\n  - text: b"},
		{"a text that repeats the name goes", "button \"Open\"\n  StaticText \"Open\"", "- button \"Open\""},
		{"and so do several that make up the name", "button \"icon Label\"\n  StaticText \"icon\"\n  generic\n    StaticText \"Label\"", "- button \"icon Label\""},
		{"but not a text beside other children", "treeitem \"ti\"\n  StaticText \"ti\"\n  img \"i\"", "- treeitem \"ti\":\n  - text: ti\n  - img \"i\""},
		{"list markers go", "listitem level=1\n  ListMarker \"• \"\n  StaticText \"a\"", "- listitem: a"},
		{"a field has a value and no inner life", "textbox \"M\" value=\"hi\" required=true readonly=false invalid=\"false\"\n  generic\n    StaticText \"hi\"",
			"- textbox \"M\" [required]:\n  - /value: hi"},
		{"a range's value is rounded", "progressbar value=0.30000001192092896 valuetext=\"\"", "- progressbar:\n  - /value: \"0.3\""},
		{"numbers that are text stay text", "spinbutton value=\"007\"", "- spinbutton:\n  - /value: \"007\""},
		{"a select keeps its options", "combobox \"s\" value=\"1\" expanded=false\n  MenuListPopup\n    option \"1\" selected=true\n    option \"2\" selected=false",
			"- combobox \"s\" [expanded=false]:\n  - /value: \"1\"\n  - option \"1\" [selected]\n  - option \"2\""},
		{"true is the bare flag, and flags are ordered", "checkbox \"c\" checked=\"true\" disabled=true busy=true", "- checkbox \"c\" [busy] [checked] [disabled]"},
		{"an unpressed toggle shows that it is one", "button \"b\" pressed=\"false\"", "- button \"b\" [pressed=false]"},
		{"an unchecked box does not", "checkbox \"c\" checked=\"false\"", "- checkbox \"c\""},
		{"a mixed box is mixed", "checkbox \"c\" checked=\"mixed\"", "- checkbox \"c\" [checked=mixed]"},
		{"a live region by role needs no flag", "status live=\"polite\"", "- status"},
		{"a live region by attribute does", "group live=\"polite\"", "- group [live=polite]"},
		{"levels of headings count", "heading \"h\" level=2", "- heading \"h\" [level=2]"},
		{"a description is a property", "button \"b\" description=Deletes", "- button \"b\":\n  - /description: Deletes"},
		{"white space in names is collapsed", "button \"  a \\n b\\u00a0 \"", "- button \"a b\""},
		{"soft hyphens and zero-width spaces go", "paragraph\n  StaticText \"Donau\\u00addampf\\u200bschiff\"", "- paragraph: Donaudampfschiff"},
		{"text of only spaces goes", "paragraph\n  StaticText \"  \"\n  img", "- paragraph:\n  - img"},
		{"an unknown flag value counts as the bare flag", "textbox invalid=\"odd\"", "- textbox [invalid]"},
		{"an impossible level goes", "heading level=0", "- heading"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := aria.Build(aria.Source{Nodes: nodes(t, c.outline), Root: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := aria.Print(tree)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(aria.Header+"\n"+c.want+"\n", got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuildTakesAriaCurrentFromBesideTheTree(t *testing.T) {
	tree, err := aria.Build(aria.Source{
		Nodes: nodes(t, "navigation\n  link \"a\"\n  link \"b\"\n  link \"c\"\n  link \"d\""), Root: 1,
		Current: map[cdp.BackendNodeID]string{2: "page", 3: "false", 4: "true", 5: "odd"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := aria.Print(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := "# aria 1\n- navigation:\n  - link \"a\" [current=page]\n  - link \"b\"\n  - link \"c\" [current]\n  - link \"d\" [current]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBuildTakesOnlyTheRegion(t *testing.T) {
	tree, err := aria.Build(aria.Source{Nodes: nodes(t, "RootWebArea\n  main\n    img \"in\"\n  img \"out\""), Root: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := aria.Print(tree); got != "# aria 1\n- main:\n  - img \"in\"\n" {
		t.Error(got)
	}
}

func TestBuildSaysThatTheRootIsHiddenOrGone(t *testing.T) {
	if _, err := aria.Build(aria.Source{Nodes: nodes(t, "main"), Root: 99}); err == nil || !strings.Contains(err.Error(), "hidden or gone") {
		t.Error(err)
	}
}
