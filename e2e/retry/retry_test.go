// Package retry_test lets model calls fail in ways that may pass: twice and then not, more often than is tried, and with a wait that the
// provider asks for, which Stop ends. The person sees each attempt; the model never sees what a failed one had said.
package retry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The prompts, in order.
const (
	third   = "Answer at the third attempt."
	exhaust = "Never answer."
	wait    = "Let me wait."
	tooLong = "Let me wait too long."
	patient = "Answer when the time has come."
	well    = "Say that all is well."
)

// half is what a failed attempt had said.
const half = "Half of an"

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

// shortWaits makes the policy's own waits short, and lets a provider ask for so much that no slow machine sits it out before Stop.
const shortWaits = "- id: llm-retry\n  config: {baseDelayMs: 20, maxDelayMs: 60000}\n"

func turn(s *scaffold.Stage, prompt, golden string) {
	s.Send(prompt)
	s.Settle()
	s.Golden(golden, conversation)
}

func scenario() scaffold.Scenario {
	// What a provider asks for passes when the scenario says so, and no slow machine sits it out before that.
	held := &heldClock{Clock: clock.System(), held: 55 * time.Second}
	return holding(scaffold.Scenario{
		Name:    "retry",
		Fixture: true,
		Patches: scaffold.Patch("short waits", shortWaits),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			turn(s, third, "recovered")
			turn(s, exhaust, "exhausted")

			s.Send(wait)
			s.AwaitEvent("a retry that waits as long as the provider asks", func(e session.Event) bool {
				return e.Type == session.TypeRetry && strings.Contains(string(e.Data), `"delayMs":55000`)
			})
			s.Golden("waiting", conversation)
			s.Click(chromium.Role("button", "Stop"))
			s.Settle()

			turn(s, tooLong, "not-waited-for")

			s.Send(patient)
			s.AwaitEvent("a retry of the fifth turn", func(e session.Event) bool {
				return e.Type == session.TypeRetry && strings.Contains(string(e.Data), `"turn":5`)
			})
			s.Golden("waiting-again", conversation)
			before := timeLeft(s)
			// Stage.Reload waits for a page that rests, and this one works.
			if err := s.Page.Reload(s.Context); err != nil {
				s.Fatalf("reloading during the wait: %v", err)
			}
			s.WaitFor(chromium.AnyName("timer"))
			s.Golden("waiting-again", conversation)
			if after := timeLeft(s); after > before {
				s.Errorf("a reload made the wait longer: %d s were left, now %d", before, after)
			}
			held.release()
			s.Settle()
			s.Golden("recovered-after-reload", conversation)

			s.Send(well)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "error", "aborted", "error", "completed", "completed")
			s.WantPrompts(third, exhaust, wait, tooLong, patient, well)
			wantRetries(s, "1/2 started", "2/2 started", "1/2 started", "2/2 started", "1/2 waited", "1/2 started")
			wantNoHalfAnswers(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}, held)
}

// timeLeft is how many seconds the page says there are until the retry.
func timeLeft(s *scaffold.Stage) int {
	s.Helper()
	var seconds int
	if _, err := fmt.Sscanf(s.Text("[role=timer]"), "%ds left", &seconds); err != nil {
		s.Fatalf("reading the time that is left in %q: %v", s.Text("[role=timer]"), err)
	}
	return seconds
}

// wantRetries checks which retries were logged, in order, and whether they were made.
func wantRetries(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	position := map[string]int{}
	for _, e := range s.Events() {
		switch e.Type {
		case session.TypeRetry:
			var d session.Retry
			if err := json.Unmarshal(e.Data, &d); err != nil {
				s.Fatalf("reading a retry: %v", err)
			}
			position[d.RetryID] = len(got)
			got = append(got, fmt.Sprintf("%d/%d waited", d.Retry, d.MaxRetries))
		case session.TypeRetryStarted:
			var d session.RetryStarted
			if err := json.Unmarshal(e.Data, &d); err != nil {
				s.Fatalf("reading the start of a retry: %v", err)
			}
			if at, ok := position[d.RetryID]; ok {
				got[at] = strings.Replace(got[at], "waited", "started", 1)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("other retries were made (-want +got):\n%s", diff)
	}
}

// wantNoHalfAnswers checks that what a failed attempt said was seen to arrive, and is in no request and on no page.
func wantNoHalfAnswers(s *scaffold.Stage) {
	s.Helper()
	arrived := ""
	for _, e := range s.Events() {
		var d session.AssistantChunk
		var chunk struct{ Text string }
		if e.Type == session.TypeAssistantChunk && json.Unmarshal(e.Data, &d) == nil && json.Unmarshal(d.Chunk, &chunk) == nil {
			arrived += chunk.Text
		}
	}
	if !strings.Contains(arrived, half) {
		s.Errorf("no attempt said %q, so there is nothing to keep out", half)
	}
	for i, request := range s.Requests() {
		for _, message := range request.Messages {
			if strings.Contains(message.Text(), half) {
				s.Errorf("request %d shows the model what a failed attempt said", i+1)
			}
		}
	}
	if strings.Contains(s.Text("body"), half) {
		s.Errorf("the page still shows what a failed attempt said")
	}
}

func TestFailedCallsAreMadeAgainAndSaidSo(t *testing.T) {
	scaffold.Run(t, scenario())
}

// Without the row nothing is made again, and the scenario sees it.
func TestAHostThatDoesNotRetryWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Patches = scaffold.Patch("no retries", "- id: llm-retry\n  disabled: true\n")
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(third)
		s.Settle()
	}
	mutant.Check = func(s *scaffold.Stage) {
		s.WantTurns("completed")
		wantRetries(s, "1/2 started", "2/2 started")
	}
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	for _, words := range []string{"ended otherwise", "other retries were made", "consumed 1/"} {
		if !strings.Contains(failures, words) {
			t.Errorf("no failure says %q:\n%s", words, failures)
		}
	}
}

// A model that is shown half an answer, and a page that shows it, would be seen.
func TestHalfAnAnswerThatStaysWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Mutate = func(log []byte) []byte {
		return bytes.ReplaceAll(log, []byte("Third time lucky."), []byte("Half of an answer"))
	}
	mutant.Check = wantNoHalfAnswers
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	for _, words := range []string{"shows the model what a failed attempt said", "the page still shows what a failed attempt said"} {
		if !strings.Contains(failures, words) {
			t.Errorf("no failure says %q:\n%s", words, failures)
		}
	}
}
