package composition

// Part is the tree without the rows that the wanted services do not need: those whose plugins provide them, what these rows need in turn,
// and nothing else. Boot it to use one service of a host without starting the host; what is wrong with the other rows is then no matter.
//
// Disabled rows count as others do, so that the report of such a boot says why a service is not there. The tree itself is not changed.
func (t *Tree) Part(plugins []Plugin, wanted ...Key) *Tree {
	byName := map[string]Plugin{}
	for _, p := range plugins {
		byName[p.name] = p
	}
	services := map[string]bool{}
	for _, key := range wanted {
		services[key.Name()] = true
	}
	taken := map[*row]bool{}
	for grown := true; grown; {
		grown = false
		for _, r := range t.rows {
			p := byName[r.plugin]
			if taken[r] || !providesOneOf(p, services) {
				continue
			}
			taken[r], grown = true, true
			for _, name := range p.needs {
				services[name] = true
			}
		}
	}
	part := &Tree{}
	for _, r := range t.rows {
		if taken[r] {
			part.rows = append(part.rows, r)
		}
	}
	return part
}

func providesOneOf(p Plugin, services map[string]bool) bool {
	for _, name := range p.provides {
		if services[name] {
			return true
		}
	}
	return false
}
