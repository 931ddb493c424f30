package real_adapter_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
)

// Each guard of this scenario is tried on a chain with one thing broken.
func TestEachGuardSeesWhatItGuards(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		from  func() scaffold.Scenario
		spoil func(*scaffold.Scenario)
		says  []string // each must occur in some failure
	}{
		{"a key in the prompt", whole, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("a leak", "- id: system-prompt\n  config: {persona: '{{cwd}} "+scaffold.ProviderKey+"'}\n")
		}, []string{"the key is in the body of request 1", "the key is in event", "the key is in what pages were told", "the key is in the report"}},
		{"a host that asks elsewhere", whole, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("another address", "- id: llm-deepseek\n  config: {baseURL: 'http://127.0.0.1:1', apiKey: another}\n- id: llm-retry\n  disabled: true\n")
		}, []string{"ended otherwise", "was never asked for"}},
		{"another model", whole, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("another model", "- id: agent\n  config: {provider: deepseek, model: deepseek-v4-pro}\n")
		}, []string{`asks for model "deepseek-v4-pro"`}},
		{"no tools", whole, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("no bash", "- id: tool-bash\n  disabled: true\n")
		}, []string{"offers no bash", "other tool results"}},
		{"no folder in the prompt", whole, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("a short persona", "- id: system-prompt\n  config: {persona: Be brief.}\n")
		}, []string{"does not say where the agent works"}},
		{"a request that nothing fits", whole, func(s *scaffold.Scenario) {
			s.Provider.Script = "replies: [{expect: something else, text: a}]"
		}, []string{"no reply that is left fits", "was never asked for"}},
		{"nobody tries again", failing, func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("no retries", "- id: llm-retry\n  disabled: true\n")
		}, []string{"ended otherwise", "other attempts were made again", "answers ended otherwise"}},
		{"a script that is none", whole, func(s *scaffold.Scenario) {
			s.Provider.Script = "replies: [{say: a}]"
		}, []string{"provider of real_adapter:1:12", `no key "say"`}},
		{"a fixture and a provider", whole, func(s *scaffold.Scenario) {
			s.Fixture = true
		}, []string{"only one of them can answer"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := mutant.from()
			mutant.spoil(&broken)
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			if failures == "" {
				t.Fatal("nobody saw it")
			}
			for _, words := range mutant.says {
				if !strings.Contains(failures, words) {
					t.Errorf("no failure says %q:\n%s", words, failures)
				}
			}
		})
	}
}
