package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"keylane/host/llm"
	"keylane/host/tool"
)

// meeting is a parallel tool whose calls tell when they begin and go on when they are let.
type meeting struct {
	begun chan string
	leave map[string]chan struct{}
}

func newMeeting(ids ...string) *meeting {
	m := &meeting{begun: make(chan string, len(ids)), leave: map[string]chan struct{}{}}
	for _, id := range ids {
		m.leave[id] = make(chan struct{})
	}
	return m
}

func (*meeting) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "meet", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (*meeting) Parallel() bool { return true }

func (m *meeting) Run(ctx context.Context, c tool.Call) tool.Result {
	m.begun <- c.CallID
	select {
	case <-m.leave[c.CallID]:
	case <-ctx.Done():
		return tool.Failed("AbortError", "TOOL_ABORTED", "was stopped")
	}
	if strings.HasPrefix(c.CallID, "bad") {
		return tool.Failed("E", "BAD", "it is bad")
	}
	return tool.Result{Text: c.CallID + " was here"}
}

func TestCallsThatChangeNothingRunSideBySideAndAnswerInOrder(t *testing.T) {
	w := newWorld(t)
	m := newMeeting("bad", "b", "c")
	if _, err := w.tools.Register(m); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "bad", "meet", `{}`), call(1, "b", "meet", `{}`), call(2, "c", "meet", `{}`)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	for range 3 { // all are inside before one leaves
		<-m.begun
	}
	for _, id := range []string{"c", "b", "bad"} {
		close(m.leave[id])
	}
	w.idle(a)
	want := `tool/call bad
tool/call b
tool/call c
tool/result bad Error: it is bad BAD
tool/result b b was here
tool/result c c was here
step/end
step/start
assistant/message ok
step/end
turn/end completed
`
	if diff := cmp.Diff(want, tail(a, 11)); diff != "" {
		t.Error(diff)
	}
}

func TestAnExclusiveCallRunsAlone(t *testing.T) {
	w := newWorld(t)
	m := newMeeting("a", "b", "d")
	if _, err := w.tools.Register(m); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "a", "meet", `{}`), call(1, "b", "meet", `{}`),
		call(2, "c", "bash", `{"command":"echo alone","description":"d"}`), call(3, "d", "meet", `{}`)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	<-m.begun
	<-m.begun
	close(m.leave["a"])
	close(m.leave["b"])
	if id := <-m.begun; id != "d" {
		t.Errorf("%s began after the command", id)
	}
	if got := tail(a, 3); got != "tool/call c\ntool/result c alone\ntool/call d\n" {
		t.Error(got)
	}
	close(m.leave["d"])
	w.idle(a)
}

func TestNoMoreCallsThanAllowedRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var ids []string
		var chunks []llm.Chunk
		for i := range 13 {
			ids = append(ids, fmt.Sprint("call", i))
			chunks = append(chunks, call(i, ids[i], "meet", `{}`))
		}
		m := newMeeting(ids...)
		if _, err := w.tools.Register(m); err != nil {
			t.Fatal(err)
		}
		w.model.prepare(calls(chunks...), says("ok"))
		a := w.create()
		w.prompt(a, "go")
		synctest.Wait() // whatever can begin has begun
		if len(m.begun) != 10 {
			t.Errorf("%d calls run side by side", len(m.begun))
		}
		for range 13 {
			close(m.leave[<-m.begun])
		}
		w.idle(a)
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestStopAnswersEveryCallThatRunsSideBySide(t *testing.T) {
	w := newWorld(t)
	var ids []string
	var chunks []llm.Chunk
	for i := range 11 {
		ids = append(ids, fmt.Sprint("call", i))
		chunks = append(chunks, call(i, ids[i], "meet", `{}`))
	}
	m := newMeeting(ids...)
	if _, err := w.tools.Register(m); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(chunks...))
	a := w.create()
	w.prompt(a, "go")
	for range 10 {
		<-m.begun
	}
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	want := `tool/result call9 Error: was stopped TOOL_ABORTED
tool/result call10 Error: tool call aborted before dispatch TOOL_ABORTED_BEFORE_DISPATCH
step/end
turn/end aborted user
`
	if diff := cmp.Diff(want, tail(a, 4)); diff != "" {
		t.Error(diff)
	}
	if len(m.begun) != 0 {
		t.Error("a call began after the stop")
	}
}
