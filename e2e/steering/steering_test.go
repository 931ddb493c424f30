// Package steering_test hands messages to a turn that runs, by the queue's button and by the keyboard, while a command holds the turn at a
// gate. Each joins that turn at its next step, as one ordinary message, and the page shows it at every moment. What Enter does meanwhile is
// the person's choice.
package steering_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// What is sent, in order: three prompts, into the turn of each one message, and one more that waits for its own.
const (
	wait   = "Wait at the gate."
	banana = "Name the BANANA."
	again  = "Wait there again."
	cherry = "Name the CHERRY."
	third  = "Wait a third time."
	damson = "Name the DAMSON."
	elder  = "Name the ELDERBERRY."
)

// The regions that the goldens hold.
var (
	conversation = chromium.Role("main", "Conversation")
	queue        = chromium.Role("region", "Queued messages")
	steering     = chromium.CSS("[data-pending-steering]")
)

// fifo makes the gate, at which the command waits for a line.
func fifo(folders scaffold.Folders) error {
	if err := syscall.Mkfifo(filepath.Join(folders.Workspace, "gate"), 0o600); err != nil {
		return fmt.Errorf("making the gate: %w", err)
	}
	return nil
}

// openGate lets one command through, now or when it comes.
func openGate(s *scaffold.Stage, gate *os.File) {
	s.Helper()
	if _, err := gate.WriteString("open\n"); err != nil {
		s.Fatalf("opening the gate: %v", err)
	}
}

// awaitCommands waits until n commands have begun; the last one waits at the gate.
func awaitCommands(s *scaffold.Stage, n int) {
	s.Helper()
	s.AwaitEvent("the command at the gate", func(session.Event) bool { return s.Count(session.TypeToolCall) == n })
}

// write writes a message with the keyboard alone, up to the key that sends it.
func write(s *scaffold.Stage, text, key string) {
	s.Helper()
	s.Click(chromium.Role("textbox", "Message the agent"))
	if err := s.Page.Type(s.Context, text); err != nil {
		s.Fatalf("typing: %v", err)
	}
	s.Press(key)
}

// drive runs both turns; steer is how a message of the queue gets into the first one.
func drive(s *scaffold.Stage, steer func(*scaffold.Stage)) {
	// For reading and writing, so that opening waits for nobody and a line stays until it is read.
	gate, err := os.OpenFile(filepath.Join(s.Folders.Workspace, "gate"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.Fatalf("opening the pipe: %v", err)
	}
	defer gate.Close()
	s.Open("/")
	s.Send(wait)
	awaitCommands(s, 1)
	write(s, banana, "Enter")
	s.WaitFor(chromium.Role("button", "Steer queued message"))
	steer(s)
	openGate(s, gate)
	s.Settle()

	s.Send(again)
	awaitCommands(s, 2)
	write(s, cherry, "Control+Enter")
	s.WaitFor(steering)
	if queued, err := s.Page.FindAll(s.Context, queue); err != nil || len(queued) > 0 {
		s.Errorf("a message that is steered at once is in the queue: %v %v", queued, err)
	}
	openGate(s, gate)
	s.Settle()

	s.Send(third)
	awaitCommands(s, 3)
	chooseSteering(s)
	write(s, damson, "Enter")
	s.WaitFor(steering)
	write(s, elder, "Control+Enter")
	s.WaitFor(chromium.Role("button", "Edit queued message"))
	openGate(s, gate)
	s.Settle()
}

// chooseSteering makes Enter steer, with the keyboard alone.
func chooseSteering(s *scaffold.Stage) {
	s.Helper()
	button := chromium.Role("button", "While a turn runs, Enter queues")
	if err := s.Page.Focus(s.Context, button); err != nil {
		s.Fatalf("%v", err)
	}
	s.Press("Enter")
	menu := chromium.Role("menu", "While a turn runs")
	s.WaitFor(menu)
	s.Golden("enter-menu", menu)
	s.Press("Escape")
	if err := s.Page.WaitGone(s.Context, menu); err != nil {
		s.Fatalf("%v", err)
	}
	s.Press("Enter") // the button has the focus again
	s.WaitFor(menu)
	s.Press("ArrowDown")
	s.Press("Enter")
	s.WaitFor(chromium.Role("button", "While a turn runs, Enter steers"))
}

func scenario() scaffold.Scenario {
	s := scaffold.Scenario{
		Name:    "steering",
		Fixture: true,
		Prepare: fifo,
		Drive: func(s *scaffold.Stage) {
			drive(s, func(s *scaffold.Stage) {
				s.Golden("queued", queue)
				s.Click(chromium.Role("button", "Steer queued message"))
				s.WaitFor(steering)
				s.Golden("steering", conversation)
			})
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed", "completed")
			s.WantPrompts(wait, banana, again, cherry, third, damson, elder)
			wantPositions(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.Click(chromium.Role("button", "Keyboard shortcuts")) // the choice has outlived the page
			s.Golden("shortcuts", chromium.Role("dialog", "Keyboard shortcuts"))
			s.WantDurable()
		},
	}
	s.StandStill() // commands wait at the gate for the person
	return s
}

// wantPositions checks that each turn but the last has one message more than its prompt, behind the command's result and before the answer.
func wantPositions(s *scaffold.Stage) {
	s.Helper()
	var got []string
	for _, e := range s.Events() {
		switch e.Type {
		case session.TypeTurnStart, session.TypeUserMessage, session.TypeAssistantMessage, session.TypeToolResult, session.TypeStepStart, session.TypeTurnEnd:
			got = append(got, e.Type)
		}
	}
	turn := []string{
		session.TypeTurnStart, session.TypeStepStart, session.TypeUserMessage, session.TypeAssistantMessage, session.TypeToolResult,
		session.TypeStepStart, session.TypeUserMessage, session.TypeAssistantMessage, session.TypeTurnEnd,
	}
	own := []string{session.TypeTurnStart, session.TypeStepStart, session.TypeUserMessage, session.TypeAssistantMessage, session.TypeTurnEnd}
	if diff := cmp.Diff(slices.Concat(turn, turn, turn, own), got); diff != "" {
		s.Errorf("the messages stand elsewhere (-want +got):\n%s", diff)
	}
}

func TestASteeredMessageJoinsTheRunningTurn(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A message that is left to wait for a turn of its own would be seen.
func TestAMessageThatWaitsInsteadWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Drive = func(s *scaffold.Stage) { drive(s, func(*scaffold.Stage) {}) }
	mutant.Check = nil
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	if words := "asks something else than recorded"; !strings.Contains(failures, words) {
		t.Errorf("no failure says %q:\n%s", words, failures)
	}
}
