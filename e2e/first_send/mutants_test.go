package first_send_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// broken runs a scenario with a page that is changed in one place; what it awaits may never come.
func broken(t *testing.T, scenario scaffold.Scenario, edit scaffold.Edit) []string {
	t.Helper()
	scaffold.OnlyReplay(t)
	scenario.Edits = []scaffold.Edit{edit}
	return scaffold.TrialWithin(t, 15*time.Second, func(t scaffold.T) { scaffold.Run(t, scenario) })
}

func TestASessionThatWorksElsewhereWouldBeSeen(t *testing.T) {
	failures := broken(t, firstSend(), scaffold.Edit{File: "shared/keylane.js", Find: `\.\.\.this\.chosen\.value,\.\.\.this\.place\(\)`, Put: `...this.chosen.value`})
	scaffold.WantSeen(t, failures, "/garden/notes", "bulbs.txt holds")
}

func TestAChoiceThatAReloadForgetsWouldBeSeen(t *testing.T) {
	failures := broken(t, firstSend(), scaffold.Edit{File: "shared/keylane.js", Find: `(\w+)\((\w+)\((\w+)\)\?\?void 0\)`, Put: `${1}(void 0)`})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", `"Choose workspace, current: notes"`)
}

// Whoever goes up would have to look for where they were.
func TestAWayUpThatForgetsWhereItCameFromWouldBeSeen(t *testing.T) {
	failures := broken(t, firstSend(), scaffold.Edit{File: "assets/parts/dialog-*.js", Find: `this\.go\((\w+)\.path,\w+\.at\(-1\)\?\.path\)`, Put: `this.go(${1}.path)`})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", `[data-folder="garden"]`)
}

func TestADialogThatKeepsTheFocusWouldBeSeen(t *testing.T) {
	failures := broken(t, firstSend(), scaffold.Edit{File: "plugins/workspace/client.js", Find: `\w+\.current\.focus\(\{preventScroll:!0\}\)`, Put: `0`})
	scaffold.WantSeen(t, failures, `not at "Choose workspace, current: notes"`)
}

func TestAMessageThatIsLostWithItsFolderWouldBeSeen(t *testing.T) {
	failures := broken(t, vanished(), scaffold.Edit{File: "plugins/composer/client.js", Find: `\|\|\w+\(\w+,\w+\),(!\w+&&\w+\.value\?\.place)`, Put: `||0,${1}`})
	scaffold.WantSeen(t, failures, `the draft is ""`, "vanished.aria differs")
}

// Choosing what is not there any more would look like success.
func TestADialogThatClosesWhateverHappensWouldBeSeen(t *testing.T) {
	failures := broken(t, dialogFailures(), scaffold.Edit{File: "assets/parts/dialog-*.js", Find: `try\{await (\w+)\.take\((\w+)\),`, Put: `try{${1}.take(${2}).catch(()=>{}),`})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", "alert")
}

// Somebody who does not read English would be told why in English.
func TestADialogThatDoesNotKnowTheReasonsWouldBeSeen(t *testing.T) {
	failures := broken(t, dialogFailures(), scaffold.Edit{File: "assets/parts/dialog-*.js", Find: `\.details\.reason`, Put: `.details.cause`})
	scaffold.WantSeen(t, failures, `want "there is no such folder." in it`)
}
