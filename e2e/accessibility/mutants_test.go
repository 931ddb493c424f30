package accessibility_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/axe"
	"keylane/scaffold/chromium"
	"keylane/scaffold/surfaces"
)

// Pages that some people could not use: each is found on the first surface already, so that the walk ends there.
func TestWhatHindersPeopleWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	script := source(t)
	for name, mutant := range map[string]struct {
		edit scaffold.Edit
		rule string
	}{
		"a choice without a name":   {scaffold.Edit{File: "plugins/composer/client.js", Find: `"aria-label":(\w+\("model"\))`, Put: `"data-label":$1`}, "select-name"},
		"text that is hard to read": {scaffold.Edit{File: "assets/shell.css", Find: `--text-3: light-dark\(#6a665d`, Put: `--text-3: light-dark(#c9c5bc`}, "color-contrast"},
		"dark text on dark ground":  {scaffold.Edit{File: "assets/shell.css", Find: `(--text-3: light-dark\(#6a665d, )#9b968c`, Put: `${1}#3b382f`}, "color-contrast"},
	} {
		t.Run(name, func(t *testing.T) {
			rules := map[string]bool{}
			broken := surfaces.Trouble(chromium.ContextOptions{}, checked(script, func(s *scaffold.Stage, surface string, violations []axe.Violation) {
				for _, violation := range violations {
					rules[violation.Rule] = true
				}
				if len(violations) > 0 {
					s.Fatalf("%s: %v", surface, violations)
				}
			}))
			broken.Edits = []scaffold.Edit{mutant.edit}
			scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			if !rules[mutant.rule] {
				t.Errorf("%s was not found, only %v", mutant.rule, rules)
			}
		})
	}
}
