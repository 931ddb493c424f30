package strictyaml_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"keylane/replay/strictyaml"
)

// order is a small file of the kind that the lane has.
type order struct {
	name, note string
	counts     []int
}

func read(text string) (order, error) {
	f := strictyaml.File{Room: "kitchen", Name: "order.yml"}
	root, err := f.Root([]byte(text), "it needs `name:`")
	if err != nil {
		return order{}, err
	}
	var o order
	err = f.Fields(root, "an order", strictyaml.Fields{
		"name": f.Word(&o.name), "note": f.Text(&o.note),
		"counts": func(n *yaml.Node) error {
			return f.Items(n, "counts", func(item *yaml.Node) error {
				o.counts = append(o.counts, 0)
				return f.Number(&o.counts[len(o.counts)-1], 1, 9)(item)
			})
		},
	})
	return o, err
}

func TestAFileIsReadAsWritten(t *testing.T) {
	o, err := read("name: tea\nnote: ''\ncounts: [1, 0x2]\n")
	if err != nil || o.name != "tea" || len(o.counts) != 2 || o.counts[1] != 2 {
		t.Errorf("%+v %v", o, err)
	}
}

func TestEveryMistakeHasItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "kitchen: order.yml:1:1: the file is empty: it needs `name:`",
		"name: a\n---\nname: b":  "kitchen: order.yml: there is more than one YAML document, or text behind the first",
		"name: a\n\tnote: b":     "kitchen: order.yml:2:1: not YAML: ",
		"[]":                     "kitchen: order.yml:1:1: an order must be a mapping",
		"nam: a":                 `kitchen: order.yml:1:1: an order has no key "nam"`,
		"? [a]\n: b":             `kitchen: order.yml:1:3: an order has no key ""`,
		"name: a\nname: b":       `kitchen: order.yml:2:1: an order has the key "name" twice`,
		"name: 3":                "kitchen: order.yml:1:7: this must be a text that is not empty: put it in quotes",
		"name: ''":               "kitchen: order.yml:1:7: this must be a text that is not empty: put it in quotes",
		"note: true":             "kitchen: order.yml:1:7: this must be a text: put it in quotes",
		"counts: 1":              "kitchen: order.yml:1:9: counts must be a list",
		"counts: [1, 10]":        "kitchen: order.yml:1:13: this must be a whole number from 1 to 9",
		"counts: ['1']":          "kitchen: order.yml:1:10: this must be a whole number from 1 to 9",
		"name: &a b\nnote: *a\n": "kitchen: order.yml:2:7: this must be a text: put it in quotes",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}
