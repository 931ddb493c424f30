package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"keylane/host/agent"
	"keylane/host/clock"
	"keylane/host/session"
)

// held is an answer that waits until the test lets it go.
func held(r reply) (reply, func()) {
	asked, release := make(chan struct{}), make(chan struct{})
	r.gate = func() {
		close(asked)
		<-release
	}
	return r, func() {
		<-asked
		close(release)
	}
}

func words(messages []session.Message) []string {
	var said []string
	for _, m := range messages {
		said = append(said, m.Text())
	}
	return said
}

func prompts(a *agent.Agent) []string {
	var said []string
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeUserMessage {
			said = append(said, data[session.Message](e).Text())
		}
	}
	return said
}

func content(words string) []session.Block {
	return []session.Block{{Type: session.BlockText, Text: words}}
}

func TestQueuedMessagesAreEditedAndRemovedUntilATurnTakesThem(t *testing.T) {
	w := newWorld(t)
	first, release := held(says("1"))
	w.model.prepare(first, says("2"), says("3"))
	a := w.create()
	for _, each := range []string{"one", "two", "three", "four"} {
		w.prompt(a, each)
	}
	if err := a.EditQueued(t.Context(), "message-two", content("two, edited")); err != nil {
		t.Fatal(err)
	}
	if err := a.RemoveQueued(t.Context(), "message-three"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"edit":   a.EditQueued(t.Context(), "message-three", content("x")),
		"remove": a.RemoveQueued(t.Context(), "message-three"),
		"steer":  a.SteerQueued(t.Context(), "nobody"),
	} {
		if !errors.Is(err, agent.ErrItemNotFound) {
			t.Errorf("%s what has left the queue: %v", name, err)
		}
	}
	if diff := cmp.Diff([]string{"two, edited", "four"}, words(a.Log().Projection().Inbox)); diff != "" {
		t.Error(diff)
	}
	release()
	w.idle(a)
	if diff := cmp.Diff([]string{"one", "two, edited", "four"}, prompts(a)); diff != "" {
		t.Error(diff)
	}
	if err := a.EditQueued(t.Context(), "message-four", content("too late")); !errors.Is(err, agent.ErrItemNotFound) {
		t.Errorf("editing what a turn has taken: %v", err)
	}
}

func TestAQueuedMessageIsMovedAndTheOrderIsTheOneOfTheTurns(t *testing.T) {
	w := newWorld(t)
	first, release := held(says("0"))
	w.model.prepare(first, says("1"), says("2"), says("3"), says("4"))
	a := w.create()
	for _, each := range []string{"zero", "one", "two", "three", "four"} {
		w.prompt(a, each)
	}
	for _, step := range []struct{ id, before, want string }{
		{"four", "message-one", "four one two three"},
		{"four", "", "one two three four"},
		{"one", "message-four", "two three one four"},
		{"three", "message-one", "two three one four"},   // it is there already
		{"three", "message-three", "two three one four"}, // before itself
		{"three", "message-zero", "two three one four"},  // a turn has taken that one
		{"one", "message-two", "one two three four"},
		{"two", "message-four", "one three two four"},
	} {
		before := a.Log().Len()
		if err := a.MoveQueued(t.Context(), "message-"+step.id, step.before); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(words(a.Log().Projection().Inbox), " "); got != step.want || a.Log().Len() > before+1 {
			t.Errorf("%s before %q: %s, by %d events", step.id, step.before, got, a.Log().Len()-before)
		}
	}
	release()
	w.idle(a)
	if diff := cmp.Diff([]string{"zero", "one", "three", "two", "four"}, prompts(a)); diff != "" {
		t.Error(diff)
	}
	if err := a.MoveQueued(t.Context(), "message-four", ""); !errors.Is(err, agent.ErrItemNotFound) {
		t.Errorf("moving what a turn has taken: %v", err)
	}
}

func TestASteeredMessageJoinsTheRunningTurnAtItsNextStep(t *testing.T) {
	w := newWorld(t)
	first, release := held(calls(call(0, "c", "bash", `{"command":"true","description":"d"}`)))
	w.model.prepare(first, says("done"))
	a := w.create()
	w.prompt(a, "one")
	w.prompt(a, "two")
	if err := a.SteerQueued(t.Context(), "message-two"); err != nil {
		t.Fatal(err)
	}
	if err := a.Steer(t.Context(), user("three")); err != nil {
		t.Fatal(err)
	}
	p := a.Log().Projection()
	if len(p.Inbox) != 0 || cmp.Diff([]string{"two", "three"}, words(p.InboxNextStep)) != "" {
		t.Errorf("%v %v", words(p.Inbox), words(p.InboxNextStep))
	}
	release()
	w.idle(a)
	want := `tool/result c [no output]
step/end
step/start
agent/inbox/spliced +0 -2 @0
user/message two
user/message three
assistant/message done
step/end
turn/end completed
`
	if diff := cmp.Diff(want, tail(a, 9)); diff != "" {
		t.Error(diff)
	}
	asked := w.model.asked()
	if last := asked[1].Messages; len(asked) != 2 || last[len(last)-1].Text() != "three" {
		t.Errorf("the second request ends in %v", last[len(last)-1])
	}
}

