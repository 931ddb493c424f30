package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/scaffold/fixture"
	"keylane/scaffold/record"
	"keylane/scaffold/record/script"
)

// recordAndReplay drives the scenario against a provider, makes a fixture of what happened, and replays that with every check. Only
// then the fixture is left in the outputs, where //tools:record finds it.
func recordAndReplay(t T, scenario Scenario) {
	t.Helper()
	recording := drive(t, scenario)
	// The folder must bear the scenario's name, as its place in fixtures/ will.
	folder := filepath.Join(os.Getenv("TEST_TMPDIR"), "recorded", scenario.Name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatalf("scaffold: making a folder for the recording: %v", err)
	}
	for name, text := range map[string][]byte{fixture.LogName: recording.Log, fixture.MetaName: recording.Meta} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatalf("scaffold: writing the recording: %v", err)
		}
	}
	if err := keepOverride(scenario, folder); err != nil {
		t.Fatalf("%v", err)
	}
	t.Logf("scaffold: recorded %s; now replaying what was recorded", scenario.Name)
	play(t, scenario, Record, folder)
	if t.Failed() {
		t.Fatalf("scaffold: the recording does not replay, so it is not kept; what was recorded:\n%s", recording.Log)
	}
	for name, text := range map[string][]byte{fixture.LogName: recording.Log, fixture.MetaName: recording.Meta} {
		if err := leave(filepath.Join("fixture", name), text); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// keepOverride puts the scenario's override, which is no part of a recording, beside what was recorded.
func keepOverride(scenario Scenario, folder string) error {
	text, err := os.ReadFile(filepath.Join(scenario.fixtureFolder(), fixture.OverrideName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scaffold: reading the override: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, fixture.OverrideName), text, 0o644); err != nil {
		return fmt.Errorf("scaffold: writing the override beside the recording: %w", err)
	}
	return nil
}

// drive performs the scenario's gestures against a provider and harvests the session.
func drive(t T, scenario Scenario) record.Recording {
	t.Helper()
	provider := "the live provider"
	options := record.Options{Scenario: scenario.Name, Day: clock.System().Now()}
	url := ""
	if path := os.Getenv(ScriptVariable); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("scaffold: reading the script to record against: %v", err)
		}
		server, err := script.Start(t.Context(), path, text, clock.System())
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer func() {
			for _, problem := range server.Problems() {
				t.Errorf("scaffold: the script does not fit the scenario: %s", problem)
			}
			if err := server.Close(); err != nil {
				t.Errorf("%v", err)
			}
		}()
		provider = "the script " + filepath.Base(path)
		options.Script = filepath.Base(path)
		url = server.URL()
	}
	t.Logf("scaffold: recording %s against %s", scenario.Name, provider)
	adapter, err := adapterAt(url, ProviderKey, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	patched := scenario
	patched.Patches = append([]composition.Layer{adapter}, scenario.Patches...)
	var recording record.Recording
	perform(t, patched, Record, func(s *Stage, _ *llm.Registry) { s.recording = true }, func(s *Stage) {
		scenario.Drive(s)
		s.Settle()
		log := s.log()
		model := log.Projection().Model
		options.Provider, options.Model = model.Provider, model.Model
		options.Values = fixture.Values{Cwd: s.Folders.Workspace, Home: s.Folders.Home}
		if recording, err = record.Harvest(log, options); err != nil {
			s.Fatalf("scaffold: %v", err)
		}
	})
	if t.Failed() {
		t.Fatalf("scaffold: driving %s against %s failed after %s, so there is nothing to record", scenario.Name, provider, time.Since(options.Day).Round(time.Second))
	}
	return recording
}
