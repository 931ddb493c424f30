package agent_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"keylane/host/agent"
	"keylane/host/llm"
	"keylane/host/session"
	"keylane/host/tool"
	"keylane/host/tool/todo"
)

func TestATurnWithACommandLogsItsEventsInOrder(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(
		calls(text("Looking."), call(1, "call-1", "bash", `{"command":"echo one; pwd","description":"look"}`)),
		says("Done."))
	a := w.create()
	w.prompt(a, "please look around here for me")
	w.idle(a)
	want := `agent/inbox/spliced +1 -0 @0
turn/start
agent/inbox/spliced +0 -1 @0
step/start
user/message please look around here for me
session/title please look around here for
request/header initial small
request/context 1000
assistant/message Looking.
tool/call call-1
tool/result call-1 one
` + w.cwd + `
step/end
step/start
assistant/message Done.
step/end
turn/end completed
`
	if diff := cmp.Diff(want, outline(a.Log().Events(0, -1))); diff != "" {
		t.Error(diff)
	}
	_, stored, err := w.store.Inspect(t.Context(), a.Log().ID())
	if err != nil || int64(len(stored)) != a.Log().Len() {
		t.Errorf("idle, but %d of %d events are stored (%v)", len(stored), a.Log().Len(), err)
	}
}

func TestAMessageCitesItsChunksAndAResultItsCall(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(calls(call(0, "call-1", "bash", `{"command":"true","description":"d"}`)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	var chunks []int64
	var calledAt int64
	for _, e := range a.Log().Events(0, -1) {
		switch e.Type {
		case session.TypeAssistantChunk:
			chunks = append(chunks, e.Seq)
		case session.TypeAssistantMessage:
			if !slices.Equal(e.SourceEventSeqs, chunks) {
				t.Errorf("message %d cites %v, its chunks are %v", e.Seq, e.SourceEventSeqs, chunks)
			}
			chunks = nil
		case session.TypeToolCall:
			calledAt = e.Seq
		case session.TypeToolResult:
			if !slices.Equal(e.SourceEventSeqs, []int64{calledAt}) {
				t.Errorf("result %d cites %v, its call is %d", e.Seq, e.SourceEventSeqs, calledAt)
			}
		}
	}
}

func TestARequestIsWhatTheLogSaysAndDurableBeforeItIsSent(t *testing.T) {
	w := newWorld(t)
	var a *agent.Agent
	check := func(r llm.Request) {
		events := a.Log().Events(0, -1)
		if stored := w.store.stored(); stored != int64(len(events)) {
			t.Errorf("asked with %d of %d events durable", stored, len(events))
		}
		history, err := session.History(events)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(history, r.Messages); diff != "" {
			t.Errorf("messages: %s", diff)
		}
		var header session.RequestHeaderBody
		for _, e := range events {
			if e.Type == session.TypeRequestHeader {
				header = data[session.RequestHeader](e).Header
			}
		}
		var tools []llm.ToolSchema
		if err := json.Unmarshal(header.Tools, &tools); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(tools, r.Tools); diff != "" {
			t.Errorf("tools: %s", diff)
		}
		if r.System != header.System || r.Model != header.Config.Model || r.Provider != header.Config.Provider {
			t.Errorf("request %+v differs from the logged header %+v", r, header)
		}
	}
	first := calls(call(0, "c", "bash", `{"command":"true","description":"d"}`))
	second := says("x")
	first.asked, second.asked = check, check
	w.model.prepare(first, second)
	a = w.create()
	w.prompt(a, "go")
	w.idle(a)
	asked := w.model.asked()
	if len(asked) != 2 || asked[0].System != "You are Small One in "+w.cwd+"." || len(asked[0].Tools) != 1 || asked[0].Purpose != llm.PurposeTurn {
		t.Errorf("asked %d: %+v", len(asked), asked)
	}
}

func TestAHeaderIsLoggedAgainOnlyWhenItChanged(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("1"), says("2"), says("3"))
	a := w.create()
	w.prompt(a, "one")
	w.idle(a)
	w.prompt(a, "two")
	w.idle(a)
	if err := a.SelectModel("fake", "large"); err != nil {
		t.Fatal(err)
	}
	w.prompt(a, "three")
	w.idle(a)
	var got []string
	for line := range strings.Lines(outline(a.Log().Events(0, -1))) {
		if strings.HasPrefix(line, "request/") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"request/header initial small", "request/context 1000", "request/header change large", "request/context 2000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := a.SelectModel("fake", "none"); !errors.Is(err, agent.ErrModelUnavailable) {
		t.Errorf("selected a model nobody has: %v", err)
	}
	if err := a.SelectModel("nobody", "small"); !errors.Is(err, agent.ErrModelUnavailable) {
		t.Errorf("selected a provider nobody registered: %v", err)
	}
}

func TestEveryBadAnswerEndsTheTurnWithItsFailure(t *testing.T) {
	for name, c := range map[string]struct {
		reply reply
		want  string
	}{
		"nothing said":       {reply{chunks: []llm.Chunk{finish(llm.FinishStop)}}, "turn/end error EMPTY_RESPONSE"},
		"only blanks":        {says(" \n"), "turn/end error EMPTY_RESPONSE"},
		"no finish":          {reply{chunks: []llm.Chunk{text("half")}}, "turn/end error TRANSPORT"},
		"the provider fails": {reply{err: llm.NewError(llm.CodeRateLimit, "slow down", nil)}, "turn/end error RATE_LIMIT"},
		"call without id":    {calls(call(0, "", "bash", "{}")), "turn/end error PROTOCOL"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.model.prepare(c.reply)
			a := w.create()
			w.prompt(a, "go")
			w.idle(a)
			got := outline(a.Log().Events(0, -1))
			if !strings.HasSuffix(got, "step/end\n"+c.want+"\n") || strings.Contains(got, "assistant/message") || strings.Contains(got, "tool/call") {
				t.Errorf("want %s, got\n%s", c.want, got)
			}
		})
	}
}

