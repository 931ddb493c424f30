package plugin_failure_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// Each link is broken once, and the scenario's own check sees it.
func TestABrokenLinkWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, mutant := range map[string]struct {
		edit  scaffold.Edit
		spoil func(*scaffold.Scenario)
		says  []string
	}{
		"a plugin that fails by halves keeps what it had registered": {
			edit: scaffold.Edit{File: "assets/shell.js", Find: `this\.slots\.remove\(\w+\),`, Put: ""},
			says: []string{`the page shows "HALF A PLUGIN"`},
		},
		"a notice that does not say why": {
			edit: scaffold.Edit{File: "assets/shell.js", Find: `setState\(\{reason:`, Put: `setState({reason:""&&`},
			says: []string{"the notices say"},
		},
		"a button that does nothing": {
			edit: scaffold.Edit{File: "assets/shell.js", Find: `\w+\(\(\)=>\{\w+\(\w+\),\w+\.remove\(\w+\)\}\)`, Put: "0"},
			says: []string{"the notices say"},
		},
		"handlers that nobody watches": {
			edit: scaffold.Edit{File: "shared/keylane.js", Find: `addEventListener\("error"`, Put: `addEventListener("never"`},
			says: []string{`[data-plugin-failed="guest-handles"]`},
		},
		"a report without rows that failed": {
			edit: scaffold.Edit{File: "plugins/about/client.js", Find: `state==="failed"\)`, Put: `state==="never")`},
			says: []string{`"Show report"`},
		},
		"errors that are not told": {
			spoil: func(s *scaffold.Scenario) { s.WantErrors = append(s.WantErrors, "never said") },
			says:  []string{"the page did not report the error that the scenario is about: never said"},
		},
		"an error that nobody announced": {
			spoil: func(s *scaffold.Scenario) { s.WantErrors = errors[1:] },
			says:  []string{"console error", "guest-loads failed (load)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			broken := scenario()
			if mutant.edit.File != "" {
				broken.Edits = []scaffold.Edit{mutant.edit}
			}
			if mutant.spoil != nil {
				mutant.spoil(&broken)
			}
			failures := scaffold.TrialWithin(t, 12*time.Second, func(t scaffold.T) { scaffold.Run(t, broken) })
			scaffold.WantSeen(t, failures, mutant.says...)
		})
	}
}
