package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"keylane/host/agent"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/session"
	"keylane/host/tool"
)

// broken gives a result whose Meta is no JSON.
type broken struct{}

func (broken) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "broken", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (broken) Run(context.Context, tool.Call) tool.Result {
	return tool.Result{Text: "x", Meta: json.RawMessage(`{`)}
}

// waiting is a tool that runs until it is cancelled, and says when it has begun.
type waiting struct{ begun chan string }

func (waiting) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "wait", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (w waiting) Run(ctx context.Context, c tool.Call) tool.Result {
	w.begun <- c.CallID
	<-ctx.Done()
	return tool.Result{Text: "was stopped"}
}

func tail(a *agent.Agent, lines int) string {
	all := strings.Split(strings.TrimSuffix(outline(a.Log().Events(0, -1)), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n") + "\n"
}

func TestStopKeepsWhatWasSaidAndTheQueue(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("So far"), call(1, "c", "bash", `{"comm`))
	w.model.prepare(hanging, says("second"), says("third"))
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	w.prompt(a, "two")
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if diff := cmp.Diff("agent/inbox/spliced +1 -0 @0\nassistant/message So far (interrupted)\nstep/end\nturn/end aborted user\n", tail(a, 4)); diff != "" {
		t.Error(diff)
	}
	if inbox := a.Log().Projection().Inbox; len(inbox) != 1 || inbox[0].Text() != "two" {
		t.Fatalf("the queue after stop: %v", inbox)
	}
	w.prompt(a, "three")
	w.idle(a)
	var order []string
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeUserMessage {
			order = append(order, data[session.Message](e).Text())
		}
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestStopWithoutVisibleTextLeavesNoMessage(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text(" \n"))
	w.model.prepare(hanging)
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); strings.Contains(got, "assistant/message") || !strings.HasSuffix(got, "turn/end aborted user\n") {
		t.Error(got)
	}
	if err := a.Cancel(t.Context()); err != nil {
		t.Error("cancelling an idle agent:", err)
	}
}

func TestStopInsideAToolAnswersEveryCall(t *testing.T) {
	w := newWorld(t)
	begun := make(chan string, 3)
	if _, err := w.tools.Register(waiting{begun}); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "a", "wait", `{}`), call(1, "b", "wait", `{}`), call(2, "c", "wait", `{}`)))
	a := w.create()
	w.prompt(a, "go")
	if id := <-begun; id != "a" {
		t.Errorf("%s began first", id)
	}
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	want := `tool/call a
tool/result a was stopped
tool/call b
tool/result b Error: tool call aborted before dispatch TOOL_ABORTED_BEFORE_DISPATCH
tool/call c
tool/result c Error: tool call aborted before dispatch TOOL_ABORTED_BEFORE_DISPATCH
step/end
turn/end aborted user
`
	if diff := cmp.Diff(want, tail(a, 8)); diff != "" {
		t.Error(diff)
	}
	if len(begun) != 0 {
		t.Error("a call began after the stop")
	}
}

func TestAPromptDuringTheUnwindingOfACancelledTurnRunsByItself(t *testing.T) {
	w := newWorld(t)
	begun, held := make(chan string, 1), make(chan struct{})
	if _, err := w.tools.Register(stubborn{begun, held}); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(calls(call(0, "a", "stubborn", `{}`)), says("second"))
	a := w.create()
	w.prompt(a, "one")
	<-begun
	cancelled := make(chan error, 1)
	go func() { cancelled <- a.Cancel(context.Background()) }()
	<-begun // the tool has seen the cancel and still unwinds
	w.prompt(a, "two")
	close(held)
	if err := <-cancelled; err != nil {
		t.Error(err)
	}
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); strings.Count(got, "turn/end") != 2 || !strings.HasSuffix(got, "assistant/message second\nstep/end\nturn/end completed\n") {
		t.Error(got)
	}
}

// stubborn says when it began and when it was cancelled, and ends when it is let.
type stubborn struct {
	seen chan string
	held chan struct{}
}

func (stubborn) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "stubborn", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (s stubborn) Run(ctx context.Context, _ tool.Call) tool.Result {
	s.seen <- "begun"
	<-ctx.Done()
	s.seen <- "cancelled"
	<-s.held
	return tool.Result{Text: "x"}
}

