package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/replay"
)

// alike installs a fixture of two root sessions and two children of the first that begin alike, pair by pair, with an override over it.
func alike(t *testing.T, override string) (lane, error) {
	t.Helper()
	named := func(id string) string { return strings.Replace(header, "{{sessionId}}", id, 1) }
	child := func(id string) string {
		return strings.Replace(named(id), `"delegationDepth":0`, `"delegationDepth":1,"parentSession":"one"`, 1)
	}
	path := fixture(t, map[string][]string{
		"session.jsonl":       {named("one"), user("same"), chunks("1", "1", "1")},
		"session.two.jsonl":   {named("two"), user("same"), chunks("1", "1", "2")},
		"session.left.jsonl":  {child("left"), user("part"), chunks("1", "1", "L")},
		"session.right.jsonl": {child("right"), user("part"), chunks("1", "1", "R")},
		"session.quiet.jsonl": {named("quiet"), user("same")}, // asked nothing
	})
	file := filepath.Join(filepath.Dir(path), "override.yml")
	if err := os.WriteFile(file, []byte(override), 0o600); err != nil {
		t.Fatal(err)
	}
	registry := llm.NewRegistry()
	handle, err := replay.Install(registry, replay.Options{Fixture: path, Override: file})
	if err != nil {
		return lane{}, err
	}
	t.Cleanup(handle.Dispose)
	return lane{t, registry, handle}, nil
}

func TestSessionsThatBeginAlikeAreBoundInTheOrderThatTheOverrideSays(t *testing.T) {
	l, err := alike(t, "bind: [session.two.jsonl, session.right.jsonl, session.jsonl, session.left.jsonl]")
	if err != nil {
		t.Fatal(err)
	}
	l.want(llm.Request{SessionID: "A", Messages: said("same")}, "2")
	l.want(llm.Request{SessionID: "B", Messages: said("same")}, "1")
	l.want(llm.Request{SessionID: "b1", ParentSession: "B", Messages: said("part")}, "R")
	l.want(llm.Request{SessionID: "b2", ParentSession: "B", Messages: said("part")}, "L")
	l.refused(llm.Request{SessionID: "C", Messages: said("same")}, replay.CodeUnrecorded, "bound to session A")
	l.left("stray call")
}

func TestAnOrderForSomeOfThemDecidesNothingForTheOthers(t *testing.T) {
	l, err := alike(t, "bind: [session.two.jsonl, session.jsonl]")
	if err != nil {
		t.Fatal(err)
	}
	l.want(llm.Request{SessionID: "A", Messages: said("same")}, "2")
	l.want(llm.Request{SessionID: "B", Messages: said("same")}, "1")
	l.refused(llm.Request{SessionID: "b1", ParentSession: "B", Messages: said("part")}, replay.CodeAmbiguous, "session.left.jsonl, session.right.jsonl", "`bind:`")
}

func TestABindingGoesTogetherWithCalls(t *testing.T) {
	l, err := alike(t, "bind: [session.two.jsonl, session.jsonl, session.left.jsonl, session.right.jsonl]\ncalls: [{at: 0, throw: {code: SERVER, message: down}}]")
	if err != nil {
		t.Fatal(err)
	}
	l.want(llm.Request{SessionID: "A", Messages: said("same")}, "2")
	if _, failure := l.ask(llm.Request{SessionID: "B", Messages: said("same")}); failure.Code != "SERVER" {
		t.Errorf("%+v", failure)
	}
}

func TestEveryMistakeInABindingIsAnErrorWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, place, words string }{
		"no list":               {"bind: session.jsonl", "1:7", "must be a list"},
		"no name":               {"bind: [session.jsonl, 2]", "1:23", "a text that is not empty"},
		"nothing":               {"bind: []", "1:7", "at least two sessions"},
		"one":                   {"bind: [session.jsonl]", "1:7", "at least two sessions"},
		"a name twice":          {"bind:\n  - session.jsonl\n  - session.two.jsonl\n  - session.jsonl", "4:5", "session.jsonl is named twice"},
		"no such session":       {"bind: [session.jsonl, session.three.jsonl]", "1:23", `"session.three.jsonl"; there are: session.jsonl, session.left.jsonl, session.right.jsonl, session.two.jsonl`},
		"one that asks nothing": {"bind: [session.jsonl, session.quiet.jsonl]", "1:23", "asked models"},
		"another text":          {"bind: [session.jsonl, session.two.jsonl, session.left.jsonl]", "1:42", "no other session named here begins like session.left.jsonl"},
		"a key twice":           {"bind: [session.jsonl, session.two.jsonl]\nbind: []", "2:1", "twice"},
	} {
		_, err := alike(t, c.text)
		if err == nil {
			t.Errorf("%s: installed", name)
			continue
		}
		if !strings.Contains(err.Error(), "override.yml:"+c.place+":") || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v\nwant it at %q to say %q", name, err, c.place, c.words)
		}
	}
}

// A fork shows the model what it inherited, so it is known by what was said last, not first.
func TestAForkIsBoundByItsOwnText(t *testing.T) {
	fork := strings.Replace(strings.Replace(header, "{{sessionId}}", "fork", 1), `"delegationDepth":0`, `"delegationDepth":0,"parentSession":"{{sessionId}}","seedLength":3`, 1)
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{
		"session.jsonl":      {header, user("go"), chunks("1", "1", "gone")},
		"session.fork.jsonl": {fork, user("go"), chunks("1", "1", "gone"), user("branch"), chunks("2", "1", "elsewhere")},
	})})
	l.want(llm.Request{SessionID: "s", Messages: said("go")}, "gone")
	l.refused(llm.Request{SessionID: "f", ParentSession: "s", Messages: said("branch", "go")}, replay.CodeUnrecorded, `"branch"`)
	l.want(llm.Request{SessionID: "f", ParentSession: "s", Messages: said("go", "branch")}, "elsewhere")
	l.left("stray call")
}
