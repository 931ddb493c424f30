package replay_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/session"
	"keylane/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const header = `{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`

func user(text string) string {
	return `{"type":"user/message","data":{"id":"u","role":"user","content":[{"type":"text","text":"` + text + `"}],"source":{"kind":"user"}},"surfaceOp":"append"}`
}

func chunks(turn, step, text string) string {
	at := `{"type":"assistant/chunk","data":{"turn":` + turn + `,"step":` + step + `,"chunk":`
	return at + `{"type":"text-delta","index":0,"text":"` + text + `"}}}` + "\n" + at + `{"type":"finish","reason":{"kind":"stop"}}}}`
}

const toolRound = `{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"c1","name":"bash","argumentsDelta":"{}"}}}
{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":{"type":"finish","reason":{"kind":"tool-calls"}}}}
{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"tool-call","id":"c1","name":"bash","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"}
{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c1","name":"bash","arguments":"{}"}}
{"type":"tool/result","data":{"turn":1,"step":1,"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"out"}]}],"source":{"kind":"tool","callId":"c1"}}},"surfaceOp":"append"}`

const answered = `{"type":"assistant/message","data":{"turn":1,"step":2,"message":{"id":"b","role":"assistant","content":[{"type":"text","text":"Done."}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"}`

// fixture writes a scenario's folder: file name → lines.
func fixture(t *testing.T, files map[string][]string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "my_scenario")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, lines := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "session.jsonl")
}

type lane struct {
	t        *testing.T
	registry *llm.Registry
	handle   *replay.Handle
}

func install(t *testing.T, o replay.Options) lane {
	t.Helper()
	registry := llm.NewRegistry()
	handle, err := replay.Install(registry, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(handle.Dispose)
	return lane{t, registry, handle}
}

func said(texts ...string) []session.Message {
	var messages []session.Message
	for _, text := range texts {
		messages = append(messages, session.Message{Role: "user", Content: []session.Block{{Type: "text", Text: text}}, Source: session.Source{Kind: "user"}})
	}
	return messages
}

func (l lane) ask(r llm.Request) (text string, failure session.Failure) {
	l.t.Helper()
	r.Provider = "deepseek"
	if r.Purpose == "" {
		r.Purpose = llm.PurposeTurn
	}
	stream, err := l.registry.Stream(l.t.Context(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer stream.Close()
	var assembler llm.Assembler
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			l.t.Fatal(err)
		}
		if err := assembler.Add(chunk); err != nil {
			l.t.Fatal(err)
		}
	}
	if finish := assembler.Finish(); finish.Failure != nil {
		return "", *finish.Failure
	}
	return assembler.Message("m", "p", "m").Text(), session.Failure{}
}

func (l lane) want(r llm.Request, text string) {
	l.t.Helper()
	if got, failure := l.ask(r); got != text || failure.Code != "" {
		l.t.Errorf("got %q %+v, want %q", got, failure, text)
	}
}

func (l lane) refused(r llm.Request, code string, words ...string) {
	l.t.Helper()
	_, failure := l.ask(r)
	if failure.Code != code {
		l.t.Errorf("got %+v, want %s", failure, code)
	}
	for _, word := range append(words, "next step:", "//tools:record -- my_scenario") {
		if !strings.Contains(failure.Message, word) {
			l.t.Errorf("%s\ndoes not say %q", failure.Message, word)
		}
	}
	if safe := llm.DisplaySafe(failure); safe.Message != failure.Message {
		l.t.Errorf("a person would not see it whole: %q", safe.Message)
	}
	if strays := l.handle.Strays(); len(strays) == 0 || strays[len(strays)-1] != failure.Message {
		l.t.Errorf("it is not among the strays: %q", strays)
	}
}

func (l lane) consumed() {
	l.t.Helper()
	if err := l.handle.AssertConsumed(); err != nil {
		l.t.Error(err)
	}
}

func (l lane) left(words ...string) {
	l.t.Helper()
	err := l.handle.AssertConsumed()
	if err == nil {
		l.t.Fatal("everything counts as consumed")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			l.t.Errorf("%v\ndoes not say %q", err, word)
		}
	}
}

func TestASessionIsAnsweredAsRecorded(t *testing.T) {
	path := fixture(t, map[string][]string{"session.jsonl": {header, user("list {{cwd}}"), toolRound, chunks("1", "2", "Done."), answered, user("thanks"), chunks("2", "1", "Welcome.")}})
	l := install(t, replay.Options{Fixture: path, Transform: func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "{{cwd}}", "/home/x")) }})
	history := said("list /home/x")
	l.want(llm.Request{SessionID: "s", Messages: history}, "")
	history = append(history,
		session.Message{Role: "assistant", Content: []session.Block{{Type: "tool-call", ID: "c1", Name: "bash", Arguments: "{}"}}, Source: session.Source{Kind: "model"}},
		session.Message{Role: "user", Content: []session.Block{{Type: "tool-result", ToolCallID: "c1"}}, Source: session.Source{Kind: "tool", CallID: "c1"}})
	l.want(llm.Request{SessionID: "s", Messages: history}, "Done.")
	history = append(history, session.Message{Role: "assistant", Content: []session.Block{{Type: "text", Text: "Done."}}})
	l.left("session.jsonl (session s): turn: consumed 2/3 recorded call(s)", "at turn 2 step 1", `"thanks"`)
	l.want(llm.Request{SessionID: "s", Messages: append(history, said("thanks")...)}, "Welcome.")
	l.consumed()
	calls := l.handle.Calls()
	if len(calls) != 3 || calls[1].Index != 1 || calls[1].Step != 2 || calls[1].Recorded != "session.jsonl" || calls[1].Chunks != 2 {
		t.Errorf("%+v", calls)
	}
}

