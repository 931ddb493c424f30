package composition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"keylane/host/composition"
)

const base = `- id: clock
  plugin: clock
- id: server
  plugin: server
  required: true
  config:
    host: 127.0.0.1
    port: 3080
`

func load(t *testing.T, patches ...string) (*composition.Tree, error) {
	t.Helper()
	layers := []composition.Layer{{Name: "base.yml", Data: []byte(base), Base: true}}
	for i, p := range patches {
		layers = append(layers, composition.Layer{Name: []string{"a.yml", "b.yml"}[i], Data: []byte(p)})
	}
	return composition.Load(layers...)
}

func dump(t *testing.T, tree *composition.Tree) string {
	t.Helper()
	var b strings.Builder
	if err := tree.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryMistakeInAFileIsNamedWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ layer, want string }{
		"unmatched id":            {"- id: clock\n  disabled: true\n- id: clok\n  disabled: true\n", `a.yml:3:7: row "clok": no row has this id; rows: clock, server`},
		"unknown key":             {"- {id: clock, disable: true}\n", `a.yml:1:15: row "clock": unknown key "disable"; known: id, plugin, config, disabled, required, insert, after`},
		"plugin assertion":        {"- id: clock\n  plugin: sundial\n", `a.yml:2:11: row "clock": the patch expects plugin "sundial", the row at base.yml:1:3 has "clock"; to replace a plugin disable the row and insert another`},
		"duplicate id":            {"- insert:\n  - {id: clock, plugin: clock}\n", `a.yml:2:10: row "clock": the id is taken by the row at base.yml:1:3`},
		"duplicate among inserts": {"- insert:\n  - {id: x, plugin: x}\n- insert:\n  - {id: x, plugin: x}\n", `a.yml:4:10: row "x": the id is taken by the row at a.yml:2:5`},
		"key twice":               {"- id: clock\n  disabled: true\n  disabled: false\n", `a.yml:3:3: row "clock": the key "disabled" stands here a second time`},
		"disabled no truth value": {"- id: clock\n  disabled: 'yes'\n", `a.yml:2:13: row "clock": disabled: want true or false, found the text "yes"`},
		"config no mapping":       {"- id: clock\n  config: 3\n", `a.yml:2:11: row "clock": config: want keys and values, found the number 3`},
		"id no text":              {"- id: 7\n  disabled: true\n", `a.yml:1:7: row "7": id: want a text, found the number 7`},
		"neither id nor insert":   {"- disabled: true\n", `a.yml:1:3: the patch has neither id nor insert`},
		"both id and insert":      {"- id: clock\n  insert: []\n", `a.yml:1:3: a patch either changes a row (id) or inserts rows (insert, after), not both`},
		"after on a row":          {"- id: clock\n  disabled: true\n  after: server\n", `a.yml:3:10: row "clock": after belongs to insert; a row keeps its place`},
		"after nobody":            {"- insert: [{id: x, plugin: x}]\n  after: nobody\n", `a.yml:2:10: row "nobody": no row has this id to insert after; rows: clock, server`},
		"insert no list":          {"- insert: {id: x, plugin: x}\n", `a.yml:1:11: insert: want a list of rows, found keys and values`},
		"insert without plugin":   {"- insert:\n  - id: x\n", `a.yml:2:5: row "x": the row names no plugin`},
		"insert without id":       {"- insert:\n  - plugin: x\n", `a.yml:2:5: the row has no id`},
		"odd id":                  {"- insert:\n  - {id: My_Row, plugin: x}\n", `a.yml:2:10: row "My_Row": an id is lower-case words joined by dashes`},
		"changes nothing":         {"- id: clock\n", `a.yml:1:3: row "clock": the patch changes nothing`},
		"a mapping on top":        {"id: clock\n", `a.yml:1:1: want a list of patches, found keys and values`},
		"an item that is a text":  {"- clock\n", `a.yml:1:3: want keys and values, found the text "clock"`},
		"not YAML":                {"- id: clock\n\tdisabled: true\n", `a.yml:2: not YAML: found a tab character that violates indentation`},
		"not YAML, first line":    {"\t- id: clock\n", `a.yml:1: not YAML: found character that cannot start any token`},
		"not closed, second line": {"- id: clock\n  config: {start: x\n", `a.yml:2: not YAML: did not find expected ',' or '}'`},
		"an alias":                {"- id: clock\n  config: &c {a: 1}\n- id: server\n  config: *c\n", `a.yml:2:11: an anchor (&c); write the value out`},
		"two documents":           {"- id: clock\n  disabled: true\n---\n- id: server\n  disabled: true\n", `a.yml:3:1: a second document; one file holds one list`},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := load(t, c.layer)
			if tree != nil || err == nil {
				t.Fatalf("loaded %v, error %v", tree, err)
			}
			if got, want := err.Error(), "composition: loading: "+c.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var at *composition.Error
			if !errors.As(err, &at) || at.File != "a.yml" || at.Line == 0 {
				t.Errorf("no *Error with a place: %#v", at)
			}
		})
	}
}

