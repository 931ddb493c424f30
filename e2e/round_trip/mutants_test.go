package round_trip_test

import (
	"bytes"
	"context"
	"testing"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/bash"
	"keylane/replay"
	"keylane/scaffold"
)

// Each link of the chain is broken once, and the scenario's own check sees it.
func TestABrokenLinkWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		spoil func(*scaffold.Scenario)
		says  []string
	}{
		{"a page that sends something else", func(s *scaffold.Scenario) {
			s.Check = func(s *scaffold.Stage) { s.WantPrompts(prompt) }
			s.Edits = []scaffold.Edit{{File: "plugins/composer/client.js", Find: `let (\w+)=(\w+)\.value;if\(\w+\.trim\(\)`, Put: `let ${1}=${2}.value.toLowerCase();if(${1}.trim()`}}
		}, []string{"no recorded session that is still free begins like it", "the open session has other prompts"}},
		{"a tool that says something else", func(s *scaffold.Scenario) {
			s.ReplaceTools("tool-bash", func(*composition.Scope) []tool.Tool {
				return []tool.Tool{scaffold.Wrapped{
					Tool: bash.New(bash.Config{}),
					Around: func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result {
						result := run(ctx, call)
						result.Text = "done\n"
						return result
					},
				}}
			})
			s.Check = func(s *scaffold.Stage) { s.WantToolResults("KEYLANE_ROUND_TRIP\n") }
		}, []string{"the open session has other tool results"}},
		{"a reply that comes in one piece", func(s *scaffold.Scenario) {
			s.Mutate = inOnePiece
			s.Check = wantStreamed
		}, []string{"it was not streamed"}},
		{"a log that goes elsewhere", func(s *scaffold.Scenario) {
			s.Patches = scaffold.Patch("another root", "- id: session-persistence\n  config: {root: '{{home}}/elsewhere'}\n")
			s.Check = func(s *scaffold.Stage) { s.WantDurable() }
		}, []string{"reading the session from disk"}},
		{"a page that does not show what came out", func(s *scaffold.Scenario) {
			s.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `case"tool/result":`, Put: `case"never":`}}
			s.Check = func(s *scaffold.Stage) { s.Golden("settled", conversation) }
		}, []string{"settled.aria differs"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := scenario()
			broken.Pace = replay.Burst()
			mutant.spoil(&broken)
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			scaffold.WantSeen(t, failures, mutant.says...)
		})
	}
}

// inOnePiece leaves the packed pieces out of a log: what is left is whole blocks, as a provider gives them that does not stream.
func inOnePiece(log []byte) []byte {
	var kept [][]byte
	for _, line := range bytes.SplitAfter(log, []byte("\n")) {
		if !bytes.Contains(line, []byte(`-chunks","data":`)) && !bytes.Contains(line, []byte(`"chunk":{"type":"block-start"`)) {
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, nil)
}