func TestTheCatalogueIsTheRealAdaptersAndDisposeTakesItBack(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b")}})})
	infos := l.registry.Providers()
	if len(infos) != 1 || infos[0].ID != "deepseek" || !infos[0].Ready || infos[0].Models[0].ID != "deepseek-v4-flash" || infos[0].Models[0].ContextWindow != 128_000 {
		t.Errorf("%+v", infos)
	}
	l.handle.Dispose()
	if _, err := l.registry.Stream(t.Context(), llm.Request{Provider: "deepseek"}); llm.FailureOf(err).Code != llm.CodeNoAdapter {
		t.Errorf("%v", err)
	}
}

func TestAnotherPromptIsRefusedWithBothTexts(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("first"), chunks("1", "1", "a"), user("second"), chunks("2", "1", "b")}})})
	l.want(llm.Request{SessionID: "s", Messages: said("first")}, "a")
	l.refused(llm.Request{SessionID: "s", Messages: said("first", "secund")}, replay.CodeMismatch, `expected: "second"`, `got:      "secund"`, "character 4", "turn 2 step 1")
	l.want(llm.Request{SessionID: "s", Messages: said("first", "second")}, "b")
	l.left("stray call", "secund")
}

func TestACallAfterOtherToolResultsIsRefused(t *testing.T) {
	path := fixture(t, map[string][]string{"session.jsonl": {header, user("go"), toolRound, chunks("1", "2", "Done.")}})
	l := install(t, replay.Options{Fixture: path})
	l.want(llm.Request{SessionID: "s", Messages: said("go")}, "")
	l.refused(llm.Request{SessionID: "s", Messages: said("go")}, replay.CodeMismatch, "expected results of: c1", "got results of:      no tool call")
}

func TestOneCallTooManyIsRefused(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b")}})})
	l.want(llm.Request{SessionID: "s", Messages: said("a")}, "b")
	l.refused(llm.Request{SessionID: "s", Messages: said("a", "more")}, replay.CodeExhausted, "model call 2", "has only 1", `"more"`)
	l.refused(llm.Request{SessionID: "s", Purpose: llm.PurposeTitle, Messages: said("title of a")}, replay.CodeExhausted, "for a session-title", "has only 0")
	l.left("stray call")
}

func TestAnUnrecordedSessionIsRefused(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b")}})})
	l.refused(llm.Request{SessionID: "s", Messages: said("x")}, replay.CodeUnrecorded, "session s (a root session)", `"x"`, "session.jsonl (a root session, free)", `"a"`)
	l.refused(llm.Request{SessionID: "s", ParentSession: "p", Messages: said("a")}, replay.CodeUnrecorded, "a child of session p")
	l.left("never bound to a live session", "consumed 0/1", `after "a"`)
	l.want(llm.Request{SessionID: "first", Messages: said("a")}, "b")
	l.refused(llm.Request{SessionID: "second", Messages: said("a")}, replay.CodeUnrecorded, "session.jsonl (a root session, bound to session first)")
}

func TestSessionsBindByLineageAndFirstTextNotByOrder(t *testing.T) {
	childOf := func(parent, id string) string {
		return `{"type":"session","version":0,"id":"` + id + `","createdAt":0,"delegationDepth":1,"parentSession":"` + parent + `"}`
	}
	path := fixture(t, map[string][]string{
		"session.jsonl":         {header, user("same"), chunks("1", "1", "root")},
		"session.child-1.jsonl": {childOf("{{sessionId}}", "c1"), user("same"), chunks("1", "1", "child")},
		"session.child-2.jsonl": {childOf("{{sessionId}}", "c2"), user("other"), chunks("1", "1", "other child")},
		"session.grand.jsonl":   {childOf("c2", "g"), user("same"), chunks("1", "1", "grandchild")},
		"session.second.jsonl":  {strings.Replace(header, "{{sessionId}}", "two", 1), user("another root"), chunks("1", "1", "second root")},
	})
	l := install(t, replay.Options{Fixture: path})
	l.want(llm.Request{SessionID: "R2", Messages: said("another root")}, "second root")
	l.want(llm.Request{SessionID: "R", Messages: said("same")}, "root")
	l.want(llm.Request{SessionID: "C2", ParentSession: "R", Messages: said("other")}, "other child")
	l.refused(llm.Request{SessionID: "X", ParentSession: "R2", Messages: said("same")}, replay.CodeUnrecorded, "a child of session R2")
	l.want(llm.Request{SessionID: "G", ParentSession: "C2", Messages: said("same")}, "grandchild")
	l.want(llm.Request{SessionID: "C1", ParentSession: "R", Messages: said("same")}, "child")
}

