package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/replay"
)

// asked is one call of a drive, and what it should be answered.
type asked struct {
	request llm.Request
	answer  string
}

// world is a fixture and a drive that fit each other: two sessions, every purpose, a tool, an appended call, two sessions that begin alike.
type world struct {
	files    map[string][]string
	override string
	drive    []asked
}

func whole() world {
	child := strings.Replace(strings.Replace(header, "{{sessionId}}", "child", 1), `"delegationDepth":0`, `"delegationDepth":1,"parentSession":"{{sessionId}}"`, 1)
	twin := func(id string) string { return strings.Replace(header, "{{sessionId}}", id, 1) }
	called := append(said("go"),
		session.Message{Role: "assistant", Content: []session.Block{{Type: "tool-call", ID: "c1", Name: "bash", Arguments: "{}"}}, Source: session.Source{Kind: "model"}},
		session.Message{Role: "user", Content: []session.Block{{Type: "tool-result", ToolCallID: "c1"}}, Source: session.Source{Kind: "tool", CallID: "c1"}})
	thanked := append(slices.Clone(called), session.Message{Role: "assistant", Content: []session.Block{{Type: "text", Text: "Done."}}})
	thanked = append(thanked, said("thanks")...)
	return world{
		files: map[string][]string{
			"session.jsonl": {header, user("go"), toolRound, chunks("1", "2", "Done."), answered,
				`{"type":"session/title","data":{"title":"Going","messageSeqs":[0],"source":{"kind":"provider","provider":"p"}}}`,
				user("thanks"), chunks("2", "1", "Welcome."),
				`{"type":"compaction/summary","data":{"summary":[],"llmStreamCall":true,"rawOutput":[{"type":"text","text":"They went."}]}}`},
			"session.child.jsonl": {child, user("part"), chunks("1", "1", "Partly.")},
			"session.x.jsonl":     {twin("x"), user("twins"), chunks("1", "1", "X")},
			"session.y.jsonl":     {twin("y"), user("twins"), chunks("1", "1", "Y")},
		},
		override: "bind: [session.y.jsonl, session.x.jsonl]\ncalls: [{at: 3, chunks: [{type: text-delta, index: 0, text: more}, {type: finish, reason: {kind: stop}}]}]",
		drive: []asked{
			{llm.Request{SessionID: "s", Messages: said("go")}, ""},
			{llm.Request{SessionID: "s", Purpose: llm.PurposeTitle, Messages: said("a title for: go")}, "Going"},
			{llm.Request{SessionID: "c", ParentSession: "s", Messages: said("part")}, "Partly."},
			{llm.Request{SessionID: "s", Messages: called}, "Done."},
			{llm.Request{SessionID: "t1", Messages: said("twins")}, "Y"},
			{llm.Request{SessionID: "t2", Messages: said("twins")}, "X"},
			{llm.Request{SessionID: "s", Messages: thanked}, "Welcome."},
			{llm.Request{SessionID: "s", Purpose: llm.PurposeCompaction, Messages: said("shorten: go")}, "They went."},
			{llm.Request{SessionID: "s", Messages: append(slices.Clone(thanked), said("anything")...)}, "more"},
		},
	}
}

