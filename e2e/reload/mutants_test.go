package reload_test

import (
	"testing"

	"keylane/scaffold"
)

// A page that shows only what it has heard itself would be seen, in the middle of an answer.
func TestAHalfAnswerThatIsGoneAfterAReloadWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(reloads(streaming))
	mutant.Edits = []scaffold.Edit{{
		File: "shared/keylane.js", Find: `case"assistant/chunk":`,
		Put: `case"assistant/chunk":if(performance.getEntriesByType("navigation")[0].type==="reload")return;`,
	}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "streaming was captured before in this run and is different now", "The sea it is.")
}