func TestATurnWhoseModelIsDoneTakesWhatWasSteeredMeanwhile(t *testing.T) {
	w := newWorld(t)
	first, release := held(says("1"))
	w.model.prepare(first, says("2"))
	a := w.create()
	w.prompt(a, "one")
	if err := a.Steer(t.Context(), user("two")); err != nil {
		t.Fatal(err)
	}
	release()
	w.idle(a)
	got := outline(a.Log().Events(0, -1))
	if strings.Count(got, "turn/start") != 1 || !strings.HasSuffix(got, "assistant/message 1\nstep/end\nstep/start\nagent/inbox/spliced +0 -1 @0\nuser/message two\nassistant/message 2\nstep/end\nturn/end completed\n") {
		t.Error(got)
	}
}

func TestWithoutATurnSteeringQueuesAndAQueuedMessageStays(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("So far"))
	w.model.prepare(hanging, says("2"), says("3"))
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	w.prompt(a, "two")
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if err := a.SteerQueued(t.Context(), "message-two"); !errors.Is(err, agent.ErrSteerUnavailable) {
		t.Errorf("steering without a turn: %v", err)
	}
	if err := a.Steer(t.Context(), user("three")); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if diff := cmp.Diff([]string{"one", "two", "three"}, prompts(a)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAStoppedTurnDidNotTakeComesFirstInTheQueue(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("So far"))
	w.model.prepare(hanging, says("2"), says("3"), says("4"))
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	w.prompt(a, "three")
	if err := a.Steer(t.Context(), user("two")); err != nil {
		t.Fatal(err)
	}
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	p := a.Log().Projection()
	if len(p.InboxNextStep) != 0 || cmp.Diff([]string{"two", "three"}, words(p.Inbox)) != "" {
		t.Errorf("%v %v", words(p.Inbox), words(p.InboxNextStep))
	}
	w.prompt(a, "four")
	w.idle(a)
	if diff := cmp.Diff([]string{"one", "two", "three", "four"}, prompts(a)); diff != "" {
		t.Error(diff)
	}
}

// A host that died between the two halves of a move left the message in both queues.
func TestAMessageThatACrashLeftInBothQueuesIsTakenOnce(t *testing.T) {
	w := newWorld(t)
	a := w.create()
	id := a.Log().ID()
	header := a.Log().Header()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(0)
	log, err := session.NewLog(header, nil, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []session.InboxSpliced{
		{Target: session.InboxNextTurn, Inserted: []session.Message{user("one"), user("two")}},
		{Target: session.InboxNextStep, Inserted: []session.Message{user("two"), user("three")}},
	} {
		if _, err := log.Append(session.TypeInboxSpliced, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.store.Create(t.Context(), header), w.store.Append(t.Context(), id, log.Events(0, -1))); err != nil {
		t.Fatal(err)
	}
	a, err = w.manager.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w.model.prepare(says("1"), says("2"), says("3"), says("4"))
	w.prompt(a, "four")
	w.idle(a)
	if diff := cmp.Diff([]string{"three", "one", "two", "four"}, prompts(a)); diff != "" {
		t.Error(diff)
	}
}

func TestARemovedMessageNeverEntersATurnHoweverTheRaceEnds(t *testing.T) {
	w := newWorld(t)
	a := w.create()
	for range 50 {
		w.model.prepare(says("1"), says("2"))
		before := len(prompts(a))
		w.prompt(a, "one")
		w.prompt(a, "two")
		removed := make(chan error, 1)
		go func() { removed <- a.RemoveQueued(context.Background(), "message-two") }()
		err := <-removed
		w.idle(a)
		taken := slices.Contains(prompts(a)[before:], "two")
		if taken == (err == nil) {
			t.Fatalf("removed with %v, and a turn took it: %v", err, taken)
		}
		if len(a.Log().Projection().Inbox) != 0 {
			t.Fatal("something is left in the queue")
		}
		w.model.forget()
	}
}
