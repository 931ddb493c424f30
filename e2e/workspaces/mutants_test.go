package workspaces_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

const (
	shared = "shared/keylane.js"
	plugin = "plugins/sidebar/client.js"
)

// broken runs a scenario with a page that is changed in one place; what it awaits may never come.
func broken(t *testing.T, scenario scaffold.Scenario, edit scaffold.Edit) []string {
	t.Helper()
	scaffold.OnlyReplay(t)
	scenario.Edits = []scaffold.Edit{edit}
	return scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, scenario) })
}

func TestADeletionThatTakesASessionWithItWouldBeSeen(t *testing.T) {
	failures := broken(t, remove(), scaffold.Edit{
		File: shared, Find: `this\.rpc\.call\("workspace\.delete",\{workspaceId:\w+\}\)`, Put: `Promise.all([${0},this.rpc.call("session.delete",{sessionId:"session-first"})])`,
	})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", `"Ungrouped 3 sessions"`)
}

func TestADeletionThatOtherPagesAreNotToldWouldBeSeen(t *testing.T) {
	failures := broken(t, remove(), scaffold.Edit{File: shared, Find: `case"host/workspace-removed"`, Put: `case"host/never"`})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", `"Ungrouped 3 sessions"`)
}

// Enter would delete.
func TestADialogThatOffersToDeleteFirstWouldBeSeen(t *testing.T) {
	failures := broken(t, remove(), scaffold.Edit{File: plugin, Find: `autoFocus:!0,(onClick:\w+,children:\w+\("cancel"\)\}\),\w+\(\w+,\{)`, Put: "${1}autoFocus:!0,"})
	scaffold.WantSeen(t, failures, `the focus is at "Delete", not at "Cancel"`)
}

func TestATakenNameThatCanBeGivenWouldBeSeen(t *testing.T) {
	failures := broken(t, rename(), scaffold.Edit{File: shared, Find: `!==""&&(\w+\.some\(\w+=>\w+\.workspaceId!==)`, Put: `!==""&&!1&&$1`})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", "alert")
}

func TestTwoFoldersThatAreCalledAlikeWouldBeSeen(t *testing.T) {
	failures := broken(t, rename(), scaffold.Edit{File: plugin, Find: `\.length>1&&(\w+\(\w+,\w+\)\?)`, Put: ".length>99&&$1"})
	scaffold.WantSeen(t, failures, `app (west) 1 session`)
}

func TestASessionThatBeginsInAnotherFolderWouldBeSeen(t *testing.T) {
	failures := broken(t, add(), scaffold.Edit{File: plugin, Find: `chosenWorkspace\.value=\w+,`, Put: "chosenWorkspace.value=void 0,"})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", "plans 1 session")
}

func TestAnOrderThatPagesAreNotToldWouldBeSeen(t *testing.T) {
	failures := broken(t, reorder(), scaffold.Edit{File: shared, Find: `case"host/workspaces-ordered"`, Put: `case"host/never"`})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", "app (west)")
}

func TestARefusedDropThatIsNotSaidWouldBeSeen(t *testing.T) {
	failures := broken(t, refused(), scaffold.Edit{File: plugin, Find: `\w+\.failure&&`, Put: "!1&&"})
	scaffold.WantSeen(t, failures, "the trial's 10s are over", "alert")
}

func TestARowThatIsGoneToAndNotSeenWouldBeSeen(t *testing.T) {
	failures := broken(t, long(), scaffold.Edit{File: plugin, Find: `\.scrollTop=(\w+)-`, Put: ".scrollTop=0*$1-"})
	scaffold.WantSeen(t, failures, "is not to be seen")
}
