package composition

import (
	"fmt"
	"reflect"
	"strings"
)

// plan is the outcome of everything that can be known before anything starts.
type plan struct {
	order   []planned
	pending []Pending
	off     []Off
}

type planned struct {
	row    *row
	plugin Plugin
	config reflect.Value
}

// resolve finds the rows' plugins and decodes their configs, of disabled rows
// too: a typo does not become right by being switched off.
func (t *Tree) resolve(plugins []Plugin) ([]planned, []error) {
	byName := map[string]Plugin{}
	var problems []error
	for _, p := range plugins {
		if _, twice := byName[p.name]; twice {
			problems = append(problems, fmt.Errorf("two plugins are called %q", p.name))
		}
		byName[p.name] = p
	}
	var all []planned
	for _, r := range t.rows {
		p, ok := byName[r.plugin]
		if !ok {
			problems = append(problems, r.pluginAt.errorf(r.id, "no plugin is called %q", r.plugin))
			continue
		}
		config := p.defaults()
		if r.config != nil {
			if bad := decodeConfig(r.configFile, r.id, r.config, config); len(bad) > 0 {
				problems = append(problems, bad...)
				continue
			}
		}
		if err := validate(r, config.Interface()); err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, planned{r, p, config})
	}
	return all, problems
}

// arrange orders the rows by their services, keeping tree order where services
// leave a choice, and says which rows wait for ever.
func arrange(all []planned, supplied map[string]any) (plan, []error) {
	var result plan
	var problems []error
	var enabled []planned
	provider := map[string]*row{}
	off := map[string]*row{}
	for _, p := range all {
		if p.row.disabled {
			result.off = append(result.off, Off{p.row.info(), p.row.disabledIn})
			for _, name := range p.plugin.provides {
				off[name] = p.row
			}
			continue
		}
		enabled = append(enabled, p)
		for _, name := range p.plugin.provides {
			if _, taken := supplied[name]; taken {
				problems = append(problems, p.row.at.errorf(p.row.id, "service %q is already supplied by the program", name))
			} else if other := provider[name]; other != nil {
				problems = append(problems, p.row.at.errorf(p.row.id, "service %q is already provided by row %q at %s", name, other.id, other.at))
			} else {
				provider[name] = p.row
			}
		}
	}
	if len(problems) > 0 {
		return result, problems
	}

	waits := pendingRows(enabled, provider, supplied)
	available := map[string]bool{}
	for name := range supplied {
		available[name] = true
	}
	started := map[*row]bool{}
	for {
		next := -1
		for i, p := range enabled {
			if !started[p.row] && waits[p.row] == nil && len(missing(p.plugin, available)) == 0 {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		p := enabled[next]
		started[p.row] = true
		result.order = append(result.order, p)
		for _, name := range p.plugin.provides {
			available[name] = true
		}
	}
	for _, p := range enabled {
		if started[p.row] {
			continue
		}
		names := waits[p.row]
		if names == nil {
			problems = append(problems, p.row.at.errorf(p.row.id, "waits in a circle: it needs %s", describeRing(missing(p.plugin, available), provider)))
			continue
		}
		entry := Pending{Row: p.row.info(), Waits: names, Reasons: make([]string, len(names))}
		for i, name := range names {
			entry.Reasons[i] = reason(name, provider, off)
		}
		result.pending = append(result.pending, entry)
		if p.row.required {
			problems = append(problems, p.row.at.errorf(p.row.id, "required, but it waits for %s", strings.Join(entry.Reasons, " and ")))
		}
	}
	return result, problems
}

// pendingRows returns, for each row that can never start, the services it waits
// for: those nobody provides, and those whose provider is itself pending.
func pendingRows(enabled []planned, provider map[string]*row, supplied map[string]any) map[*row][]string {
	waits := map[*row][]string{}
	for changed := true; changed; {
		changed = false
		for _, p := range enabled {
			var names []string
			for _, name := range p.plugin.needs {
				if _, ok := supplied[name]; ok {
					continue
				}
				if from := provider[name]; from == nil || waits[from] != nil {
					names = append(names, name)
				}
			}
			if len(names) != len(waits[p.row]) {
				waits[p.row] = names
				changed = true
			}
		}
	}
	return waits
}

func missing(p Plugin, available map[string]bool) []string {
	var names []string
	for _, name := range p.needs {
		if !available[name] {
			names = append(names, name)
		}
	}
	return names
}

func describeRing(names []string, provider map[string]*row) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("service %q of row %q", name, provider[name].id)
	}
	return strings.Join(parts, " and ")
}

func reason(name string, provider, off map[string]*row) string {
	if from := provider[name]; from != nil {
		return fmt.Sprintf("service %q of row %q, which waits itself", name, from.id)
	}
	if from := off[name]; from != nil {
		return fmt.Sprintf("service %q, whose row %q is disabled (%s)", name, from.id, from.disabledIn)
	}
	return fmt.Sprintf("service %q, which no row provides", name)
}

// stranded returns the rows of rest that cannot start without what failed would have provided, in start order. rest is in start order.
func stranded(failed planned, rest []planned) []planned {
	gone := map[string]bool{}
	for _, name := range failed.plugin.provides {
		gone[name] = true
	}
	var out []planned
	for _, p := range rest {
		if !needsOneOf(p.plugin, gone) {
			continue
		}
		out = append(out, p)
		for _, name := range p.plugin.provides {
			gone[name] = true
		}
	}
	return out
}

func needsOneOf(p Plugin, services map[string]bool) bool {
	for _, name := range p.needs {
		if services[name] {
			return true
		}
	}
	return false
}
