package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/scaffold/golden"
	"keylane/tools/committed"
)

// A world is a workspace with the scenario round_trip, its fixture and its goldens, and what the last run left.
type world struct {
	t                   *testing.T
	workspace, testlogs string
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, goldens map[string]string) world {
	t.Helper()
	w := world{t, t.TempDir(), t.TempDir()}
	write(t, filepath.Join(w.workspace, "e2e/round_trip/BUILD.bazel"), "")
	write(t, filepath.Join(w.workspace, "fixtures/round_trip/session.jsonl"), "recorded")
	for name, text := range goldens {
		write(t, filepath.Join(w.workspace, "goldens/round_trip", name), text)
	}
	return w
}

// ran lets the scenario run as the scaffold does: it is compared with the goldens as they are now, and leaves what differs.
func (w world) ran(states map[string]string, spoil ...func(*golden.Account)) {
	w.t.Helper()
	outputs := filepath.Join(folderOf(w.testlogs, "round_trip"), "goldens")
	directory := golden.Directory{Path: filepath.Join(w.workspace, "goldens/round_trip"), Outputs: outputs}
	for state, text := range states {
		directory.CompareText(state, text)
	}
	account, err := directory.Account("round_trip")
	if err != nil {
		w.t.Fatal(err)
	}
	account.Complete = true
	for _, each := range spoil {
		each(&account)
	}
	text, err := account.Print()
	if err != nil {
		w.t.Fatal(err)
	}
	write(w.t, filepath.Join(outputs, golden.AccountName("round_trip")), string(text))
}

func (w world) accept(dryRun bool) *committed.Changes {
	w.t.Helper()
	changes := &committed.Changes{Workspace: w.workspace, DryRun: dryRun}
	if err := accept(changes, w.testlogs, "round_trip"); err != nil {
		w.t.Fatal(err)
	}
	return changes
}

// tree is every file of the workspace.
func (w world) tree() map[string]string {
	w.t.Helper()
	files := map[string]string{}
	if err := fs.WalkDir(os.DirFS(w.workspace), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(w.workspace, path))
		files[path] = string(text)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return files
}

func TestWhatTheLastRunCapturedBecomesTheGoldens(t *testing.T) {
	for name, pack := range map[string]bool{"from a folder": false, "from outputs.zip": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"same.txt": "1\n", "old.txt": "2\n", "gone.txt": "3\n"})
			w.ran(map[string]string{"same": "1", "old": "two", "fresh": "4"})
			if pack {
				packOutputs(t, folderOf(w.testlogs, "round_trip"))
			}
			want := w.tree()
			want["goldens/round_trip/old.txt"], want["goldens/round_trip/fresh.txt"] = "two\n", "4\n"
			delete(want, "goldens/round_trip/gone.txt")
			got := w.accept(false)
			if diff := cmp.Diff(want, w.tree()); diff != "" {
				t.Error(diff)
			}
			var out bytes.Buffer
			got.Print(&out, false)
			if diff := cmp.Diff("new      goldens/round_trip/fresh.txt  +1 -0\nchanged  goldens/round_trip/old.txt  +1 -1\nremoved  goldens/round_trip/gone.txt  +0 -1\n3 goldens written, 1 as they were, 0 scenarios refused\n", out.String()); diff != "" {
				t.Error(diff)
			}
			if again := w.accept(false); len(again.Done) != 0 || len(again.Refused) != 0 || again.Same != 3 {
				t.Errorf("accepting it twice is not the same as once: %+v", again)
			}
		})
	}
}

func packOutputs(t *testing.T, folder string) {
	t.Helper()
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	if err := writer.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "outputs.zip"), packed.String())
}

func TestADryRunShowsTheDiffAndWritesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"old.txt": "2\n", "gone.txt": "3\n"})
	w.ran(map[string]string{"old": "two"})
	before := w.tree()
	got := w.accept(true)
	if diff := cmp.Diff(before, w.tree()); diff != "" {
		t.Error(diff)
	}
	var out bytes.Buffer
	got.Print(&out, true)
	if text := out.String(); !strings.Contains(text, "-2\n+two\n") || !strings.Contains(text, "2 goldens would be written") {
		t.Errorf("it says:\n%s", text)
	}
}