func TestAnAnswerAtTheTokenLimitRunsNoTools(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(reply{chunks: []llm.Chunk{text("I will"), call(1, "c", "bash", `{"command":"touch ran`), finish(llm.FinishMaxTokens)}})
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	got := outline(a.Log().Events(0, -1))
	if !strings.HasSuffix(got, "assistant/message I will\nstep/end\nturn/end max-tokens\n") {
		t.Error(got)
	}
}

func TestATurnStopsAtItsStepLimit(t *testing.T) {
	w := newWorld(t)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(2)
	for _, id := range []string{"a", "b", "c"} {
		w.model.prepare(calls(call(0, id, "bash", `{"command":"true","description":"d"}`)))
	}
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end error MAX_STEPS\n") || len(w.model.asked()) != 2 {
		t.Error(got)
	}
}

func TestWrongCallsGetResultsAndTheModelGoesOn(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(calls(
		call(0, "a", "bash", `{"command":`), call(1, "b", "bash", `{"command":1}`), call(2, "c", "nobody", `{}`), call(3, "d", "bash", `{"command":"exit 3","description":"d"}`)),
		says("I see."))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	results := map[string]string{}
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeToolResult {
			d := data[session.ToolResult](e)
			code := "-"
			if d.Error != nil {
				code = d.Error.Code
			}
			results[d.Message.Source.CallID] = code
		}
	}
	want := map[string]string{"a": tool.CodeInvalidArguments, "b": tool.CodeInvalidArguments, "c": tool.CodeUnknownTool, "d": "-"}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error(diff)
	}
	if got := outline(a.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end completed\n") {
		t.Error(got)
	}
}

func TestAResultTheLogRefusesIsReplaced(t *testing.T) {
	w := newWorld(t)
	if _, err := w.tools.Register(broken{}); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "a", "broken", `{}`)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); !strings.Contains(got, "tool/result a Error: the tool's result could not be stored TOOL_INTERNAL\n") {
		t.Error(got)
	}
}

func TestAToolsEventsComeJustBeforeItsResult(t *testing.T) {
	w := newWorld(t)
	if _, err := w.tools.Register(todo.New()); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "a", "todo_write", `{"todos":[{"content":"Do it","status":"pending"}]}`)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	want := "tool/call a\ntodo/write\ntool/result a The list has 1 entries: 0 completed, 0 in progress, 1 pending.\nstep/end\n"
	if got := outline(a.Log().Events(0, -1)); !strings.Contains(got, want) {
		t.Error(got)
	}
	if diff := cmp.Diff([]session.Todo{{Content: "Do it", Status: todo.Pending}}, a.Log().Projection().Todos); diff != "" {
		t.Error(diff)
	}
}

func TestAChunkIsLoggedAsTheModelWroteIt(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("a < b && c > d"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), `\u00`) {
			t.Errorf("escaped: %s", e.Data)
		}
	}
}
