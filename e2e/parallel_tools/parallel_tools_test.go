// Package parallel_tools_test is several tool calls in one step: calls that change nothing run side by side, a call that changes
// something runs alone between those around it, results come in the model's order, and a call that fails is a result like any other.
package parallel_tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Tell me which of the two files missing.txt and notes.txt is there, and add what you find to the notes."

var conversation = chromium.Role("main", "Conversation")

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "parallel_tools",
		Fixture: true,
		Prepare: func(f scaffold.Folders) error {
			return os.WriteFile(filepath.Join(f.Workspace, "notes.txt"), []byte("Call me at noon.\n"), 0o600)
		},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantToolResults(
				"Error: missing.txt does not exist. Use glob to see what there is.",
				"1\tCall me at noon.\n[end of file, 1 line]",
				"notes.txt:1:Call me at noon.\n[1 line]",
				"[no output]",
				"notes.txt:1:Call me at noon.\nnotes.txt:2:missing.txt is not there, noon\n[2 lines]",
			)
			wantOrder(s,
				"call read", "call read", "failed result", "result",
				"call grep", "result", "call bash", "result", "call grep", "result")
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func TestParallelTools(t *testing.T) {
	scaffold.Run(t, scenario())
}

// wantOrder checks in which order calls and results are in the log: calls that run side by side come before the first result.
func wantOrder(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, event := range s.Events() {
		switch event.Type {
		case session.TypeToolCall:
			var call session.ToolCall
			if err := json.Unmarshal(event.Data, &call); err != nil {
				s.Fatalf("%v", err)
			}
			got = append(got, "call "+call.Name)
		case session.TypeToolResult:
			var result session.ToolResult
			if err := json.Unmarshal(event.Data, &result); err != nil {
				s.Fatalf("%v", err)
			}
			word := "result"
			if result.Error != nil {
				word = "failed result"
			}
			got = append(got, word)
		}
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		s.Errorf("calls and results came in this order:\n%s\nwant:\n%s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}
