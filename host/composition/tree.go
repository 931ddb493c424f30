package composition

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Tree is the list of rows after all patches. It does not change any more.
type Tree struct{ rows []*row }

type row struct {
	id       string
	plugin   string
	required bool
	disabled bool

	at         place // of the row itself
	pluginAt   place
	config     *yaml.Node // nil means the plugin's defaults
	configFile string     // of config: a later layer than the row's may have set it
	disabledIn string     // the layer that disabled it, for reports
	setIn      string     // the last layer that set something of it
}

func (r *row) info() RowInfo {
	return RowInfo{ID: r.id, Plugin: r.plugin, Required: r.required, Place: r.at.String(), Layer: r.setIn}
}

// Load reads the layers in order, the base first, and applies each patch to the
// result of those before it. It reports every error it finds, not just the first;
// each is an *Error with its place. Plugins and configs are checked by Boot,
// which knows the plugins.
func Load(layers ...Layer) (*Tree, error) {
	if len(layers) == 0 || !layers[0].Base {
		return nil, errors.New("composition: loading: the first layer must be the base")
	}
	t := &Tree{}
	var problems []error
	for i, l := range layers {
		if l.Base && i > 0 {
			problems = append(problems, place{file: l.Name}.errorf("", "a second base; only the first layer is one"))
			continue
		}
		items, err := parseLayer(l)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, item := range items {
			if l.Base {
				problems = append(problems, t.insertRow(l.Name, item, len(t.rows))...)
			} else {
				problems = append(problems, t.patch(l.Name, item)...)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("composition: loading: %w", err)
	}
	return t, nil
}

func (t *Tree) find(id string) (int, *row) {
	for i, r := range t.rows {
		if r.id == id {
			return i, r
		}
	}
	return -1, nil
}

func (t *Tree) ids() string {
	names := make([]string, len(t.rows))
	for i, r := range t.rows {
		names[i] = r.id
	}
	return list(names)
}

func (t *Tree) insertRow(file string, n *yaml.Node, position int) []error {
	e, problems := parseEntry(file, n, keyID, keyPlugin, keyConfig, keyDisabled, keyRequired)
	if len(problems) > 0 {
		return problems
	}
	if e.id == nil {
		return []error{e.at.errorf("", "the row has no id")}
	}
	if !idPattern.MatchString(e.id.value) {
		return []error{e.id.at.errorf(e.id.value, "an id is lower-case words joined by dashes")}
	}
	if e.plugin == nil {
		return []error{e.at.errorf(e.id.value, "the row names no plugin")}
	}
	if _, other := t.find(e.id.value); other != nil {
		return []error{e.id.at.errorf(e.id.value, "the id is taken by the row at %s", other.at)}
	}
	r := &row{id: e.id.value, plugin: e.plugin.value, at: e.at, pluginAt: e.plugin.at}
	r.set(file, e)
	t.rows = slices.Insert(t.rows, position, r)
	return nil
}

func (r *row) set(file string, e entry) {
	r.setIn = file
	if e.config != nil {
		r.config, r.configFile = e.config, file
		if isNull(e.config) {
			r.config = nil
		}
	}
	if e.disabled != nil {
		r.disabled, r.disabledIn = *e.disabled, file
	}
	if e.required != nil {
		r.required = *e.required
	}
}

func (t *Tree) patch(file string, n *yaml.Node) []error {
	e, problems := parseEntry(file, n, keyID, keyPlugin, keyConfig, keyDisabled, keyRequired, keyInsert, keyAfter)
	if len(problems) > 0 {
		return problems
	}
	if e.insert != nil {
		if e.id != nil || e.plugin != nil || e.config != nil || e.disabled != nil || e.required != nil {
			return []error{e.at.errorf("", "a patch either changes a row (id) or inserts rows (insert, after), not both")}
		}
		return t.insertAll(file, e)
	}
	switch {
	case e.id == nil:
		return []error{e.at.errorf("", "the patch has neither id nor insert")}
	case e.after != nil:
		return []error{e.after.at.errorf(e.id.value, "after belongs to insert; a row keeps its place")}
	}
	_, r := t.find(e.id.value)
	if r == nil {
		return []error{e.id.at.errorf(e.id.value, "no row has this id; rows: %s", t.ids())}
	}
	if e.plugin != nil && e.plugin.value != r.plugin {
		return []error{e.plugin.at.errorf(r.id, "the patch expects plugin %q, the row at %s has %q; to replace a plugin disable the row and insert another",
			e.plugin.value, r.at, r.plugin)}
	}
	if e.plugin == nil && e.config == nil && e.disabled == nil && e.required == nil {
		return []error{e.at.errorf(r.id, "the patch changes nothing")}
	}
	r.set(file, e)
	return nil
}

func (t *Tree) insertAll(file string, e entry) []error {
	position := len(t.rows)
	if e.after != nil {
		i, _ := t.find(e.after.value)
		if i < 0 {
			return []error{e.after.at.errorf(e.after.value, "no row has this id to insert after; rows: %s", t.ids())}
		}
		position = i + 1
	}
	var problems []error
	for _, item := range e.insert.Content {
		before := len(t.rows)
		problems = append(problems, t.insertRow(file, item, position)...)
		position += len(t.rows) - before
	}
	return problems
}

func contains(all []string, one string) bool { return slices.Contains(all, one) }

func list(all []string) string { return strings.Join(all, ", ") }

// Config decodes the config of row id, as written so far, over what target points to.
// It is strict as a boot is, and asks the config's Validate as well. Use it to change part of a config with a patch, which
// replaces configs whole.
func (t *Tree) Config(id string, target any) error {
	_, r := t.find(id)
	if r == nil {
		return fmt.Errorf("composition: no row has the id %q; rows: %s", id, t.ids())
	}
	if r.config == nil {
		return nil
	}
	if problems := decodeConfig(r.configFile, r.id, r.config, reflect.ValueOf(target).Elem()); len(problems) > 0 {
		return fmt.Errorf("composition: %w", errors.Join(problems...))
	}
	if err := validate(r, target); err != nil {
		return fmt.Errorf("composition: %w", err)
	}
	return nil
}
