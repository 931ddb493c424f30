package history_test

import (
	"bytes"
	"testing"

	"keylane/scaffold"
)

// A page, or a disk, that is wrong in one row would be seen.
func TestARowThatIsWrongWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const model = "shared/keylane.js"
	for _, mutant := range []struct {
		name  string
		from  scaffold.Scenario
		edits []scaffold.Edit
		says  []string
	}{
		{"an unknown event is hidden", everyKind(t), []scaffold.Edit{{File: model, Find: `kind:"unknown"`, Put: `kind:"never"`}}, []string{"0 rows of the kind unknown"}},
		{"a rejected call looks failed", everyKind(t), []scaffold.Edit{{File: model, Find: `\["APPROVAL_REJECTED","rejected"\]`, Put: `["APPROVAL_REJECTED","failed"]`}}, []string{"differs from what was captured"}},
		{"a retried turn looks failed", recovered(t), []scaffold.Edit{{File: model, Find: `=== ?"retry"\)`, Put: `==="never")`}}, []string{"a failure that was retried"}},
		{"another log lies on disk", opened(bytes.Replace(everything(t), []byte("slowly"), []byte("quickly"), 1), everyKind(t).Drive), nil, []string{"differs from what was captured"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			mutant.from.Edits = mutant.edits
			scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant.from) }), mutant.says...)
		})
	}
}