func TestPromptsWhileRunningQueueInOrder(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	first := says("1")
	first.asked = func(llm.Request) { <-release }
	w.model.prepare(first, says("2"), says("3"))
	a := w.create()
	w.prompt(a, "one")
	w.prompt(a, "two")
	w.prompt(a, "three")
	if !a.Running() {
		t.Error("not running")
	}
	close(release)
	w.idle(a)
	if a.Running() {
		t.Error("idle and running")
	}
	var turns []string
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeAssistantMessage {
			turns = append(turns, data[session.AssistantMessage](e).Message.Text())
		}
	}
	if diff := cmp.Diff([]string{"1", "2", "3"}, turns); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutDurabilityNoRequestIsSent(t *testing.T) {
	w := newWorld(t)
	a := w.create()
	w.store.broken.Store(true)
	if err := a.Prompt(t.Context(), user("one")); !errors.Is(err, errDiskFull) {
		t.Errorf("prompted: %v", err)
	}
	if err := a.WhenIdle(t.Context()); !errors.Is(err, errDiskFull) {
		t.Errorf("idle: %v", err)
	}
	if n := len(w.model.asked()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if got := outline(a.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end error PERSISTENCE\n") {
		t.Error(got)
	}
	w.store.broken.Store(false)
	w.model.prepare(says("back"))
	w.prompt(a, "two")
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end completed\n") {
		t.Error(got)
	}
}

func TestWithoutDurabilityTheQueueWaits(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	first := says("1")
	first.asked = func(llm.Request) { <-release; w.store.broken.Store(true) }
	w.model.prepare(first)
	a := w.create()
	w.prompt(a, "one")
	w.prompt(a, "two")
	close(release)
	if err := a.WhenIdle(t.Context()); !errors.Is(err, errDiskFull) {
		t.Errorf("idle: %v", err)
	}
	if inbox := a.Log().Projection().Inbox; len(inbox) != 1 || inbox[0].Text() != "two" {
		t.Errorf("the queue: %v", inbox)
	}
	w.store.broken.Store(false)
}

func TestAnAgentIsIdleOnlyOnceItsLogIsDurable(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("1"))
	a := w.create()
	announced := make(chan struct{})
	defer w.manager.OnChange(func(c agent.Change) {
		if c.Kind != agent.Status || c.Running {
			return
		}
		if stored := w.store.stored(); stored != c.Agent.Log().Len() {
			t.Errorf("idle with %d of %d events durable", stored, c.Agent.Log().Len())
		}
		close(announced)
	})()
	w.prompt(a, "one")
	<-announced
}

func TestWithoutDurabilityNoToolRuns(t *testing.T) {
	w := newWorld(t)
	marker := filepath.Join(w.cwd, "ran")
	answer := calls(call(0, "a", "bash", `{"command":"touch ran","description":"d"}`), call(1, "b", "bash", `{"command":"touch ran","description":"d"}`))
	answer.asked = func(llm.Request) { w.store.broken.Store(true) }
	w.model.prepare(answer)
	a := w.create()
	w.prompt(a, "one")
	if err := a.WhenIdle(t.Context()); !errors.Is(err, errDiskFull) {
		t.Errorf("idle: %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
	want := `tool/call a
tool/result a Error: the tool was not run, because the session could not be stored TOOL_NOT_STORED
tool/call b
tool/result b Error: the tool was not run, because the session could not be stored TOOL_NOT_STORED
step/end
turn/end error PERSISTENCE
`
	if diff := cmp.Diff(want, tail(a, 6)); diff != "" {
		t.Error(diff)
	}
	w.store.broken.Store(false)
}

func TestAHostThatClosesEndsTheTurnAndTheNextOneGoesOn(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("half"))
	w.model.prepare(hanging)
	a := w.create()
	id := a.Log().ID()
	w.prompt(a, "one")
	<-hanging.reached
	w.prompt(a, "two")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if err := a.Prompt(t.Context(), user("late")); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("prompted a closed agent: %v", err)
	}
	if _, err := w.manager.Open(t.Context(), id); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("opened by a closed manager: %v", err)
	}
	if diff := cmp.Diff("assistant/message half (interrupted)\nstep/end\nturn/end aborted disposed\n", tail(a, 3)); diff != "" {
		t.Error(diff)
	}

	w.boot(0)
	w.model.prepare(says("2"), says("3"))
	b, err := w.manager.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if b.Running() || len(b.Log().Projection().Inbox) != 1 {
		t.Error("the queue of the earlier host does not wait")
	}
	w.prompt(b, "three")
	w.idle(b)
	got := tail(b, 20)
	if !strings.HasPrefix(got[strings.Index(got, "session/end-seed"):], `session/end-seed
agent/inbox/spliced +1 -0 @1
turn/start
agent/inbox/spliced +0 -1 @0
step/start
user/message two
assistant/message 2
step/end
turn/end completed
turn/start
`) {
		t.Error(got)
	}
	again, err := w.manager.Open(t.Context(), id)
	if err != nil || again != b {
		t.Errorf("opened twice: %v", err)
	}
}

