package real_adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// noKey is the composition as a newcomer has it: both providers are there, and no variable holds a key or another address.
const noKey = `
- id: llm-deepseek
  disabled: false
  config: {apiKeyEnv: "", baseURLEnv: ""}
- id: llm-recorded
  disabled: false
`

const tooEarly = "Say something without a key."

// setup is what tells a newcomer what is missing.
var setup = chromium.Role("region", "Model setup")

func TestWithoutAKeyThePageSaysSoAndTheDemoWorks(t *testing.T) {
	scaffold.Run(t, scaffold.Scenario{
		Name:    "real_adapter",
		Patches: scaffold.Patch("a newcomer's host", noKey),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Golden("no-key", setup)
			s.Send(tooEarly)
			s.Settle()
			s.Golden("no-key-sent", conversation)
			s.WantTurns("error")

			s.Click(chromium.Role("button", "Try the demo"))
			prompts := chromium.Role("group", "Prompts the demo knows")
			s.Golden("demo-prompts", prompts)
			s.SendBy(func() { s.Click(chromium.RoleContaining("button", "Which files")) })
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			if results := s.ToolResults(); len(results) != 1 || !strings.Contains(results[0], s.Folders.Workspace) {
				s.Errorf("the demo's command did not run in the session's folder: %q", results)
			}
			var asked []string
			for _, request := range s.Requests() {
				asked = append(asked, request.Provider+"/"+request.Model)
			}
			if diff := cmp.Diff([]string{"deepseek/deepseek-v4-flash", "demo/demo", "demo/demo"}, asked); diff != "" {
				s.Errorf("other models were asked (-want +got):\n%s", diff)
			}
			s.Golden("demo", conversation)
			s.Reload()
			s.Settle()
			s.Golden("demo", conversation)
			s.WantDurable()
		},
	})
}
