package resume_test

import (
	"testing"

	"keylane/scaffold"
)

// What does not go on where it ended would be seen.
func TestASeamWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name    string
		outcome string
		edit    scaffold.Edit
		says    []string
	}{
		{"a turn that was cut looks whole", "allowed-session", scaffold.Edit{File: "shared/keylane.js", Find: `===("interrupted")\|\|`, Put: `==="never"||`}, []string{"differs from what was captured"}},
		{"a page that misses an event", "allowed-session", scaffold.Edit{File: "shared/keylane.js", Find: `([\w$]+)\.event\.seq<([\w$]+)\|\|\(`, Put: `$1.event.seq<=$2||(`}, []string{"gap repair"}},
		{"leave for once counts for ever", "allowed-once", scaffold.Edit{}, []string{"asks for leave: Run this command?"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			from := scenario(t, mutant.outcome)
			if mutant.edit.File != "" {
				from.Edits = []scaffold.Edit{mutant.edit}
			}
			scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, from) }), mutant.says...)
		})
	}
}
