package sidebar_test

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
	return scaffold.TrialWithin(t, 15*time.Second, func(t scaffold.T) { scaffold.Run(t, scenario) })
}

func TestSessionsThatAreOldestFirstWouldBeSeen(t *testing.T) {
	failures := broken(t, looks(), scaffold.Edit{File: shared, Find: `(\w)\.updatedAt-(\w)\.updatedAt`, Put: "$2.updatedAt-$1.updatedAt"})
	scaffold.WantSeen(t, failures, "differs from what was captured", `row 0 is not "Plan the new lock now"`)
}

func TestAKeyThatGoesNowhereWouldBeSeen(t *testing.T) {
	failures := broken(t, keyboard(), scaffold.Edit{File: plugin, Find: `case"End":`, Put: `case"Ende":`})
	scaffold.WantSeen(t, failures, `not at "水闸检修"`)
}

func TestAMoveThatPagesAreNotToldWouldBeSeen(t *testing.T) {
	failures := broken(t, reorder(), scaffold.Edit{File: shared, Find: `case"host/workspace-changed"`, Put: `case"host/never"`})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", `aria-posinset="2"`)
}

func TestASessionThatWaitsAndLooksAsIfItRanWouldBeSeen(t *testing.T) {
	failures := broken(t, marks(), scaffold.Edit{File: plugin, Find: `\w+\.waiting\.value\.has\(\w+\)\?"waiting":`, Put: ""})
	scaffold.WantSeen(t, failures, "the trial's 15s are over", ask+" now, Running")
}