// Each reason to leave a scenario's goldens alone is tried: nothing is written, and the sentence says why.
func TestCapturesThatCannotBeTrustedAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, says string
		spoil      func(*golden.Account)
		after      func(w world)
	}{
		{name: "the scenario failed by something else, too", says: "by more than goldens: the page reported an error", spoil: func(a *golden.Account) { a.Broken = []string{"the page reported an error"} }},
		{name: "another scenario's", says: "another scenario (hello)", spoil: func(a *golden.Account) { a.Scenario = "hello" }},
		{name: "an account of another scenario", says: "another scenario (hello)", after: func(w world) {
			folder := filepath.Join(folderOf(w.testlogs, "round_trip"), "goldens")
			if err := os.Rename(filepath.Join(folder, "round_trip.json"), filepath.Join(folder, "hello.json")); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "a run that was killed", says: "did not come to its end", after: func(w world) {
			if err := os.Remove(filepath.Join(folderOf(w.testlogs, "round_trip"), "goldens/round_trip.json")); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "a golden that was changed since", says: "old.txt is not any more what the run compared with", after: func(w world) {
			write(w.t, filepath.Join(w.workspace, "goldens/round_trip/old.txt"), "2b\n")
		}},
		{name: "a golden that came since", says: "later.txt was not there when it ran", after: func(w world) {
			write(w.t, filepath.Join(w.workspace, "goldens/round_trip/later.txt"), "5\n")
		}},
		{name: "a capture that was changed since", says: "old.txt in its outputs is not what the run captured", after: func(w world) {
			write(w.t, filepath.Join(folderOf(w.testlogs, "round_trip"), "goldens/old.txt"), "by hand\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"old.txt": "2\n", "first.txt": "0\n"})
			spoil := c.spoil
			if spoil == nil {
				spoil = func(*golden.Account) {}
			}
			w.ran(map[string]string{"old": "two", "first": "one"}, spoil)
			if c.after != nil {
				c.after(w)
			}
			before := w.tree()
			got := w.accept(false)
			if len(got.Refused) != 1 || !strings.Contains(got.Refused[0], c.says) {
				t.Errorf("want a refusal that says %q, got %q", c.says, got.Refused)
			}
			if diff := cmp.Diff(before, w.tree()); diff != "" {
				t.Errorf("a refused scenario was changed:\n%s", diff)
			}
		})
	}
}

func TestARunOfSomeTestsRemovesNoGolden(t *testing.T) {
	w := newWorld(t, map[string]string{"old.txt": "2\n", "other.txt": "3\n"})
	w.ran(map[string]string{"old": "two"}, func(a *golden.Account) { a.Complete = false })
	w.accept(false)
	if tree := w.tree(); tree["goldens/round_trip/old.txt"] != "two\n" || tree["goldens/round_trip/other.txt"] != "3\n" {
		t.Errorf("the workspace is %v", tree)
	}
}

func TestWhatHasNotRunOrIsNoScenarioIsAnErrorWithTheNextStep(t *testing.T) {
	w := newWorld(t, nil)
	for scenario, says := range map[string]string{"round_trip": "./bazelw test //e2e/round_trip", "no_such": `no scenario "no_such"`, "../e2e/round_trip": "there is no scenario"} {
		if err := accept(&committed.Changes{Workspace: w.workspace}, w.testlogs, scenario); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want an error that says %q, got %v", scenario, says, err)
		}
	}
	if _, err := withCaptures(w.testlogs); err == nil || !strings.Contains(err.Error(), "./bazelw test //e2e/...") {
		t.Errorf("where nothing has run: %v", err)
	}
}

func TestOnlyScenariosThatDifferedAreTakenWhenNoneIsNamed(t *testing.T) {
	w := newWorld(t, map[string]string{"old.txt": "2\n"})
	w.ran(map[string]string{"old": "two"})
	write(t, filepath.Join(folderOf(w.testlogs, "passed"), "goldens/passed.json"), `{"format":1,"complete":true}`)
	write(t, filepath.Join(folderOf(w.testlogs, "dropped"), "goldens/dropped.json"), `{"format":1,"complete":true,"committed":{"old.txt":"00"}}`)
	write(t, filepath.Join(folderOf(w.testlogs, "measured"), "figures.txt"), "1")
	names, err := withCaptures(w.testlogs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dropped", "round_trip"}, names); diff != "" {
		t.Error(diff)
	}
}
