package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/tools/buildevents"
	"keylane/tools/committed"
)

// world is a workspace and the outputs of one finished scenario.
type world struct {
	workspace string
	build     buildevents.Build
}

func newWorld(t *testing.T, status string, old, captured map[string]string) world {
	t.Helper()
	w := world{workspace: t.TempDir()}
	logs := filepath.Join(t.TempDir(), "logs")
	for name, text := range old {
		write(t, filepath.Join(w.workspace, "goldens", "round_trip", name), text)
	}
	for name, text := range captured {
		write(t, filepath.Join(logs, "test.outputs", "goldens", name), text)
	}
	w.build = buildevents.Build{Finished: true, Tests: []buildevents.Test{{
		Label: "//e2e/round_trip:round_trip", Status: status,
		Runs: []buildevents.Run{{Status: status, Outputs: map[string]string{"test.log": filepath.Join(logs, "test.log")}}},
	}}}
	return w
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

func (w world) apply(dryRun bool) (*committed.Changes, error) {
	changes := &committed.Changes{Workspace: w.workspace, DryRun: dryRun}
	return changes, apply(changes, w.build)
}

func (w world) goldens(t *testing.T) map[string]string {
	t.Helper()
	texts, err := committed.Read(filepath.Join(w.workspace, "goldens", "round_trip"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, text := range texts {
		got[name] = string(text)
	}
	return got
}

func TestRefreshWritesWhatDiffersAndRemovesWhatNoStateCaptures(t *testing.T) {
	w := newWorld(t, "PASSED",
		map[string]string{"same.aria": "1", "old.aria": "2", "gone.aria": "3", "old.txt": "a", "gone.txt": "b"},
		map[string]string{"same.aria": "1", "old.aria": "two", "fresh.aria": "4", "old.txt": "A", "fresh.txt": "c"})
	unchanged, err := os.Stat(filepath.Join(w.workspace, "goldens", "round_trip", "same.aria"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.apply(false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"same.aria": "1", "old.aria": "two", "fresh.aria": "4", "old.txt": "A", "fresh.txt": "c"}, w.goldens(t)); diff != "" {
		t.Error(diff)
	}
	if len(got.Done) != 6 || got.Same != 1 || len(got.Refused) != 0 {
		t.Errorf("the summary is %+v", got)
	}
	after, err := os.Stat(filepath.Join(w.workspace, "goldens", "round_trip", "same.aria"))
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(unchanged, after) {
		t.Error("a golden that is the same was written again")
	}
}

func TestRefreshRefusesAScenarioThatFailed(t *testing.T) {
	w := newWorld(t, "FAILED", map[string]string{"settled.aria": "right"}, map[string]string{"settled.aria": "wrong"})
	got, err := w.apply(false)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Refused) != 1 || w.goldens(t)["settled.aria"] != "right" {
		t.Errorf("a failed scenario's goldens were taken: %+v", got)
	}
	var out bytes.Buffer
	got.Print(&out, false)
	if !bytes.Contains(out.Bytes(), []byte("refused  round_trip ended FAILED")) {
		t.Errorf("the summary does not say so: %s", out.String())
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	w := newWorld(t, "PASSED", map[string]string{"a.aria": "1", "gone.aria": "3"}, map[string]string{"a.aria": "2", "b.aria": "3"})
	got, err := w.apply(true)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Done) != 3 {
		t.Errorf("want three announced changes, got %+v", got.Done)
	}
	if diff := cmp.Diff(map[string]string{"a.aria": "1", "gone.aria": "3"}, w.goldens(t)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyScenarioTargetsHaveGoldens(t *testing.T) {
	for label, want := range map[string]bool{"//e2e/round_trip:round_trip": true, "@@//e2e/round_trip:round_trip": true, "//host/api:api_test": false, "//e2e/perf/boot:boot": false} {
		if _, ok := scenarioOf(label); ok != want {
			t.Errorf("%s: a scenario? got %v, want %v", label, ok, want)
		}
	}
}

func TestAnUnknownScenarioIsNamed(t *testing.T) {
	if _, err := targetsOf(t.TempDir(), []string{"no_such"}); err == nil {
		t.Error("want an error that names no_such")
	}
}
