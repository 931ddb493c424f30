package restart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// What is sent, in order: the first is being answered when the host is killed, the second waits.
const (
	long = "Work on something long."
	two  = "Then count to two."
	goOn = "Go on."
)

// replies are what the provider says; it outlives the host that asked.
const replies = `replies:
  - {expect: Work on something long, text: "I am working on it. This takes a while.", chunkRunes: 8, hangAfterChunks: 3}
  - {expect: Then count to two, text: "One, two."}
  - {expect: Go on, text: "That was all."}
`

// ask makes the machine's host ask a scripted provider.
func (m *machine) ask(t scaffold.T) {
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
	// A title would be a call more, and take the answer of a turn.
	patch := fmt.Sprintf("- id: llm-deepseek\n  config: {baseURL: %q, apiKey: %s}\n- id: session-title-model\n  disabled: true\n", provider.URL(), scaffold.ProviderKey)
	if err := os.WriteFile(filepath.Join(m.root, "config.yml"), []byte(patch), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// stored are the events of a session, as a crash left them.
func (m *machine) stored(t scaffold.T, id string) []session.Event {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(m.root, "sessions")}, clock.System())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() {
		if err := store.Close(t.Context()); err != nil {
			t.Errorf("%v", err)
		}
	}()
	_, events, err := store.Inspect(t.Context(), id)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return events
}

// send sends a prompt as a person does, and waits until the host has answered n prompts of this page: what it has answered is durable.
func send(t scaffold.T, page *chromium.Page, prompt string, n int) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("sending %q: %v", prompt, err)
		}
	}
	must(page.Click(t.Context(), chromium.Role("textbox", "Message the agent")))
	must(page.Type(t.Context(), prompt))
	must(page.Click(t.Context(), chromium.Role("button", "Send message")))
	_, err := chromium.Eval[bool](t.Context(), page, fmt.Sprintf(`new Promise((answered) => {
		let seen = 0;
		new PerformanceObserver((list) => {
			seen += list.getEntries().filter((entry) => entry.name.endsWith("/api/session.prompt")).length;
			if (seen >= %d) answered(true);
		}).observe({type: "resource", buffered: true});
	})`, n))
	must(err)
}

// wantQueue checks how many messages the page shows waiting.
func wantQueue(t scaffold.T, page *chromium.Page, when string, want int) {
	t.Helper()
	found, err := page.FindAll(t.Context(), chromium.CSS("[data-queue-dock] li"))
	if err != nil || len(found) != want {
		t.Errorf("%s the page shows %d messages that wait, want %d (%v)", when, len(found), want, err)
	}
}

// killedWithAQueue kills a host while one message waits. The page goes on with the next host, which takes it once, when it is asked to.
func killedWithAQueue(t scaffold.T, root string, through func(t scaffold.T, host string) (address string)) {
	m := &machine{root: root}
	m.ask(t)
	kill := m.boot(t)
	page := open(t, through(t, m.address())+"/")
	send(t, page, long, 1)
	shows(t, page, "I am working")
	send(t, page, two, 2)
	wantQueue(t, page, "before the crash", 1)
	id, _ := page.RootAttribute("data-session")
	kill()
	becomes(t, page, lost)
	m.boot(t)
	becomes(t, page, ready)
	wantQueue(t, page, "after the crash", 1)
	if err := page.Reload(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
	becomes(t, page, ready)
	wantQueue(t, page, "loaded again", 1)

	send(t, page, goOn, 1)
	shows(t, page, "That was all.")
	becomes(t, page, ready)
	wantQueue(t, page, "at the end", 0)
	if times := strings.Count(text(t, page), two); times != 1 {
		t.Errorf("the page shows the message that waited %d times, want once", times)
	}
	var said []string
	for _, event := range m.stored(t, id) {
		if event.Type != session.TypeUserMessage {
			continue
		}
		message, _, err := session.MessageOf(event)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if message.Source.Kind == session.SourceUser { // the host puts a word about the place beside it
			said = append(said, message.Text())
		}
	}
	if diff := cmp.Diff([]string{long, two, goOn}, said); diff != "" {
		t.Errorf("other messages entered turns (-want +got):\n%s", diff)
	}
}

func TestAMessageThatWaitedWhenTheHostWasKilledEntersATurnOnce(t *testing.T) {
	killedWithAQueue(t, t.TempDir(), directly)
}
