package prompt_context_test

import (
	"slices"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// Each guard of this scenario is tried on a host that is told something else, or tells it otherwise.
func TestEachChangeIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name, patch string
		says        []string // each must occur in some failure
	}{
		{"no instructions", "- {id: agent-instructions, disabled: true}\n", []string{"requests.txt differs", "the log has other context", "settled.aria differs"}},
		{"no skills", "- {id: skill-filesystem, disabled: true}\n", []string{"requests.txt differs", "the log has other context", "the provider's script does not fit"}},
		{"no catalogue", "- {id: tool-skill, disabled: true}\n", []string{"the log has other context"}},
		{"not where it runs", "- {id: runtime-context, disabled: true}\n", []string{"the provider's script does not fit"}},
		{"without the date", "- {id: runtime-context, config: {date: false}}\n", []string{"requests.txt differs", "-- Date: {{date}}"}},
		{"little room", "- {id: agent-instructions, config: {maxBytes: 1024, names: [AGENTS.md, VERSION]}}\n- {id: tool-skill, config: {maxListBytes: 1024}}\n", nil},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := told(mutant.patch)
			broken.Check = pins
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(failures, words) {
					t.Errorf("no failure says %q:\n%s", words, failures)
				}
			}
			if mutant.says == nil && failures != "" {
				t.Errorf("a bound that nothing reaches changed something:\n%s", failures)
			}
		})
	}
}

func TestARowThatGrowsWithItsTextIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	grown := told("")
	grown.Check = func(s *scaffold.Stage) {
		open(s)
		if _, err := chromium.Eval[bool](s.Context, s.Page, `(document.querySelector("pre.context").style.maxHeight = "none") !== ""`); err != nil {
			s.Fatalf("%v", err)
		}
		wantLow(s)
	}
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, grown) }), "\n")
	if !strings.Contains(failures, "px high, want at most 141") {
		t.Errorf("no failure says that the row is high:\n%s", failures)
	}
}

func TestARequestThatIsNoContinuationIsSeen(t *testing.T) {
	before := request{Messages: []message{{Role: "system", Content: "a"}, {Role: "user", Content: "b"}}, Tools: []byte(`["t"]`)}
	longer := append(slices.Clone(before.Messages), message{Role: "user", Content: "c"})
	for name, c := range map[string]struct {
		after request
		want  bool
	}{
		"the same":              {before, true},
		"one more":              {request{longer, before.Tools}, true},
		"one less":              {request{before.Messages[:1], before.Tools}, false},
		"another system prompt": {request{append([]message{{Role: "system", Content: "A"}}, longer[1:]...), before.Tools}, false},
		"another tool":          {request{longer, []byte(`["u"]`)}, false},
		"put in between":        {request{[]message{longer[0], longer[2], longer[1]}, before.Tools}, false},
	} {
		if got := c.after.continues(before); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
