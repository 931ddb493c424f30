package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
	"keylane/host/prompt"
	"keylane/host/session"
)

// contexts are the context messages of a log, without their frame, each with its kind.
func contexts(events []session.Event) []string {
	var all []string
	for _, e := range events {
		if e.Type != session.TypeUserMessage {
			continue
		}
		if m := data[session.Message](e); m.Source.Kind != session.SourceUser {
			all = append(all, m.Source.Kind+": "+strings.Split(m.Text(), "\n")[1])
		}
	}
	return all
}

func TestContextIsLoggedBeforeTheRequestThatShowsIt(t *testing.T) {
	w := newWorld(t)
	text := "one"
	source := prompt.Source{Kind: "weather", Text: func(_ context.Context, f prompt.Facts) string {
		if f.Cwd != w.cwd || f.Model != "Small One" || f.Mode != "full" {
			t.Errorf("%+v", f)
		}
		return text
	}}
	w.context(source)
	w.model.prepare(says("a"), says("b"), says("c"), says("d"))
	a := w.create()
	w.prompt(a, "What is up?")
	w.idle(a)
	w.prompt(a, "And now?")
	w.idle(a)
	text = "two"
	w.prompt(a, "And now?")
	w.idle(a)
	if diff := cmp.Diff([]string{"weather: one", "weather: two"}, contexts(a.Log().Events(0, -1))); diff != "" {
		t.Error(diff)
	}
	p := a.Log().Projection()
	if p.Title != "What is up?" || p.Turns != 3 {
		t.Errorf("the session is called %q and has %d turns", p.Title, p.Turns)
	}

	// Every request is what the log said when it was made: the person's words and the context after them.
	requests := w.model.asked()
	for i, want := range []string{"weather", "user", "weather"} {
		messages := requests[i].Messages
		if got := messages[len(messages)-1].Source.Kind; got != want {
			t.Errorf("request %d ends with a message from %s, want %s", i+1, got, want)
		}
		if got := llm.LastUserText(messages); got != []string{"What is up?", "And now?", "And now?"}[i] {
			t.Errorf("request %d: the person said %q", i+1, got)
		}
	}

	// A restart says nothing again: the log says it.
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(0)
	w.context(source)
	w.model.prepare(says("e"))
	again, err := w.manager.Open(t.Context(), a.Log().ID())
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(again, "Still?")
	w.idle(again)
	if diff := cmp.Diff([]string{"weather: one", "weather: two"}, contexts(again.Log().Events(0, -1))); diff != "" {
		t.Error(diff)
	}
}

func TestContextThatChangesWhileAToolRunsIsToldAtTheNextStep(t *testing.T) {
	w := newWorld(t)
	steps := 0
	w.context(prompt.Source{Kind: "steps", Text: func(context.Context, prompt.Facts) string {
		steps++
		return strings.Repeat("I", steps)
	}})
	w.model.prepare(calls(call(0, "c1", "bash", `{"command":"echo hi","description":"Greet"}`)), says("done"))
	a := w.create()
	w.prompt(a, "Go")
	w.idle(a)
	if diff := cmp.Diff([]string{"steps: I", "steps: II"}, contexts(a.Log().Events(0, -1))); diff != "" {
		t.Error(diff)
	}
	second := w.model.asked()[1].Messages
	var kinds []string
	for _, m := range second {
		kinds = append(kinds, m.Source.Kind)
	}
	if diff := cmp.Diff([]string{"user", "steps", "model", "tool", "steps"}, kinds); diff != "" {
		t.Error(diff)
	}
}
