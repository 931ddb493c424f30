package lint

import (
	"fmt"
	"strings"
)

// floors is the house of docs/architecture.md as data. A product package may import packages of lower floors, and within its
// own room (a folder and what lies below it) the child may import the parent. The longest matching room counts.
var floors = map[string]int{
	"host/composition": 0, "host/config": 0,
	"host/clock": 1, "host/home": 1, "host/shape": 1, "host/project": 1, "host/directory": 1,
	"host/session": 2, "host/spill": 2,
	"host/persistence": 3, "host/llm": 3, "host/skill": 3, "host/waiting": 3, "host/settings": 3, "host/credentials": 3,
	"host/tool":   4, // tool schemas are part of a model request, so tools stand on llm
	"host/prompt": 5, "host/title": 5, "host/compaction": 5, "host/search": 5, "host/workspace": 5, "host/approval": 5,
	"host/agent":     6,
	"host/api":       7,
	"web":            7, // the bundled client: data, no Go imports
	"host/webserver": 8,
	"host":           9, // plugins.go, the one list
	"host/cmd":       10,
}

// standalone are the scaffold's rooms that know no product, so that they serve any page.
var standalone = []string{"scaffold/chromium", "scaffold/await", "scaffold/aria", "scaffold/golden", "scaffold/report", "scaffold/fault", "scaffold/axe", "scaffold/measure", "scaffold/built"}

// laneMayImport lists, room by room, what each part of the lane may lean on besides itself.
var laneMayImport = []struct {
	room    string
	targets []string
}{
	{"replay", []string{"host"}},
	{"seed", []string{"host"}},
	{"scaffold", []string{"scaffold", "seed", "replay", "host", "web"}},
	{"e2e", []string{"scaffold", "seed", "replay", "host"}},
	{"tools", []string{"scaffold", "seed", "replay", "host"}},
}

func roomOf(folder string) (room string, floor int, ok bool) {
	for candidate, number := range floors {
		if (inside(folder, candidate) || folder == candidate) && len(candidate) > len(room) {
			room, floor, ok = candidate, number, true
		}
	}
	return room, floor, ok
}

// arrow judges one import and returns why it is wrong, or "". Tests in a folder obey the same picture, with one allowance:
// a product test may use its own room's public test suites.
func arrow(from, to string, isTest bool) string {
	if from == to {
		return ""
	}
	fromRoom, fromFloor, fromProduct := roomOf(from)
	toRoom, toFloor, toProduct := roomOf(to)
	switch {
	case fromProduct && !toProduct:
		return fmt.Sprintf("%s is the product and %s is the lane: the lane imports the product, never the other way", from, to)
	case fromProduct && toProduct:
		if fromRoom == toRoom {
			if inside(from, to) || isTest && inside(to, fromRoom) {
				return ""
			}
			return fmt.Sprintf("%s → %s: inside the room %s only a child imports its parent", from, to, fromRoom)
		}
		if toFloor < fromFloor {
			return ""
		}
		return fmt.Sprintf("%s (floor %d) → %s (floor %d): arrows point downwards only", from, fromFloor, to, toFloor)
	}
	if inAny(from, standalone) {
		if inAny(to, standalone) {
			return ""
		}
		return fmt.Sprintf("%s serves any page, so it must not know %s", from, to)
	}
	for _, entry := range laneMayImport {
		if !inside(from, entry.room) {
			continue
		}
		if inside(to, entry.room) && entry.room != "e2e" {
			return ""
		}
		if inAny(to, entry.targets) {
			return ""
		}
		return fmt.Sprintf("%s may lean on %s only, not on %s", entry.room, strings.Join(entry.targets, ", "), to)
	}
	return fmt.Sprintf("%s is in no room of docs/architecture.md", from)
}
