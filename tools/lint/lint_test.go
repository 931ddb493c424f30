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
		{"a registry's host in a file of CI", ".ci/a", "curl https://registry.npmjs." + "org/preact\n", "escape", "ask the client"},
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

func TestADocumentThatNamesWhatIsNotThereIsSeen(t *testing.T) {
	// the tree is whole: it has the landmark of the root
	tree := func(document, text string) fstest.MapFS {
		return fstest.MapFS{
			"WORKSPACE":             {},
			"tools/BUILD.bazel":     {Data: []byte("alias(\n    name = \"refresh\",\n)\n")},
			"tools/refresh/main.go": {Data: []byte("package main\n")},
			"e2e/a/BUILD.bazel":     {Data: []byte("e2e_scenario(\n    name = \"a\",\n)\n")},
			"docs/cli.md":           {},
			".ci/run":               {},
			document:                {Data: []byte(text)},
		}
	}
	for _, good := range []string{
		"`tools/refresh` and `./tools/refresh/main.go`, `tools/{refresh,refresh/main.go}`, `tools/refresh/*.go`, `bash .ci/run`, `e2e/...`.",
		"`//tools:refresh`, `//e2e/a`, `//e2e/...`, `./bazelw run //tools:refresh -- a`, [the CLI](docs/cli.md#exit), [elsewhere](https://example.com/x)",
		"```\n./bazelw test //e2e/a    # not //e2e/b\ngo run ./tools/refresh\n```",
		"`docs/<name>.md`, `host/settings-changed`, `~/tools/none`, `src/main.go`, `//e2e/hello` and tools/none as prose",
	} {
		if problems, err := Check(tree("README.md", good)); err != nil || len(problems) != 0 {
			t.Errorf("%s: %v %v", good, problems, err)
		}
	}
	for _, mutant := range []struct{ document, text, says string }{
		{"README.md", "`tools/none`", "README.md:1: document: there is no tools/none"},
		{"README.md", "first\nand `go run ./tools/none --check`.", "README.md:2: document: there is no tools/none"},
		{"README.md", "```\n./bazelw test //e2e/b\n```", "README.md:2: document: there is no //e2e/b"},
		{"docs/x.md", "`//tools:accept`", "there is no //tools:accept"},
		{"docs/x.md", "`//tools`", "there is no //tools"},
		{"docs/x.md", "`tools/{refresh,accept}`", "there is no tools/accept"},
		{"docs/x.md", "`tools/refresh/*.md`", "there is no tools/refresh/*.md"},
		{"docs/x.md", "`.ci/none`", "there is no .ci/none"},
		{"docs/x.md", "[the CLI](docs/cli.md)", "there is no docs/docs/cli.md"},
		{"README.md", "[a picture](docs/pictures/none.png)", "there is no docs/pictures/none.png"},
	} {
		problems, err := Check(tree(mutant.document, mutant.text))
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != 1 || !strings.Contains(problems[0].String(), mutant.says) {
			t.Errorf("%s: want one problem that says %q, got %v", mutant.text, mutant.says, problems)
		}
	}
	for _, old := range []string{"docs/decisions/0001-x.md", "CHANGELOG.md"} {
		if problems, err := Check(tree(old, "`tools/none` is gone")); err != nil || len(problems) != 0 {
			t.Errorf("%s tells what was: %v %v", old, problems, err)
		}
	}
}

func TestAnExampleThatCannotWorkIsSeen(t *testing.T) {
	for text, says := range map[string]string{
		"package a_test\n\nimport \"keylane/scaffold\"\n\nfunc f(s *scaffold.Stage) { s.Open(); scaffold.Run(s) }": "",
		"package a_test\n\nimport \"keylane/scaffold\"\n\nfunc f() { scaffold.Start() }":                           "README.md:2: document: the example uses scaffold.Start",
		"package a_test\n\nimport \"keylane/stage\"\n":                                                             "imports keylane/stage",
		"package a_test\n\nfunc {":        "does not parse",
		"scaffold.Start() // only a part": "",
	} {
		problems, err := Check(fstest.MapFS{
			"scaffold/run.go": {Data: []byte("package scaffold\n\ntype Stage struct{}\n\nfunc Run(s *Stage) {}\n")},
			"README.md":       {Data: []byte("```go\n" + text + "\n```\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if says == "" && len(problems) == 0 {
			continue
		}
		if len(problems) != 1 || says == "" || !strings.Contains(problems[0].String(), says) {
			t.Errorf("%s\nwant a problem that says %q, got %v", text, says, problems)
		}
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
