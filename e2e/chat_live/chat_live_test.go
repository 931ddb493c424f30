// Package chat_live_test holds one conversation from the first prompt on, twelve turns in one session, without a reload: each prompt is there
// once, each answer in its pieces, each turn ends, the composer is empty again, and the view stays at the end of what is said.
package chat_live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/replay"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const turns = 12

// calls are the turns with a call of a tool.
var calls = map[int]bool{4: true, 9: true}

var composer = chromium.Role("textbox", "Message the agent")

// prompt is what is said in a turn; that of the last one is long.
func prompt(turn int) string {
	text := fmt.Sprintf("Turn %d, please go on.", turn)
	if turn == turns {
		text += strings.Repeat(" The lock keeps a boat level, 闸门打开, while the water rises.", 70)
	}
	return text
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "chat_live",
		Fixture: true,
		Pace:    replay.Fixed(2 * time.Millisecond),
		Page:    chromium.ContextOptions{Width: 1680, Height: 900},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			id := ""
			for turn := 1; turn <= turns; turn++ {
				from := 0
				if turn > 1 {
					from = len(s.Events())
				}
				s.SendBy(func() {
					do(s, s.Page.Fill(s.Context, composer, prompt(turn)))
					s.Click(chromium.Role("button", "Send message"))
				})
				s.Settle()
				if turn == 1 {
					id = s.SessionID()
				}
				if got := s.SessionID(); got != id {
					s.Fatalf("turn %d is in the session %s, want %s", turn, got, id)
				}
				if s.Mode() != scaffold.Record {
					wantTurn(s, turn, s.Events()[from:])
					wantPage(s, turn)
				}
			}
		},
		Check: func(s *scaffold.Stage) {
			disclosures(s)
			s.WantDurable()
		},
	}
}

// wantTurn checks the events of one turn.
func wantTurn(s *scaffold.Stage, turn int, events []session.Event) {
	s.Helper()
	count := map[string]int{}
	for _, event := range events {
		count[event.Type]++
		switch event.Type {
		case session.TypeTurnStart:
			var start session.TurnStart
			do(s, json.Unmarshal(event.Data, &start))
			if start.Turn != turn {
				s.Errorf("turn %d begins as turn %d", turn, start.Turn)
			}
		case session.TypeTurnEnd:
			var end session.TurnEnd
			do(s, json.Unmarshal(event.Data, &end))
			if end.Turn != turn || end.Reason.Kind != session.ReasonCompleted {
				s.Errorf("turn %d ends as turn %d: %s", turn, end.Turn, end.Reason.Kind)
			}
		case session.TypeUserMessage:
			if message, _, err := session.MessageOf(event); err != nil || message.Text() != prompt(turn) {
				s.Errorf("turn %d: the prompt is %q, %v", turn, message.Text(), err)
			}
		}
	}
	answers := 1
	if calls[turn] {
		answers = 2
	}
	if count[session.TypeTurnStart] != 1 || count[session.TypeTurnEnd] != 1 || count[session.TypeUserMessage] != 1 ||
		count[session.TypeAssistantMessage] != answers || count[session.TypeToolResult] != answers-1 || count[session.TypeAssistantChunk] <= 10 {
		s.Errorf("turn %d has the events %v", turn, count)
	}
	if pieces := deltas(events); turn == turns && pieces != 36 {
		s.Errorf("the last answer came in %d pieces, want 36", pieces)
	}
}

func deltas(events []session.Event) int {
	count := 0
	for _, event := range events {
		if event.Type == session.TypeAssistantChunk && strings.Contains(string(event.Data), `"text-delta"`) {
			count++
		}
	}
	return count
}

// wantPage checks what the page shows after a turn: its prompt once, an empty composer that can be written in, and the end.
func wantPage(s *scaffold.Stage, turn int) {
	s.Helper()
	do(s, s.Page.Frames(s.Context, 2))
	shown := evaluate[struct {
		Prompts  []string
		Draft    string
		Disabled bool
		Distance float64
	}](s, `(() => {
		const port = document.querySelector("[data-conversation-scroll]");
		const field = document.querySelector("main textarea");
		return {
			prompts: [...document.querySelectorAll("main .user-text")].map((text) => text.textContent),
			draft: field.value, disabled: field.disabled,
			distance: port.scrollHeight - port.clientHeight - port.scrollTop,
		};
	})()`)
	want := make([]string, turn)
	for i := range want {
		want[i] = prompt(i + 1)
	}
	if fmt.Sprint(shown.Prompts) != fmt.Sprint(want) {
		s.Errorf("turn %d: the page shows the prompts %.60q", turn, shown.Prompts)
	}
	if shown.Draft != "" || shown.Disabled {
		s.Errorf("turn %d: the composer says %q, disabled %v", turn, shown.Draft, shown.Disabled)
	}
	if shown.Distance > 1 {
		s.Fatalf("turn %d: the view is %.1f px above the bottom", turn, shown.Distance)
	}
}

// disclosures opens the call of one turn and finds that of the other closed.
func disclosures(s *scaffold.Stage) {
	s.Click(chromium.RoleContaining("button", "Count to 4"))
	s.Settle()
	open := evaluate[[]string](s, `[...document.querySelectorAll("main [data-row-kind=tool] [aria-expanded]")].map((button) => button.getAttribute("aria-expanded"))`)
	if fmt.Sprint(open) != "[true false]" {
		s.Errorf("the calls are expanded %v, want the first alone", open)
	}
	s.WantToolResults("1\n2\n3\n4\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
}

func TestTwelveTurnsAreOneConversation(t *testing.T) { scaffold.Run(t, scenario()) }

func do(s *scaffold.Stage, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	do(s, err)
	return value
}
