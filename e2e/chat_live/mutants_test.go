package chat_live_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// limit is how long a mutant may wait for what never comes.
const limit = 30 * time.Second

func TestAConversationThatGoesOtherwiseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const rows = "plugins/conversation/client.js"
	for _, mutant := range []struct {
		name  string
		edits []scaffold.Edit
		says  string
	}{
		{"nothing is followed", []scaffold.Edit{
			{File: rows, Find: `(:[\w$]+\.value\?[\w$]+\(!1\):)[\w$]+\([\w$]+\.scrollHeight\)`, Put: `${1}void 0`},
			{File: rows, Find: `![\w$]+\.value&&![\w$]+\.current\.holding&&[\w$]+\(\)&&[\w$]+\([\w$]+\.scrollHeight\)`, Put: `void 0`},
		}, "px above the bottom"},
		{"neighbours share what is open", []scaffold.Edit{{
			File: rows, Find: `([\w$]+)=([\w$]+)\.get\([\w$]+\);if\([\w$]+\)return [\w$]+;let ([\w$]+)=([\w$]+)\(!1\);return [\w$]+\.set\([\w$]+,[\w$]+\)`,
			Put: `$1=$2.get("");if($1)return $1;let $3=$4(!1);return $2.set("",$3)`,
		}}, "the calls are expanded [true true]"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := scenario()
			broken.Edits = mutant.edits
			scaffold.WantSeen(t, scaffold.TrialWithin(t, limit, func(t scaffold.T) { scaffold.Run(t, broken) }), mutant.says)
		})
	}
}