func TestTwoCandidatesAreAnErrorThatAsksForDifferentTexts(t *testing.T) {
	second := strings.Replace(header, "{{sessionId}}", "two", 1)
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{
		"session.jsonl": {header, user("a"), chunks("1", "1", "b")}, "session.two.jsonl": {second, user("a"), chunks("1", "1", "c")}})})
	l.refused(llm.Request{SessionID: "s", Messages: said("a")}, replay.CodeAmbiguous, "session.jsonl, session.two.jsonl", "begin with different texts")
}

func TestBackgroundCallsHaveCursorsOfTheirOwn(t *testing.T) {
	path := fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b"),
		`{"type":"session/title","data":{"title":"The title","messageSeqs":[0],"source":{"kind":"provider","provider":"p"}}}`,
		user("c"), chunks("2", "1", "d")}})
	l := install(t, replay.Options{Fixture: path})
	// The title call may come first: it quotes what the session begins with.
	l.want(llm.Request{SessionID: "s", Purpose: llm.PurposeTitle, Messages: said("Give a title to: <a>")}, "The title")
	l.want(llm.Request{SessionID: "s", Messages: said("a")}, "b")
	l.want(llm.Request{SessionID: "s", Messages: said("a", "c")}, "d")
	l.consumed()
}

func TestConcurrentCallsOfSessionsDoNotMix(t *testing.T) {
	second := strings.Replace(header, "{{sessionId}}", "two", 1)
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{
		"session.jsonl": {header, user("a"), chunks("1", "1", "A")}, "session.two.jsonl": {second, user("b"), chunks("1", "1", "B")}})})
	var wait sync.WaitGroup
	for text, want := range map[string]string{"a": "A", "b": "B"} {
		wait.Add(1)
		go func() {
			defer wait.Done()
			l.want(llm.Request{SessionID: "session-" + text, Messages: said(text)}, want)
		}()
	}
	wait.Wait()
	l.consumed()
}

// immediate is a clock whose timers are due at once, and which keeps what was waited.
type immediate struct {
	clock.Clock
	waits []time.Duration
}

func (i *immediate) After(d time.Duration) (<-chan time.Time, func()) {
	i.waits = append(i.waits, d)
	due := make(chan time.Time, 1)
	due <- time.Time{}
	return due, func() {}
}

func TestPacing(t *testing.T) {
	timed := []string{header,
		`{"type":"user/message","seq":0,"time":1000,"data":{"id":"u","role":"user","content":[{"type":"text","text":"a"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"assistant/chunk","seq":1,"time":1250,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"b"}}}`,
		`{"type":"assistant/chunk","seq":2,"time":1260,"data":{"turn":1,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}}`}
	for name, c := range map[string]struct {
		pace replay.Pace
		want []time.Duration
	}{
		"burst":    {replay.Burst(), nil},
		"fixed":    {replay.Fixed(7 * time.Millisecond), []time.Duration{7 * time.Millisecond, 7 * time.Millisecond}},
		"recorded": {replay.Recorded(), []time.Duration{250 * time.Millisecond, 10 * time.Millisecond}},
	} {
		clk := &immediate{Clock: clock.System()}
		l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": timed}), Pace: c.pace, Clock: clk})
		l.want(llm.Request{SessionID: "s", Messages: said("a")}, "b")
		if len(clk.waits) != len(c.want) || (len(c.want) > 0 && (clk.waits[0] != c.want[0] || clk.waits[1] != c.want[1])) {
			t.Errorf("%s: %v", name, clk.waits)
		}
	}
}

func TestAFixtureThatCannotBeReplayedIsAnErrorAtInstall(t *testing.T) {
	good := []string{header, user("a"), chunks("1", "1", "b")}
	for name, c := range map[string]struct {
		o     replay.Options
		words []string
	}{
		"missing":     {replay.Options{Fixture: filepath.Join(t.TempDir(), "round_trip", "session.jsonl")}, []string{"not there", "./bazelw run //tools:record -- round_trip"}},
		"no log":      {replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {`{"a":1}`}})}, []string{"session.jsonl"}},
		"no call":     {replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a")}})}, []string{"no model call"}},
		"cut":         {replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), strings.Split(chunks("1", "1", "b"), "\n")[0]}})}, []string{"turn 1 step 1", "unfinished", "override"}},
		"no override": {replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": good}), Override: "nowhere/override.yml"}, []string{"reading the override", "nowhere/override.yml"}},
	} {
		_, err := replay.Install(llm.NewRegistry(), c.o)
		if err == nil {
			t.Errorf("%s: installed", name)
			continue
		}
		for _, word := range c.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v does not say %q", name, err, word)
			}
		}
	}
	registry := llm.NewRegistry()
	o := replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": good})}
	handle, err := replay.Install(registry, o)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Dispose()
	if _, err := replay.Install(registry, o); err == nil || !strings.Contains(err.Error(), "llm-deepseek must be disabled") {
		t.Errorf("a second provider: %v", err)
	}
}
