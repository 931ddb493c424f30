package agent_test

import (
	"encoding/json"
	"slices"
	"testing"

	"keylane/host/agent"
	"keylane/host/llm"
	"keylane/host/session"
)

const look = `{"command":"true","description":"look"}`

// callsOf are the ids of the calls of a log, of their results, and of the calls that the model's next request has.
func callsOf(t *testing.T, a *agent.Agent, last llm.Request) (called, answered, asked []string) {
	t.Helper()
	for _, e := range a.Log().Events(0, -1) {
		switch e.Type {
		case session.TypeToolCall:
			var call session.ToolCall
			if err := json.Unmarshal(e.Data, &call); err != nil {
				t.Fatal(err)
			}
			called = append(called, call.CallID)
		case session.TypeToolResult:
			message, _, err := session.MessageOf(e)
			if err != nil {
				t.Fatal(err)
			}
			answered = append(answered, message.Content[0].ToolCallID)
		}
	}
	for _, message := range last.Messages {
		for _, block := range message.Content {
			if block.Type == session.BlockToolCall {
				asked = append(asked, block.ID)
			}
		}
	}
	return called, answered, asked
}

func TestEveryCallOfASessionHasAnIdOfItsOwn(t *testing.T) {
	w := newWorld(t)
	half := calls(call(0, "call_0", "bash", look))
	half.chunks = half.chunks[:1] // its id is on every page that looks on
	w.model.prepare(
		calls(call(0, "call_0", "bash", look), call(1, "call_0", "bash", look)), calls(call(0, "call_0", "bash", look)), says("done"),
		half,
	)
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	w.prompt(a, "again")
	w.idle(a)
	id := a.Log().ID()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}

	w.boot(0)
	w.model.prepare(calls(call(0, "call_0", "bash", look)), says("done"))
	a, err := w.manager.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(a, "and again")
	w.idle(a)
	requests := w.model.asked()
	called, answered, asked := callsOf(t, a, requests[len(requests)-1])
	want := []string{"call_0", "call_0_2", "call_0_3", "call_0_5"} // the fourth never ran
	if !slices.Equal(called, want) || !slices.Equal(answered, want) || !slices.Equal(asked, want) {
		t.Errorf("called are %q, answered %q, told to the model %q, want %q", called, answered, asked, want)
	}
}
