package restart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"keylane/host/clock"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// What the agent wants to do when the host is killed, and what it says to the next one.
const (
	leave = "Do something that needs leave."
	again = "Are you back?"
)

const cardReplies = `replies:
  - {expect: needs leave, toolCalls: [{name: bash, arguments: {command: touch never, description: Leave a trace}}]}
  - {expect: Are you back, text: "I am back."}
`

// killedWithACard kills a host while a command waits for the person's leave. The next host waits for nothing, so the card has to go: nobody
// would take its answer.
func killedWithACard(t scaffold.T, root string, through func(t scaffold.T, host string) (address string)) {
	m := &machine{root: root}
	m.askFor(t, cardReplies)
	kill := m.boot(t)
	page := open(t, through(t, m.address())+"/")
	card := chromium.Role("region", "Approval")
	send(t, page, leave, 1)
	becomes(t, page, ":has([data-approval-id])")
	kill()
	becomes(t, page, lost)
	m.boot(t)
	becomes(t, page, ready)
	if left, err := page.FindAll(t.Context(), card); err != nil || len(left) > 0 {
		t.Errorf("the card of the host that was killed is still there: %v %v", left, err)
	}
	send(t, page, again, 2)
	shows(t, page, "I am back.")
	if _, err := os.Stat(filepath.Join(m.root, "never")); err == nil {
		t.Errorf("the command ran, and nobody gave it leave")
	}
}

func TestACardGoesWithTheHostThatWaitedForIt(t *testing.T) {
	killedWithACard(t, t.TempDir(), directly)
}

// forgotten is where the page lets go of what the host before this one waited for: questions, then cards.
var forgotten = regexp.MustCompile(`(this\.#?\w+\(\[\]\)),this\.#?\w+\(\[\]\)`)

// A page that keeps the card would be seen.
func TestACardThatStaysWouldBeSeen(t *testing.T) {
	root := t.TempDir()
	mutant := middleman{file: func(_ string, text []byte) []byte { return forgotten.ReplaceAll(text, []byte("$1")) }}
	failures := scaffold.Trial(t, func(t scaffold.T) { killedWithACard(t, root, mutant.through) })
	scaffold.WantSeen(t, failures, "the card of the host that was killed is still there")
}

// askFor makes the machine's host ask a provider with that script.
func (m *machine) askFor(t scaffold.T, replies string) {
	t.Helper()
	provider, err := script.Start(t.Context(), "provider of restart", []byte(replies), clock.System())
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		if err := provider.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	// What is told of the machine would stand behind the prompt, and the script knows requests by their last message.
	patch := fmt.Sprintf("- id: llm-deepseek\n  config: {baseURL: %q, apiKey: %s}\n- id: runtime-context\n  disabled: true\n- id: skill-filesystem\n  disabled: true\n- id: agent-instructions\n  disabled: true\n- id: session-title-model\n  disabled: true\n",
		provider.URL(), scaffold.ProviderKey)
	if err := os.WriteFile(filepath.Join(m.root, "config.yml"), []byte(patch), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}