// problems drives a world and returns everything that was wrong, as a scenario would be told.
func (w world) problems(t *testing.T) []string {
	t.Helper()
	path := fixture(t, w.files)
	file := filepath.Join(filepath.Dir(path), "override.yml")
	if err := os.WriteFile(file, []byte(w.override), 0o600); err != nil {
		t.Fatal(err)
	}
	registry := llm.NewRegistry()
	handle, err := replay.Install(registry, replay.Options{Fixture: path, Override: file})
	if err != nil {
		return []string{err.Error()}
	}
	defer handle.Dispose()
	l := lane{t, registry, handle}
	var problems []string
	for i, each := range w.drive {
		if text, failure := l.ask(each.request); failure.Code != "" {
			problems = append(problems, fmt.Sprintf("call %d: %s: %s", i, failure.Code, failure.Message))
		} else if text != each.answer {
			problems = append(problems, fmt.Sprintf("call %d was answered %q, want %q", i, text, each.answer))
		}
	}
	if err := handle.AssertConsumed(); err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

func TestAWholeFixtureIsReplayedAndConsumed(t *testing.T) {
	for _, problem := range whole().problems(t) {
		t.Error(problem)
	}
}

// Each check is tried on the same world with one thing broken.
func TestEachCheckSeesWhatItGuards(t *testing.T) {
	without := func(drive []asked, i int) []asked { return slices.Delete(slices.Clone(drive), i, i+1) }
	says := func(w *world, i int, texts ...string) { w.drive[i].request.Messages = said(texts...) }
	for name, mutant := range map[string]struct {
		spoil func(*world)
		says  []string
	}{
		"another prompt": {func(w *world) {
			messages := w.drive[6].request.Messages
			w.drive[6].request.Messages = append(slices.Clone(messages[:len(messages)-1]), said("thank you")...)
		}, []string{replay.CodeMismatch, "differs at character 6", `expected: "thanks"`, `got:      "thank you"`, "turn 2 step 1", "turn: consumed 2/4"}},
		"no tool ran": {func(w *world) { says(w, 3, "go") },
			[]string{replay.CodeMismatch, "expected results of: c1", "got results of:      no tool call"}},
		"another tool ran": {func(w *world) {
			messages := slices.Clone(w.drive[3].request.Messages)
			messages[2].Content = []session.Block{{Type: "tool-result", ToolCallID: "c2"}}
			w.drive[3].request.Messages = messages
		}, []string{replay.CodeMismatch, "got results of:      c2"}},
		"a session that begins otherwise": {func(w *world) { says(w, 2, "whole") },
			[]string{replay.CodeUnrecorded, `it begins: "whole"`, "session.child.jsonl (never bound to a live session): turn: consumed 0/1"}},
		"a child that is none": {func(w *world) { w.drive[2].request.ParentSession = "" },
			[]string{replay.CodeUnrecorded, "session c (a root session)"}},
		"a child of another": {func(w *world) { w.drive[2].request.ParentSession = "t1" },
			[]string{replay.CodeUnrecorded, "session c (a child of session t1)"}},
		"twins without an order": {func(w *world) { _, w.override, _ = strings.Cut(w.override, "\n") },
			[]string{replay.CodeAmbiguous, "session.x.jsonl, session.y.jsonl all begin with \"twins\""}},
		"twins in the other order": {func(w *world) {
			w.override = strings.Replace(w.override, "[session.y.jsonl, session.x.jsonl]", "[session.x.jsonl, session.y.jsonl]", 1)
		},
			[]string{`call 4 was answered "X", want "Y"`}},
		"a call too many": {func(w *world) { w.drive = append(w.drive, w.drive[8]) },
			[]string{replay.CodeExhausted, "model call 5", "has only 4"}},
		"a title too many": {func(w *world) { w.drive = append(w.drive, w.drive[1]) },
			[]string{replay.CodeExhausted, "model call 2 for a session-title", "has only 1"}},
		"a title too few":               {func(w *world) { w.drive = without(w.drive, 1) }, []string{"title: consumed 0/1"}},
		"a compaction too few":          {func(w *world) { w.drive = without(w.drive, 7) }, []string{"compaction: consumed 0/1"}},
		"an appended call that is left": {func(w *world) { w.drive = without(w.drive, 8) }, []string{"turn: consumed 3/4"}},
		"a session that is left":        {func(w *world) { w.drive = without(w.drive, 2) }, []string{"never bound to a live session", "consumed 0/1", `after "part"`}},
		"another answer":                {func(w *world) { w.files["session.child.jsonl"][2] = chunks("1", "1", "Wholly.") }, []string{`answered "Wholly.", want "Partly."`}},
		"a call that never ended": {func(w *world) {
			w.files["session.child.jsonl"][2] = strings.Split(chunks("1", "1", "P"), "\n")[0]
		}, []string{"session.child.jsonl cannot be replayed", "unfinished"}},
		"a position that is none":         {func(w *world) { w.override = strings.Replace(w.override, "at: 3", "at: 4", 1) }, []string{"override.yml:2:14", "append at exactly 3"}},
		"two calls and a session too few": {func(w *world) { w.drive = w.drive[:2] }, []string{"session.jsonl (session s): turn: consumed 1/4", "compaction: consumed 0/1", "session.child.jsonl (never", "session.x.jsonl (never", "session.y.jsonl (never"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := whole()
			mutant.spoil(&w)
			problems := strings.Join(w.problems(t), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(problems, words) {
					t.Errorf("no problem says %q:\n%s", words, problems)
				}
			}
		})
	}
}

// A provider that the catalogue has not is nobody's: such a call is no stray of the replay, but the registry's.
func TestAnotherProviderHasNoAdapter(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b")}}), ContextWindow: 7})
	if window := l.registry.Providers()[0].Models[0].ContextWindow; window != 7 {
		t.Errorf("the catalogue says %d tokens, want what was asked for", window)
	}
	_, err := l.registry.Stream(t.Context(), llm.Request{SessionID: "s", Provider: "another", Purpose: llm.PurposeTurn, Messages: said("a")})
	if llm.FailureOf(err).Code != llm.CodeNoAdapter || len(l.handle.Calls()) != 0 {
		t.Errorf("%v, %d calls", err, len(l.handle.Calls()))
	}
}
