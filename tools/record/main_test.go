package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/tools/buildevents"
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

func TestARecordingIsKeptWhenItDiffers(t *testing.T) {
	recorded, fixture := t.TempDir(), filepath.Join(t.TempDir(), "round_trip")
	write(t, filepath.Join(recorded, "session.jsonl"), "new")
	write(t, filepath.Join(recorded, "fixture.yml"), "recorded: today")
	for _, step := range []struct {
		dryRun bool
		want   int
	}{{true, 2}, {false, 2}, {false, 0}} {
		written, err := keep(recorded, fixture, step.dryRun)
		if err != nil {
			t.Fatal(err)
		}
		if len(written) != step.want {
			t.Errorf("dry run %v wrote %v, want %d files", step.dryRun, written, step.want)
		}
	}
	write(t, filepath.Join(recorded, "fixture.yml"), "recorded: tomorrow")
	if written, err := keep(recorded, fixture, false); err != nil || len(written) != 0 {
		t.Errorf("the same session on another day is no change, got %v, %v", written, err)
	}
}

func TestAFailedScenarioRecordsNothing(t *testing.T) {
	_, err := recordedBy(buildevents.Build{Finished: true, Tests: []buildevents.Test{{Label: "//e2e/a:a", Status: "FAILED", Runs: []buildevents.Run{{Outputs: map[string]string{"test.log": "/out/test.log"}}}}}})
	if err == nil || !strings.Contains(err.Error(), "/out/test.log") {
		t.Errorf("want an error that names the log, got %v", err)
	}
}

func TestTheKeyIsPassedByNameOnly(t *testing.T) {
	workspace := t.TempDir()
	write(t, filepath.Join(workspace, "e2e", "a", "BUILD.bazel"), "")
	t.Setenv("DEEPSEEK_API_KEY", "sk-canary")
	flags, err := flagsFor(workspace, arguments{Scenario: "a", Live: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(flags, " "), "sk-canary") {
		t.Errorf("the key stands in Bazel's command line: %v", flags)
	}
	t.Setenv("DEEPSEEK_API_KEY", "")
	if _, err := flagsFor(workspace, arguments{Scenario: "a", Live: true}); err == nil {
		t.Error("want an error that names the missing key")
	}
}

func TestWithoutAKeyTheScenariosOwnScriptIsUsed(t *testing.T) {
	workspace := t.TempDir()
	write(t, filepath.Join(workspace, "e2e", "a", "BUILD.bazel"), "")
	if _, err := flagsFor(workspace, arguments{Scenario: "a"}); err == nil || !strings.Contains(err.Error(), "e2e/a/script.yml") {
		t.Errorf("want an error that names the script to write, got %v", err)
	}
	script := filepath.Join(workspace, "e2e", "a", "script.yml")
	write(t, script, "replies: []\n")
	flags, err := flagsFor(workspace, arguments{Scenario: "a"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--config=record", "--sandbox_add_mount_pair=" + filepath.Dir(script), "--test_env=KEYLANE_RECORD_SCRIPT=" + script, "//e2e/a:a"}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Error(diff)
	}
}
