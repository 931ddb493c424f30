package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// sources are the repository's own files: beside this package in a checkout, in the runfiles under Bazel.
const sources = "../.."

func TestTheHouseAgreesWithItsPicture(t *testing.T) {
	root, err := filepath.EvalSymlinks(sources)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := Check(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestTheWalkSeesEveryFloor(t *testing.T) {
	// A lint that reads nothing is always content: these rooms must be among what it read.
	for _, room := range []string{"host/session", "host/agent", "host/api", "replay", "seed", "scaffold", "e2e/round_trip", "tools/lint"} {
		matches, err := filepath.Glob(filepath.Join(sources, room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(matches) == 0 {
			t.Errorf("no Go file of %s is among the sources that this test was given", room)
		}
	}
}

func TestEachWrongThingIsSeen(t *testing.T) {
	for _, mutant := range []struct{ name, file, text, rule, says string }{
		{"the product imports the lane", "host/agent/a.go", "package agent\nimport _ \"keylane/replay\"\n", "arrow", "never the other way"},
		{"a lower floor imports a higher one", "host/session/a.go", "package session\nimport _ \"keylane/host/agent\"\n", "arrow", "downwards only"},
		{"two rooms of one floor know each other", "host/title/a.go", "package title\nimport _ \"keylane/host/prompt\"\n", "arrow", "downwards only"},
		{"a parent imports its child", "host/llm/a.go", "package llm\nimport _ \"keylane/host/llm/deepseek\"\n", "arrow", "only a child imports its parent"},
		{"a product-free room learns of the product", "scaffold/aria/a.go", "package aria\nimport _ \"keylane/host/session\"\n", "arrow", "must not know"},
		{"one scenario borrows from another", "e2e/a/a.go", "package a\nimport _ \"keylane/e2e/b\"\n", "arrow", "e2e may lean on"},
		{"replay leans on the scaffold", "replay/a.go", "package replay\nimport _ \"keylane/scaffold\"\n", "arrow", "may lean on"},
		{"a room that the picture lacks", "attic/a.go", "package attic\nimport _ \"keylane/host/session\"\n", "arrow", "in no room"},
		{"a vague name", "host/llm/util/a.go", "package util\n", "name", "one job"},
		{"a sleep", "host/agent/a.go", "package agent\nimport \"time\"\nfunc f() { time.Sleep(1) }\n", "sleep", "wait for an event"},
		{"a scenario without a mutant", "e2e/a/a_test.go", "package a_test\nimport \"keylane/scaffold\"\nfunc f() { scaffold.Run(t, s) }\n", "mutant", "scaffold.Trial"},
		{"a mutant that is only spoken of", "e2e/a/a_test.go", "package a_test\n// scaffold.Trial(t, f)\nvar Trial = func() {}\nfunc f() { Trial() }\n", "mutant", "sees red"},
		{"a test that only a document knows", "docs/a.md", "held by `TestThatIsNot`\n", "document", "TestThatIsNot"},
		{"a flaky mark", "e2e/a/BUILD.bazel", "go_test(name = \"a\", flaky = Tr" + "ue)\n", "escape", "barrier"},
		{"a registry's host", "tools/a.sh", "curl https://registry.npmjs." + "org/preact\n", "escape", "ask the client"},
		{"a folder of somebody's machine", "host/agent/a.go", "package agent\nconst home = \"/wor" + "k/main\"\n", "escape", "somebody's machine"},
		{"a file that does not parse", "host/agent/a.go", "package\n", "source", "does not parse"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			problems, err := Check(fstest.MapFS{mutant.file: {Data: []byte(mutant.text)}})
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) != 1 || problems[0].Rule != mutant.rule || !strings.Contains(problems[0].Text, mutant.says) {
				t.Errorf("want one %q problem that says %q, got %v", mutant.rule, mutant.says, problems)
			}
		})
	}
}

func TestGoodArrowsPass(t *testing.T) {
	tree := fstest.MapFS{
		"host/agent/a.go":        {Data: []byte("package agent\nimport _ \"keylane/host/llm\"\nimport _ \"keylane/host/session\"\n")},
		"host/llm/deepseek/a.go": {Data: []byte("package deepseek\nimport _ \"keylane/host/llm\"\n")},
		"scaffold/golden/a.go":   {Data: []byte("package golden\nimport _ \"keylane/scaffold/aria\"\n")},
		"e2e/a/a_test.go":        {Data: []byte("package a\nimport \"keylane/scaffold\"\nimport _ \"keylane/host/session\"\n")},
		"e2e/a/mutants_test.go":  {Data: []byte("package a\nimport \"keylane/scaffold\"\nfunc f() { _ = scaffold.TrialWithin(t, limit, g) }\n")},
		"e2e/perf/boot_test.go":  {Data: []byte("package perf\n")},
		"e2e/perf/b/b_test.go":   {Data: []byte("package b\n")},
		"e2e/live/l_test.go":     {Data: []byte("package live\n")},
		"scaffold/await/a.go":    {Data: []byte("package await\nimport \"time\"\nfunc f() { time.Sleep(1) }\n")},
	}
	problems, err := Check(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 0 {
		t.Errorf("want no problems, got %v", problems)
	}
}
