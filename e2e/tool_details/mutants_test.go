package tool_details_test

import (
	"testing"

	"keylane/scaffold"
)

// Rows that give something else, or hang together, would be seen.
func TestRowsThatAreOtherwiseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const plugin, model = "plugins/conversation/client.js", "shared/keylane.js"
	for _, mutant := range []struct {
		name string
		from scaffold.Scenario
		edit scaffold.Edit
		says []string
	}{
		{"a copy without white space around it", opened(t, copies), scaffold.Edit{File: model, Find: `navigator\.clipboard\.writeText\(([\w$]+)\)`, Put: `navigator.clipboard.writeText($1.trim())`}, []string{"Copy output copied \"first"}},
		{"rows that open together", opened(t, independent), scaffold.Edit{File: plugin, Find: `([\w$]+)\.get\([\w$]+\);if\(([\w$]+)\)return [\w$]+;let ([\w$]+)=([\w$]+)\(!1\);return ([\w$]+)\.set\([\w$]+,`, Put: `$1.get("all");if($2)return $2;let $3=$4(!1);return $5.set("all",`}, []string{"the rows that are open are"}},
		{"rows that close when they leave the screen", opened(t, independent), scaffold.Edit{File: model, Find: `(open:[\w$]+,children:[\w$]+\}\)\{let ([\w$]+)=[\w$]+\(!1\),[\w$]+)=[\w$]+\?\?[\w$]+`, Put: `$1=$2`}, []string{`the rows that are open are [], want ["Edit`}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			mutant.from.Edits = []scaffold.Edit{mutant.edit}
			scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant.from) }), mutant.says...)
		})
	}
}
