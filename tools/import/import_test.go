package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"keylane/host/session"
	"keylane/scaffold/fixture"
	"keylane/seed"
)

// recordedLog is a fixture's log. It is a copy: a scenario's own is felt by that scenario alone.
const recordedLog = "testdata/recorded.jsonl"

// a workspace as import meets it; Bazel is a shell script that says what it was asked and ends with the status.
func workspace(t *testing.T, status string) string {
	t.Helper()
	folder := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("MODULE.bazel", "", 0o644)
	write("goldens/BUILD.bazel", "scenario_folders(awaited = [\n    \"approval\",\n    \"todos\",\n])\n", 0o644)
	write("bazelw", "#!/bin/sh\necho \"$@\" > asked\nexit "+status+"\n", 0o755)
	t.Setenv("BUILD_WORKSPACE_DIRECTORY", folder)
	t.Setenv("BUILD_WORKING_DIRECTORY", "")
	return folder
}

func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		files[path] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func wantRun(t *testing.T, args arguments, code int) {
	t.Helper()
	got, err := run(t.Context(), args)
	if got != code || (err != nil) != (code != 0) {
		t.Fatalf("%+v ended with %d (%v), want %d", args, got, err, code)
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// live is the recorded log as a person's machine would hold it.
func live(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(recordedLog)
	if err != nil {
		t.Fatal(err)
	}
	return string(fixture.Fill(text, fixture.Values{SessionID: "session-of-ada", Cwd: "/home/ada/project", Home: "/home/ada/.keylane"}))
}

func TestALogBecomesAScenarioWithItsFixtureAndGoldens(t *testing.T) {
	packed := new(bytes.Buffer)
	writer, err := zstd.NewWriter(packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write([]byte(live(t))); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"text": written(t, "session.jsonl", live(t)), "packed": written(t, "session.jsonl.zstd", packed.String()),
		"the session's folder": filepath.Dir(written(t, "session.jsonl.zstd", packed.String())),
	} {
		t.Run(name, func(t *testing.T) {
			folder := workspace(t, "0")
			wantRun(t, arguments{Name: "bug_17", Log: path, Origin: "issue 17"}, 0)
			files := tree(t, folder)
			if asked := files["asked"]; asked != "run //tools:refresh -- bug_17\n" {
				t.Errorf("Bazel was asked %q", asked)
			}
			if want := "scenario_folders(awaited = [\n    \"approval\",\n    \"bug_17\",\n    \"todos\",\n])\n"; files["goldens/BUILD.bazel"] != want {
				t.Errorf("goldens/BUILD.bazel is %s", files["goldens/BUILD.bazel"])
			}
			loaded, err := fixture.Load(filepath.Join(folder, "fixtures/bug_17"))
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Meta.Source != "import" || loaded.Meta.Origin != "issue 17" || len(loaded.Meta.SHA256) != 64 {
				t.Errorf("fixture.yml says %+v", loaded.Meta)
			}
			recorded, err := os.ReadFile(recordedLog)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(recorded), string(loaded.Text)); diff != "" {
				t.Errorf("the log was not brought back to what was recorded:\n%s", diff)
			}
			test := files["e2e/bug_17/bug_17_test.go"]
			if _, err := parser.ParseFile(token.NewFileSet(), "bug_17_test.go", test, parser.AllErrors); err != nil {
				t.Error(err)
			}
			for _, part := range []string{"package bug_17_test", `"Use bash to print the marker KEYLANE_ROUND_TRIP, then answer DONE."`, `s.WantTurns("completed")`, "scaffold.Trial(", "func TestBug17("} {
				if !strings.Contains(test, part) {
					t.Errorf("the test has no %s:\n%s", part, test)
				}
			}
			if !strings.Contains(files["e2e/bug_17/BUILD.bazel"], `fixture = "//fixtures:bug_17"`) {
				t.Errorf("BUILD.bazel is %s", files["e2e/bug_17/BUILD.bazel"])
			}
		})
	}
}

func TestADryRunWritesNothingAndAsksNobody(t *testing.T) {
	folder := workspace(t, "0")
	before := tree(t, folder)
	wantRun(t, arguments{Name: "bug_17", Log: written(t, "a.jsonl", live(t)), DryRun: true}, 0)
	if diff := cmp.Diff(before, tree(t, folder)); diff != "" {
		t.Error(diff)
	}
}

func TestGoldensThatCannotBeCapturedEndWithOneAndKeepTheScenario(t *testing.T) {
	folder := workspace(t, "3")
	wantRun(t, arguments{Name: "bug_17", Log: written(t, "a.jsonl", live(t))}, 1)
	if tree(t, folder)["e2e/bug_17/bug_17_test.go"] == "" {
		t.Error("the scenario is not there")
	}
}

func TestANameThatIsTakenOrIsNoneIsRefused(t *testing.T) {
	log := written(t, "a.jsonl", live(t))
	for _, room := range []string{"e2e", "fixtures", "goldens"} {
		folder := workspace(t, "0")
		if err := os.MkdirAll(filepath.Join(folder, room, "taken"), 0o755); err != nil {
			t.Fatal(err)
		}
		before := tree(t, folder)
		wantRun(t, arguments{Name: "taken", Log: log}, 2)
		if diff := cmp.Diff(before, tree(t, folder)); diff != "" {
			t.Error(diff)
		}
	}
	for _, name := range []string{"", "Bug", "bug-17", "../bug", "17", "a/b"} {
		if err := checkName(workspace(t, "0"), name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestNothingOfThePersonIsInTheFixture(t *testing.T) {
	const canary = "sk-canary0123456789abcdef"
	folder := workspace(t, "0")
	log := strings.ReplaceAll(live(t), "KEYLANE_ROUND_TRIP", canary+" for Ada at /home/ada/other")
	wantRun(t, arguments{Name: "bug_17", Log: written(t, "a.jsonl", log), Replace: map[string]string{"Ada": "Eve"}}, 0)
	for path, text := range tree(t, folder) {
		for _, value := range []string{canary, "canary", "/home/ada", "Ada", "session-of-ada"} {
			if strings.Contains(text, value) {
				t.Errorf("%s holds %q:\n%s", path, value, text)
			}
		}
	}
}

// stopped is a log that cannot be replayed: nothing says when the person stopped the turn.
func stopped(t *testing.T) string {
	t.Helper()
	d := seed.NewDraft()
	d.Prompt("Wait for it.")
	d.Answer([]session.Block{{Type: session.BlockText, Text: "I wait."}})
	d.End(session.TurnReason{Kind: session.ReasonAborted})
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestALogThatCannotBeReplayedSaysWhyAndIsImportedCold(t *testing.T) {
	folder := workspace(t, "0")
	log := written(t, "a.jsonl", stopped(t))
	_, err := run(t.Context(), arguments{Name: "bug_18", Log: log})
	if err == nil || !strings.Contains(err.Error(), `turn 1 ended "aborted"`) || !strings.Contains(err.Error(), "--cold") {
		t.Errorf("want an error with the reason and the next step, got %v", err)
	}
	wantRun(t, arguments{Name: "bug_18", Log: log, Cold: true}, 0)
	test := tree(t, folder)["e2e/bug_18/bug_18_test.go"]
	if _, err := parser.ParseFile(token.NewFileSet(), "bug_18_test.go", test, parser.AllErrors); err != nil || !strings.Contains(test, "Seeds:") {
		t.Errorf("%v:\n%s", err, test)
	}
	if _, err := fixture.Load(filepath.Join(folder, "fixtures/bug_18")); err != nil {
		t.Error(err)
	}
}

func TestAPromptThatBeginsWithItsFolderIsNotReplayedUnlessTheFolderGetsAName(t *testing.T) {
	folder := workspace(t, "0")
	log := written(t, "a.jsonl", strings.ReplaceAll(live(t), "Use bash to print", "Look into /home/ada/project and print"))
	if _, err := run(t.Context(), arguments{Name: "bug_20", Log: log}); err == nil || !strings.Contains(err.Error(), "--replace 'look into /home/ada/project=") {
		t.Errorf("want an error with the next step, got %v", err)
	}
	wantRun(t, arguments{Name: "bug_20", Log: log, Replace: map[string]string{"Look into /home/ada/project": "Look around"}}, 0)
	if test := tree(t, folder)["e2e/bug_20/bug_20_test.go"]; !strings.Contains(test, "Look around and print") {
		t.Errorf("the test is:\n%s", test)
	}
}

func TestWhatIsNoLogIsRefused(t *testing.T) {
	workspace(t, "0")
	empty := t.TempDir()
	for _, path := range []string{written(t, "a.jsonl", "hello\n"), written(t, "b.zstd", "\x28\xb5\x2f\xfdnonsense"), empty, filepath.Join(empty, "none")} {
		wantRun(t, arguments{Name: "bug_19", Log: path}, 2)
	}
}

// Every log of the corpus becomes a scenario: replayed, or as one that lies on disk.
func TestEveryLogOfTheCorpusBecomesAScenario(t *testing.T) {
	logs, err := seed.Corpus()
	if err != nil {
		t.Skip(err)
	}
	folder := workspace(t, "0")
	replayed, cold := 0, 0
	for _, pattern := range []string{"projected/*", "enveloped/*", "on-disk/*/*"} {
		paths, err := filepath.Glob(filepath.Join(logs, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d logs, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			read, err := readLog(path)
			if err != nil {
				t.Error(err)
				continue
			}
			args := arguments{Name: "imported"}
			files, err := scenarioOf(t.Context(), folder, read, args, time.Now())
			if err == nil {
				replayed++
			} else {
				args.Cold = true
				if files, err = scenarioOf(t.Context(), folder, read, args, time.Now()); err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				cold++
			}
			if len(files) != 5 {
				t.Errorf("%s: %d files", path, len(files))
			}
		}
	}
	t.Logf("%d logs can be replayed, %d as they lie on disk", replayed, cold)
	if replayed < cold {
		t.Errorf("only %d logs of %d can be replayed", replayed, replayed+cold)
	}
}