func TestACrashInsideATurnIsRepairedWhenTheSessionIsOpened(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("half"))
	w.model.prepare(calls(call(0, "a", "bash", `{"command":"true","description":"d"}`)), hanging)
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	// What a killed host leaves is what is on disk now: copy it away, then go on there.
	crashed := t.TempDir()
	if err := os.CopyFS(crashed, os.DirFS(w.root)); err != nil {
		t.Fatal(err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.root = crashed
	w.boot(0)
	w.model.prepare(says("better"))
	b, err := w.manager.Open(t.Context(), a.Log().ID())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("step/end\nturn/end interrupted\nsession/end-seed\n", tail(b, 3)); diff != "" {
		t.Error(diff)
	}
	w.prompt(b, "two")
	w.idle(b)
	if got := outline(b.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end completed\n") {
		t.Error(got)
	}
}

func TestCreateIsIdempotentAndGuardsTheWorkingDirectory(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("x"))
	o := agent.CreateOptions{SessionID: "s", Cwd: w.cwd}
	a, err := w.manager.Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(a, "keep")
	w.idle(a)
	if again, err := w.manager.Create(t.Context(), o); err != nil || again != a {
		t.Errorf("created twice: %v", err)
	}
	if _, err := w.manager.Create(t.Context(), agent.CreateOptions{SessionID: "s", Cwd: "/elsewhere"}); !errors.Is(err, agent.ErrConflict) {
		t.Errorf("another directory, attached: %v", err)
	}
	if _, err := w.manager.Create(t.Context(), agent.CreateOptions{Cwd: "relative"}); err == nil {
		t.Error("a relative directory")
	}
	if _, err := w.manager.Create(t.Context(), agent.CreateOptions{Cwd: w.cwd, Provider: "nobody"}); !errors.Is(err, agent.ErrModelUnavailable) {
		t.Errorf("an unknown provider: %v", err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(0)
	if _, err := w.manager.Create(t.Context(), agent.CreateOptions{SessionID: "s", Cwd: "/elsewhere"}); !errors.Is(err, agent.ErrConflict) {
		t.Errorf("another directory, stored: %v", err)
	}
	if _, attached := w.manager.Get("s"); attached {
		t.Error("a refused creation attached the session")
	}
	if b, err := w.manager.Create(t.Context(), o); err != nil || b.Log().Len() != a.Log().Len()+1 {
		t.Errorf("created over a stored session: %v", err)
	}
	if _, err := w.manager.Open(t.Context(), "nobody"); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("opened a session nobody has: %v", err)
	}
}

func TestChangesComeInOrderAndManyOpenersGetOneAgent(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("x"), says("y"))
	var got []string
	dispose := w.manager.OnChange(func(c agent.Change) {
		line := c.Kind
		if c.Kind == agent.Status && c.Running {
			line += " running"
		}
		got = append(got, line)
	})
	agents := make(chan *agent.Agent)
	for range 8 {
		go func() {
			a, err := w.manager.Create(context.Background(), agent.CreateOptions{SessionID: "s", Cwd: w.cwd})
			if err != nil {
				t.Error(err)
			}
			agents <- a
		}()
	}
	a := <-agents
	for range 7 {
		if other := <-agents; other != a {
			t.Error("two agents for one session")
		}
	}
	w.prompt(a, "go")
	if err := w.manager.WhenIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	dispose()
	w.prompt(a, "again")
	w.idle(a)
	if diff := cmp.Diff([]string{"added", "status running", "status"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	hanging := hangs()
	w.model.prepare(hanging)
	a := w.create()
	w.prompt(a, "one")
	<-hanging.reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wait := range map[string]func(context.Context) error{"agent": a.WhenIdle, "manager": w.manager.WhenIdle} {
		if err := wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