func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	_, err := load(t, "- {id: a, disabled: true}\n- {id: clock, x: 1}\n", "- {id: b, disabled: true}\n")
	for _, want := range []string{"a.yml:1:8", "a.yml:2:15", "b.yml:1:8"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing in: %v", want, err)
		}
	}
}

func TestThePatchesOfAllLayersApplyInOrderToOneTree(t *testing.T) {
	tree, err := load(t,
		"- insert:\n  - {id: one, plugin: p}\n  - {id: two, plugin: p}\n  after: clock\n- id: server\n  config: {port: 0}\n",
		"- id: one\n  disabled: true\n- id: server\n  plugin: server\n  required: false\n")
	if err != nil {
		t.Fatal(err)
	}
	want := `# base.yml:1:3
- id: clock
  plugin: clock
# a.yml:2:5
- id: one
  plugin: p
  disabled: true
# a.yml:3:5
- id: two
  plugin: p
# base.yml:3:3
- id: server
  plugin: server
  config: {port: 0}
`
	if diff := cmp.Diff(want, dump(t, tree)); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptyLayerChangesNothing(t *testing.T) {
	plain, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range []string{"", "# only a comment\n", "[]\n", "~\n"} {
		tree, err := load(t, layer)
		if err != nil {
			t.Fatalf("%q: %v", layer, err)
		}
		if diff := cmp.Diff(dump(t, plain), dump(t, tree)); diff != "" {
			t.Errorf("%q: %s", layer, diff)
		}
	}
}

func TestADumpHidesSecretsAndLoadsAgain(t *testing.T) {
	tree, err := load(t, "- id: server\n  config: {apiKey: sk-123, apiKeyEnv: NAME, nested: {accessToken: t, list: [{password: p}]}, secret: ''}\n")
	if err != nil {
		t.Fatal(err)
	}
	text := dump(t, tree)
	for _, secret := range []string{"sk-123", " t,", " p}"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is shown:\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "apiKeyEnv: NAME") || strings.Count(text, composition.Redacted) != 3 {
		t.Errorf("hid too much or too little:\n%s", text)
	}
	if _, err := composition.Load(composition.Layer{Name: "dump", Data: []byte(text), Base: true}); err != nil {
		t.Error(err)
	}
}

func TestTheFirstLayerAloneIsTheBase(t *testing.T) {
	for _, layers := range [][]composition.Layer{nil, {{Name: "a"}}, {{Name: "a", Base: true}, {Name: "b", Base: true}}} {
		if _, err := composition.Load(layers...); err == nil {
			t.Errorf("%v loads", layers)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(base, "- {id: clock, disabled: true}\n")
	f.Add(base, "- insert: [{id: x, plugin: y, config: {a: [1, {b: c}]}}]\n  after: clock\n")
	f.Fuzz(func(t *testing.T, first, second string) {
		tree, err := composition.Load(
			composition.Layer{Name: "base", Data: []byte(first), Base: true},
			composition.Layer{Name: "patch", Data: []byte(second)})
		if err != nil {
			return
		}
		var b strings.Builder
		if err := tree.Dump(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := composition.Load(composition.Layer{Name: "dump", Data: []byte(b.String()), Base: true}); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
	})
}
