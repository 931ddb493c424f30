package composition_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
)

// Each guard of this scenario is tried on a composition with one thing changed.
func TestEachChangeIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name, patch string
		check       func(*scaffold.Stage) // nil for the scenario's own
		says        []string              // each must occur in some failure
	}{
		{"another persona", "- id: system-prompt\n  config: {persona: 'You work in {{cwd}}.'}\n", nil,
			[]string{"system-prompt.txt differs", "+You work in {{cwd}}."}},
		{"a tool less", "- id: tool-bash\n  disabled: true\n", nil,
			[]string{"other rows run", "a model is offered other tools", "tools.txt differs"}},
		{"no retries", "- id: llm-retry\n  disabled: true\n", nil,
			[]string{"other rows run", `"llm-retry"`}},
		{"another default", "", func(s *scaffold.Stage) {
			s.GoldenText("defaults", defaults(s, scaffold.Patch("mine.yml", "- id: agent\n  config: {maxSteps: 7}\n")...))
		}, []string{"defaults.txt differs", "-    maxSteps: 0", "+    maxSteps: 7"}},
		{"a log that says something else", "", func(s *scaffold.Stage) {
			header := headerOf(s)
			header.System += " Be brief."
			wantOnTheWire(s, header)
		}, []string{"is not the logged system prompt"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := shipped()
			if mutant.patch != "" {
				broken.Patches = scaffold.Patch("mine.yml", mutant.patch)
			}
			if mutant.check != nil {
				broken.Check = mutant.check
			}
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(failures, words) {
					t.Errorf("no failure says %q:\n%s", words, failures)
				}
			}
		})
	}
}
