// Package truncated_call_test lets answers break off where a tool is called: inside the arguments, behind them, and at the token limit.
// A call that is not known to be whole is never run; what can be asked again is, as a numbered attempt.
package truncated_call_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The prompts, in order.
const (
	cut        = "Run a command that gets cut."
	unfinished = "Run a command that is never finished."
	limit      = "Run a command at your limit."
	goOn       = "Go on."
)

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "truncated_call",
		Fixture: true,
		Patches: scaffold.Patch("short waits", "- id: llm-retry\n  config: {baseDelayMs: 20}\n"),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(cut)
			s.Settle()
			s.Golden("cut", conversation)
			s.Send(unfinished)
			s.Settle()
			s.Send(limit)
			s.Settle()
			s.Golden("limit", conversation)
			s.Send(goOn)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "max-tokens", "completed")
			s.WantPrompts(cut, unfinished, limit, goOn)
			s.WantToolResults("KEYLANE_WHOLE\n")
			wantRetriesOf(s, "TRANSPORT", "TRANSPORT")
			wantOneResultEach(s)
			wantNothingTouched(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
}

// wantRetriesOf checks what the retries followed, in order.
func wantRetriesOf(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, e := range s.Events() {
		if e.Type != session.TypeRetry {
			continue
		}
		var d session.Retry
		if err := json.Unmarshal(e.Data, &d); err != nil {
			s.Fatalf("reading a retry: %v", err)
		}
		got = append(got, d.Failure.Code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("other failures were retried (-want +got):\n%s", diff)
	}
}

// wantOneResultEach checks that every call of an assistant message was started once and has one result, and that nothing else was.
func wantOneResultEach(s *scaffold.Stage) {
	s.Helper()
	asked, started, answered := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range s.Events() {
		if e.Type == session.TypeToolCall {
			var d session.ToolCall
			if err := json.Unmarshal(e.Data, &d); err != nil {
				s.Fatalf("reading a call: %v", err)
			}
			started[d.CallID]++
			continue
		}
		message, _, err := session.MessageOf(e)
		if err != nil {
			s.Fatalf("reading a message: %v", err)
		}
		for _, block := range message.Content {
			switch {
			case e.Type == session.TypeAssistantMessage && block.Type == session.BlockToolCall:
				asked[block.ID]++
			case e.Type == session.TypeToolResult:
				answered[block.ToolCallID]++
			}
		}
	}
	if diff := cmp.Diff(asked, started) + cmp.Diff(asked, answered); diff != "" {
		s.Errorf("calls, starts and results do not match:\n%s", diff)
	}
	for id, times := range asked {
		if times != 1 {
			s.Errorf("the history has the call id %s %d times", id, times)
		}
	}
}

// wantNothingTouched checks that none of the broken commands was run: each would have left a file.
func wantNothingTouched(s *scaffold.Stage) {
	s.Helper()
	files, err := os.ReadDir(s.Folders.Workspace)
	if err != nil {
		s.Fatalf("looking into the workspace: %v", err)
	}
	for _, file := range files {
		s.Errorf("a command that was not whole has left %s", file.Name())
	}
}

func TestACallThatIsNotKnownToBeWholeIsNotRun(t *testing.T) {
	scaffold.Run(t, scenario())
}

// The same call with a proper finish is run, so a host that ran it at the limit would be seen.
func TestARunCallWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Mutate = func(log []byte) []byte {
		return bytes.Replace(log, []byte(`{"type":"finish","reason":{"kind":"max-tokens"}}`), []byte(`{"type":"finish","reason":{"kind":"tool-calls"}}`), 1)
	}
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		for _, prompt := range []string{cut, unfinished, limit} {
			s.Send(prompt)
			s.Settle()
		}
	}
	mutant.Check = wantNothingTouched
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	if !strings.Contains(failures, "has left ran-at-limit") {
		t.Errorf("the command that was run was not seen:\n%s", failures)
	}
}
