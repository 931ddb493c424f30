package message_actions_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// limit is how long a mutant may wait for what never comes.
const limit = 20 * time.Second

// Actions that do something else than they say would be seen.
func TestActionsThatDoSomethingElseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const model = "shared/keylane.js"
	for _, mutant := range []struct {
		name string
		from scaffold.Scenario
		edit scaffold.Edit
		says []string
	}{
		{"a copy without white space around it", opened(t, copies), scaffold.Edit{File: model, Find: `navigator\.clipboard\.writeText\(([\w$]+)\)`, Put: `navigator.clipboard.writeText($1.trim())`}, []string{"copied \"Name a lock."}},
		{"a branch of any turn", opened(t, unavailable), scaffold.Edit{File: model, Find: `==="completed"&&(this\.#[\w$]+\.complete\(\))`, Put: `!=="never"&&$1`}, []string{"was branched"}},
		{"a branch that goes on in its parent", branched(t), scaffold.Edit{File: model, Find: `\(await this\.rpc\.call\("session\.fork",\{sessionId:this\.id,atSeq:[\w$]+\}\)\)\.sessionId`, Put: `this.id`}, []string{"the branch is not on the page"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			mutant.from.Edits = []scaffold.Edit{mutant.edit}
			scaffold.WantSeen(t, scaffold.TrialWithin(t, limit, func(t scaffold.T) { scaffold.Run(t, mutant.from) }), mutant.says...)
		})
	}
}
