// Package announcements_test listens to what a screen reader is told while answers come in hundreds of pieces: that work goes on, that
// something waits, the answer when it is there, that the turn was stopped; each once, and nothing else.
package announcements_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	ask  = "Tell me about locks."
	show = "And show me."
)

// listen keeps what changes inside live regions, as a screen reader hears it: the region's words after each change, without those that are
// empty or the same as before. A region in one that is silent is heard if it says so itself; a role alone says so.
const listen = `(() => {
	const heard = window.heard = [], before = new WeakMap();
	const region = (node) => {
		const element = node instanceof Element ? node : node.parentElement;
		const live = element?.closest("[aria-live], [role=status], [role=alert], [role=log]");
		return live && (live.getAttribute("aria-live") ?? "polite") !== "off" ? live : null;
	};
	new MutationObserver((changes) => {
		const changed = new Set(changes.flatMap((change) => [change.target, ...change.addedNodes].map(region)).filter(Boolean));
		for (const change of changes) for (const node of change.addedNodes) {
			if (node instanceof Element) for (const inside of node.querySelectorAll("[role=status], [role=alert]")) changed.add(inside);
		}
		for (const live of changed) {
			const words = live.textContent.trim();
			if (words !== "" && words !== before.get(live)) heard.push(words);
			before.set(live, words);
		}
	}).observe(document, { subtree: true, childList: true, characterData: true });
	return true;
})()`

// passing is what may be told between two states, or not, as quickly as they follow each other.
var passing = map[string]bool{"Sending…": true, "Loading conversation…": true}

func button(name string) chromium.Query { return chromium.Role("button", name) }

func heard(s *scaffold.Stage) []string {
	s.Helper()
	words, err := chromium.Eval[[]string](s.Context, s.Page, "window.heard")
	if err != nil {
		s.Fatalf("%v", err)
	}
	return words
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "announcements",
		Fixture: true,
		Patches: scaffold.Patch("the shipped mode", "- id: approval\n  config: {mode: ask}\n"),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			if _, err := chromium.Eval[bool](s.Context, s.Page, listen); err != nil {
				s.Fatalf("%v", err)
			}
			s.Send(ask)
			s.Settle()
			s.Send(show)
			s.WaitFor(button("Allow once"))
			s.Click(button("Allow once"))
			s.AwaitEvent("a command that runs", func(e session.Event) bool { return e.Type == session.TypeToolCall })
			s.Click(button("Stop"))
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "aborted")
			if chunks := s.Count(session.TypeAssistantChunk); chunks < 200 {
				s.Errorf("the answers came in %d pieces, want a flood", chunks)
			}
			var got []string
			for _, words := range heard(s) {
				if len(words) > 40 {
					words = words[:40]
				}
				if !passing[words] {
					got = append(got, words)
				}
			}
			want := []string{"Working…", "Answer: How a lock works A lock lifts a ", "Working…", "Waits for your decision", "Working…", "Stopped"}
			if diff := cmp.Diff(want, got); diff != "" {
				s.Errorf("a screen reader was told something else (-want +got):\n%s", diff)
			}
		},
	}
}

func TestAnAnswerIsToldOnce(t *testing.T) { scaffold.Run(t, scenario()) }

// Pages that say too much, and too little.
func TestAFloodAndSilenceWouldBeHeard(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, edit := range map[string]scaffold.Edit{
		"every piece is told":    {File: "plugins/conversation/client.js", Find: `"aria-live":"off"`, Put: `"aria-live":"polite"`},
		"the answer is not told": {File: "plugins/conversation/client.js", Find: `(class:"visually-hidden",)role:"status"`, Put: `$1"data-role":"status"`},
	} {
		t.Run(name, func(t *testing.T) {
			broken := scenario()
			broken.Edits = []scaffold.Edit{edit}
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			if all := strings.Join(failures, "\n"); !strings.Contains(all, "told something else") {
				t.Errorf("it was not heard, only:\n%s", all)
			}
		})
	}
}
