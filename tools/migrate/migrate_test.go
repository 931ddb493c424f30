package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold/fixture"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workspace holds one fixture, in which each event has a row of its own with seq and time, as an older format might have had it, and a golden.
func workspace(t *testing.T) (folder, recorded string) {
	t.Helper()
	folder = t.TempDir()
	text, err := os.ReadFile("testdata/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	header, events, err := session.Read(bytes.NewReader(text), session.ReadOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	var old bytes.Buffer
	if err := session.Write(&old, header, events, session.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile("testdata/fixture.yml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "MODULE.bazel"), "")
	write(t, filepath.Join(folder, "fixtures/round_trip/session.jsonl"), old.String())
	write(t, filepath.Join(folder, "fixtures/round_trip/fixture.yml"), string(meta))
	write(t, filepath.Join(folder, "goldens/round_trip/settled.aria"), "# aria 1\n- main: hello\n")
	t.Setenv("BUILD_WORKSPACE_DIRECTORY", folder)
	return folder, string(text)
}

func TestAFixtureInAnotherSpellingBecomesTodays(t *testing.T) {
	folder, recorded := workspace(t)
	path := filepath.Join(folder, "fixtures/round_trip/session.jsonl")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fixture.Load(filepath.Dir(path)); err == nil {
		t.Fatal("the old spelling is today's")
	}
	if code, err := run(arguments{DryRun: true}); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a dry run wrote: %v", err)
	}
	for range 2 { // the second time changes nothing
		if code, err := run(arguments{}); code != 0 || err != nil {
			t.Fatal(code, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != recorded {
			t.Errorf("the fixture is not what was recorded (%v):\n%s", err, after)
		}
	}
	if _, err := fixture.Load(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeMigratedIsLeftAndNamed(t *testing.T) {
	folder, _ := workspace(t)
	for path, text := range map[string]string{
		"goldens/round_trip/later.aria": "# aria 2\n- main: hello\n",
		"fixtures/other/session.jsonl":  "no log\n",
	} {
		write(t, filepath.Join(folder, path), text)
		code, err := run(arguments{})
		if code != 1 || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: ended with %d, %v", path, code, err)
		}
		if after, err := os.ReadFile(filepath.Join(folder, path)); err != nil || string(after) != text {
			t.Errorf("%s was changed: %s, %v", path, after, err)
		}
	}
}

// What is in the tree is in today's format already. A change in a fixture must be felt by its scenario alone, so Bazel gives this test none;
// .ci/run runs it over the whole checkout.
func TestTheTreeIsInTodaysFormat(t *testing.T) {
	t.Setenv("BUILD_WORKSPACE_DIRECTORY", "")
	if fixtures, err := filepath.Glob("../../fixtures/*/session.jsonl"); err != nil || len(fixtures) == 0 {
		t.Skip("Bazel gives it no fixtures; .ci/run runs it over the whole checkout")
	}
	found, err := look("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range found {
		if changed, err := each.migrate("../..", true); err != nil || changed {
			t.Errorf("%s: would change: %v, %v", each.path, changed, err)
		}
	}
}
