package chat_interactions_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// limit is how long a mutant may wait for what never comes.
const limit = 30 * time.Second

func TestAConversationThatIsUsedOtherwiseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const rows, model = "plugins/conversation/client.js", "shared/keylane.js"
	for _, mutant := range []struct {
		name  string
		drive func(*scaffold.Stage, *scaffold.Voice)
		edit  scaffold.Edit
		says  string
	}{
		{"rows stand upside down", order, scaffold.Edit{File: rows, Find: `\.rows\.map\(`, Put: `.rows.toReversed().map(`}, "another order than their events"},
		{"neighbours share what is open", disclosures, scaffold.Edit{
			File: rows, Find: `([\w$]+)=([\w$]+)\.get\([\w$]+\);if\([\w$]+\)return [\w$]+;let ([\w$]+)=([\w$]+)\(!1\);return [\w$]+\.set\([\w$]+,[\w$]+\)`,
			Put: `$1=$2.get("");if($1)return $1;let $3=$4(!1);return $2.set("",$3)`,
		}, "the second opened: the first is expanded true"},
		{"a copy is tidied", copies, scaffold.Edit{File: model, Find: `navigator\.clipboard\.writeText\(([\w$]+)\)`, Put: `navigator.clipboard.writeText($1.replaceAll("**",""))`}, "copied \""},
		{"a branch goes too far", forks, scaffold.Edit{File: model, Find: `sessionId:this\.id,atSeq:([\w$]+)\}`, Put: `sessionId:this.id,atSeq:$1+3}`}, "behind the end of turn 80"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := opened(mutant.drive)
			broken.Edits = []scaffold.Edit{mutant.edit}
			scaffold.WantSeen(t, scaffold.TrialWithin(t, limit, func(t scaffold.T) { scaffold.Run(t, broken) }), mutant.says)
		})
	}
}
