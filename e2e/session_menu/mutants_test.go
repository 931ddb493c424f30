package session_menu_test

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

func TestADeletionThatOnlyPutsAwayWouldBeSeen(t *testing.T) {
	failures := broken(t, remove(), scaffold.Edit{
		File: "shared/keylane.js", Find: `"session\.delete",\{sessionId:(\w+)\}`, Put: `"workspace.archiveSession",{sessionId:$1,archived:true}`,
	})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", `heading "Generated session-second"`)
}

// Enter would delete.
func TestADialogThatOffersToDeleteFirstWouldBeSeen(t *testing.T) {
	failures := broken(t, remove(), scaffold.Edit{File: "plugins/sidebar/client.js", Find: `autoFocus:!0,(onClick:\w+,children:\w+\("cancel"\)\}\),\w+\(\w+,\{)`, Put: "${1}autoFocus:!0,"})
	scaffold.WantSeen(t, failures, `the focus is at "Delete", not at "Cancel"`, "after Cancel")
}

func TestANameThatOtherPagesAreNotToldWouldBeSeen(t *testing.T) {
	failures := broken(t, rename(), scaffold.Edit{File: "shared/keylane.js", Find: `case"host/session-changed"`, Put: `case"host/never"`})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", `"Water the roses 2h"`)
}

func TestAForkWithANameThatIsTakenWouldBeSeen(t *testing.T) {
	failures := broken(t, fork(), scaffold.Edit{File: "shared/keylane.js", Find: `this\.lists\.sessions\.value\.map\(\w+=>\w+\.title\)`, Put: "[]"})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", "(2)")
}
