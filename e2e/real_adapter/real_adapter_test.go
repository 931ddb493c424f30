// Package real_adapter_test runs the whole chain with nothing left out but the model: the real provider adapter speaks to a server on the
// loopback interface that answers in the vendor's wire format. Deltas, reasoning, a tool call, a refusal with Retry-After, a broken
// connection, silence and a hang go through the very code that speaks to the live provider.
package real_adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

const (
	list  = "Which files are here?"
	limit = "Answer although you are busy."
	torn  = "Answer over a bad line."
	hour  = "Answer in an hour."
	hang  = "Begin, and never end."
	quiet = "Answer after a silence."
	after = "Say that you are back."
)

// wholeScript has everything that an answer can consist of.
const wholeScript = `
replies:
  - expect: Which files
    reasoning: I have to look before I answer. One command will do.
    text: Let me look.
    toolCalls:
      - name: bash
        arguments: {command: "printf 'one.txt\ntwo.txt\n'", description: List the files}
    usage: {inputTokens: 700, outputTokens: 40, cacheReadTokens: 128, reasoningTokens: 12}
    chunkRunes: 3
  - expect: two.txt
    reasoning: Two files.
    text: |-
      There are **two** files:

      1. ` + "`one.txt`" + `
      2. ` + "`two.txt`" + `
    usage: {inputTokens: 900, outputTokens: 30}
    chunkRunes: 3
`

func whole() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "real_adapter",
		Provider: &scaffold.Provider{Script: wholeScript},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(list)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantPrompts(list)
			s.WantToolResults("one.txt\ntwo.txt\n")
			wantUsage(s, "128 read, 12 reasoned, 700 in, 40 out", "0 read, 0 reasoned, 900 in, 30 out")
			wantEnds(s, script.Answered, script.Answered)
			wantRequests(s, "system user", "system user assistant+bash tool")
			wantNoReasoning(s, "I have to look")
			wantKeyInItsPlace(s)
			s.Golden("whole", conversation)
			s.Reload()
			s.Settle()
			s.Golden("whole", conversation)
			s.WantDurable()
		},
	}
}

func TestAnAnswerInTheVendorsFormatGoesThroughTheWholeChain(t *testing.T) {
	scaffold.Run(t, whole())
}

const failingScript = `
replies:
  - expect: although you are busy
    error: {status: 429, message: Slow down please, retryAfterSeconds: 1}
  - expect: although you are busy
    text: Here I am.
  - expect: bad line
    text: This half is never
    chunkRunes: 6
    cutAfterChunks: 3
  - expect: bad line
    text: This is whole.
  - expect: in an hour
    error: {status: 429, message: Come back later, retryAfterSeconds: 3600}
  - expect: you are back
    text: I am back.
`

func failing() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "real_adapter",
		Provider: &scaffold.Provider{Script: failingScript},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			for _, prompt := range []string{limit, torn, hour, after} {
				s.Send(prompt)
				s.Settle()
			}
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "error", "completed")
			wantEnds(s, script.Answered, script.Answered, script.Cut, script.Answered, script.Answered, script.Answered)
			wantRetries(s, "RATE_LIMIT scripted-1 after 1000 ms", "TRANSPORT")
			// What a failed attempt said, and the prompt that was never answered, are the person's to see; only the latter goes on to the model.
			wantRequests(s,
				"system user", "system user",
				"system user assistant user", "system user assistant user",
				"system user assistant user assistant user", "system user assistant user assistant user user")
			for i, exchange := range s.Provider.Exchanges() {
				if strings.Contains(string(exchange.Body), "This half") {
					s.Errorf("request %d shows the model what was cut off", i+1)
				}
			}
			s.Golden("failures", conversation)
			s.Reload()
			s.Settle()
			s.Golden("failures", conversation)
			s.WantDurable()
		},
	}
}

func TestRefusalsAndABrokenConnectionAreTriedAgainOrSaid(t *testing.T) {
	scaffold.Run(t, failing())
}

const hangingScript = `
replies:
  - expect: never end
    reasoning: A beginning is easy.
    text: This is the beginning, and
    chunkRunes: 40
    hangAfterChunks: 3
  - expect: you are back
    text: I am back.
`

func TestStopClosesTheSocketOfAHangingAnswer(t *testing.T) {
	scaffold.Run(t, scaffold.Scenario{
		Name:     "real_adapter",
		Provider: &scaffold.Provider{Script: hangingScript},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(hang)
			s.AwaitEvent("the beginning", func(e session.Event) bool {
				return e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), "the beginning, and")
			})
			s.Click(chromium.Role("button", "Stop"))
			s.Settle()
			if end, err := s.Provider.AwaitEnd(s.Context, 1); err != nil || end != script.Left {
				s.Errorf("the provider saw its answer end as %q, %v, want the connection closed by the host", end, err)
			}
			s.Send(after)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("aborted", "completed")
			wantEnds(s, script.Left, script.Answered)
			wantRequests(s, "system user", "system user assistant user")
			s.Golden("stopped", conversation)
			s.Reload()
			s.Settle()
			s.Golden("stopped", conversation)
			s.WantDurable()
		},
	})
}

const silentScript = `
replies:
  - expect: after a silence
    text: Nobody will
    hangAfterChunks: 1
  - expect: after a silence
    text: Here I am.
`

func TestSilenceIsNotWaitedForTooLong(t *testing.T) {
	scaffold.Run(t, scaffold.Scenario{
		Name:     "real_adapter",
		Provider: &scaffold.Provider{Script: silentScript, Config: map[string]any{"idleTimeoutMs": 1500}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(quiet)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			wantRetries(s, "TIMEOUT")
			if end, err := s.Provider.AwaitEnd(s.Context, 1); err != nil || end != script.Left {
				s.Errorf("the provider saw its silent answer end as %q, %v, want the connection closed by the host", end, err)
			}
			s.Golden("after-silence", conversation)
			s.WantDurable()
		},
	})
}

// wantEnds checks how the provider saw its answers end, in the order of the requests.
func wantEnds(s *scaffold.Stage, want ...script.End) {
	s.Helper()
	var got []script.End
	for i := range s.Provider.Exchanges() {
		end, err := s.Provider.AwaitEnd(s.Context, i+1)
		if err != nil {
			s.Fatalf("%v", err)
		}
		got = append(got, end)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the answers ended otherwise (-want +got):\n%s", diff)
	}
}
