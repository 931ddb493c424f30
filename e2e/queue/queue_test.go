// Package queue_test sends messages while a turn runs: they wait, are edited, moved and removed, stay where they are when the turn is stopped, the
// page reloaded and the host booted again, and are taken in order, each once, when the person goes on.
package queue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// What is sent, in order, and what becomes of it.
const (
	long   = "Work on something long."
	two    = "Then count to two." // is edited
	twenty = "Then count to twenty."
	three  = "Then count to three." // is removed
	four   = "Then count to four."
	goOn   = "Go on."
)

// The regions that the goldens hold.
var (
	conversation = chromium.Role("main", "Conversation")
	queue        = chromium.Role("region", "Queued messages")
)

func button(name string) chromium.Query { return chromium.Role("button", name) }

// sendWhileRunning leaves a turn running with three messages behind it.
func sendWhileRunning(s *scaffold.Stage) {
	s.Open("/")
	s.Send(long)
	s.AwaitEvent("the first sentence", func(e session.Event) bool {
		return e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), "it. This")
	})
	s.Reach("working")
	for _, each := range []string{two, three, four} {
		s.Send(each)
	}
	s.WaitFor(button("3 queued messages"))
}

// edit replaces the text of the n-th queued message.
func edit(s *scaffold.Stage, n int, text string) {
	s.Helper()
	s.Click(button("Edit queued message").Nth(n))
	field := chromium.Role("textbox", "Queued message")
	s.Click(field)
	s.Press("Control+a")
	for _, gesture := range []func() error{
		// An input method's Enter and Escape are its own: they neither save nor cancel.
		func() error { return s.Page.Compose(s.Context, "ershi") },
		func() error { return s.Page.PressComposing(s.Context, "Escape") },
		func() error { return s.Page.PressComposing(s.Context, "Enter") },
		func() error { _, err := s.Page.Find(s.Context, field); return err },
		func() error { return s.Page.Compose(s.Context, "") },
		func() error { return s.Page.Type(s.Context, text) },
	} {
		if err := gesture(); err != nil {
			s.Fatalf("typing over the queued message: %v", err)
		}
	}
	s.Click(button("Save queued message"))
	s.WaitFor(button("Edit queued message").Nth(n))
}

// move puts the last message first: by a button, by the keyboard, back again, and by the mouse.
func move(s *scaffold.Stage) {
	s.Helper()
	s.Click(button("Move queued message up").Nth(3))
	awaitOrder(s, twenty, four, three)
	s.Press("Alt+ArrowUp") // the button has kept the focus
	awaitOrder(s, four, twenty, three)
	s.Press("Alt+ArrowUp") // further it does not go
	s.Press("Alt+ArrowDown")
	awaitOrder(s, twenty, four, three)
	s.Golden("moved", queue)
	if err := s.Page.Drag(s.Context, chromium.CSS("[data-queue-item]:nth-child(2)"), 0, -40, 4); err != nil {
		s.Fatalf("dragging the queued message: %v", err)
	}
	awaitOrder(s, four, twenty, three)
}

// awaitOrder waits until the queue shows these messages in this order.
func awaitOrder(s *scaffold.Stage, texts ...string) {
	s.Helper()
	want, err := json.Marshal(texts)
	if err != nil {
		s.Fatalf("quoting: %v", err)
	}
	const shown = `JSON.stringify([...document.querySelectorAll("[data-queue-item] [id]:first-of-type")].map(e => e.textContent))`
	await := `(async () => { const want = JSON.stringify(` + string(want) + `); while (` + shown + ` !== want) await new Promise(requestAnimationFrame) })()`
	if _, err := chromium.Eval[any](s.Context, s.Page, await); err != nil {
		s.Fatalf("waiting for the order %s: %v", want, err)
	}
}

// parked checks that the two messages that are left wait, whole and in order, with nothing running.
func parked(s *scaffold.Stage, open bool) {
	s.Helper()
	if open {
		s.Click(button("2 queued messages"))
	}
	s.Golden("parked", queue)
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "queue",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			sendWhileRunning(s)
			s.Golden("queued", queue)
			s.Click(button("3 queued messages"))
			edit(s, 1, twenty)
			s.Golden("edited", queue)
			move(s)
			s.Click(button("Remove queued message").Nth(3))
			s.WaitFor(button("2 queued messages"))
			s.Golden("removed", queue)

			s.Click(button("Stop"))
			s.Settle()
			parked(s, false)
			s.Golden("stopped", conversation)
			s.Reload()
			s.Settle()
			parked(s, true)
			s.Restart()
			s.Settle()
			parked(s, true)

			s.Send(goOn)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("aborted", "completed", "completed", "completed")
			s.WantPrompts(long, four, twenty, goOn)
			wantEachOnce(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

// wantEachOnce checks that no message entered a turn twice, whatever its text, and that none waits.
func wantEachOnce(s *scaffold.Stage) {
	s.Helper()
	seen := map[string]bool{}
	for _, e := range s.Events() {
		if e.Type != session.TypeUserMessage {
			continue
		}
		message, _, err := session.MessageOf(e)
		if err != nil {
			s.Fatalf("reading a message: %v", err)
		}
		if seen[message.ID] {
			s.Errorf("message %s, %q, entered a turn twice", message.ID, message.Text())
		}
		seen[message.ID] = true
	}
	if waits, err := s.Page.FindAll(s.Context, queue); err != nil || len(waits) > 0 {
		s.Errorf("the page still shows a queue: %v %v", waits, err)
	}
}

func TestQueuedMessagesStayUntilTheirTurn(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A queue that is not edited or not moved, a message that is not removed and a queue that is lost would each be seen.
func TestAQueueThatIsNotWhatThePersonMadeOfItWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		drive func(*scaffold.Stage)
		says  []string
	}{
		{"not edited", func(s *scaffold.Stage) {
			s.Click(button("3 queued messages"))
			s.Click(button("Move queued message up").Nth(3))
			awaitOrder(s, two, four, three)
			s.Press("Alt+ArrowUp")
			awaitOrder(s, four, two, three)
			s.Click(button("Remove queued message").Nth(3))
		}, []string{"asks something else than recorded", "other prompts"}},
		{"not moved", func(s *scaffold.Stage) {
			s.Click(button("3 queued messages"))
			edit(s, 1, twenty)
			s.Click(button("Remove queued message").Nth(2))
		}, []string{"asks something else than recorded", "other prompts"}},
		{"not removed", func(s *scaffold.Stage) {
			s.Click(button("3 queued messages"))
			edit(s, 1, twenty)
			move(s)
		}, []string{"asks something else than recorded", "other prompts"}},
		{"lost", func(s *scaffold.Stage) {
			s.Click(button("3 queued messages"))
			edit(s, 1, twenty)
			s.Click(button("Remove queued message").Nth(2))
			s.Click(button("Remove queued message").Nth(2))
		}, []string{"other prompts"}},
	} {
		broken := scenario()
		broken.Drive = func(s *scaffold.Stage) {
			sendWhileRunning(s)
			mutant.drive(s)
			s.Click(button("Stop"))
			s.Settle()
			s.Restart()
			s.Settle()
			s.Send(goOn)
			s.Settle()
		}
		broken.Check = func(s *scaffold.Stage) { s.WantPrompts(long, four, twenty, goOn) }
		failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
		for _, words := range mutant.says {
			if !strings.Contains(failures, words) {
				t.Errorf("%s: no failure says %q:\n%s", mutant.name, words, failures)
			}
		}
	}
}
