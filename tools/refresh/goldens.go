package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keylane/scaffold/golden"
	"keylane/tools/buildevents"
)

// targetsOf turns names of scenarios into Bazel targets.
func targetsOf(workspace string, scenarios []string) ([]string, error) {
	if len(scenarios) == 0 {
		return []string{"//e2e/..."}, nil
	}
	var targets []string
	for _, name := range scenarios {
		if _, err := os.Stat(filepath.Join(workspace, "e2e", name, "BUILD.bazel")); err != nil {
			return nil, fmt.Errorf("there is no scenario %q: the scenarios are the folders of e2e/", name)
		}
		targets = append(targets, "//e2e/"+name+":"+name)
	}
	return targets, nil
}

// A change is what happened to one golden.
type change struct {
	path string // relative to the workspace
	kind string // "new", "changed" or "removed"
}

type changes struct {
	done    []change
	same    int
	refused []string // one sentence for each scenario whose goldens were not taken
}

func (c changes) print(w io.Writer, dryRun bool) {
	for _, done := range c.done {
		fmt.Fprintf(w, "%-8s %s\n", done.kind, done.path)
	}
	for _, sentence := range c.refused {
		fmt.Fprintf(w, "refused  %s\n", sentence)
	}
	verb := "written"
	if dryRun {
		verb = "would be written"
	}
	fmt.Fprintf(w, "%d goldens %s, %d as they were, %d scenarios refused\n", len(c.done), verb, c.same, len(c.refused))
}

// apply takes over the goldens of every scenario of build that passed.
func apply(workspace string, build buildevents.Build, dryRun bool) (changes, error) {
	var all changes
	for _, test := range build.Tests {
		scenario, ok := scenarioOf(test.Label)
		if !ok {
			continue
		}
		if !test.Passed() {
			sentence := fmt.Sprintf("%s ended %s for another reason than its goldens", scenario, test.Status)
			if len(test.Runs) > 0 {
				if log := test.Runs[len(test.Runs)-1].Outputs["test.log"]; log != "" {
					sentence += "; see " + log
				}
			}
			all.refused = append(all.refused, sentence)
			continue
		}
		if len(test.Runs) == 0 {
			continue
		}
		captured := filepath.Join(test.Runs[0].OutputsFolder(), "goldens")
		if err := takeOver(&all, workspace, scenario, captured, dryRun); err != nil {
			return all, err
		}
	}
	return all, nil
}

// scenarioOf returns the scenario of a label //e2e/<scenario>:<scenario>.
func scenarioOf(label string) (string, bool) {
	label = strings.TrimPrefix(label, "@@")
	folder, name, ok := strings.Cut(strings.TrimPrefix(label, "//e2e/"), ":")
	return name, ok && strings.HasPrefix(label, "//e2e/") && folder == name
}

func takeOver(all *changes, workspace, scenario, captured string, dryRun bool) error {
	fresh, err := goldensIn(captured)
	if err != nil {
		return err
	}
	folder := filepath.Join(workspace, "goldens", scenario)
	old, err := goldensIn(folder)
	if err != nil {
		return err
	}
	for name, text := range fresh {
		relative := filepath.Join("goldens", scenario, name)
		before, exists := old[name]
		switch {
		case exists && bytes.Equal(before, text):
			all.same++
			continue
		case exists:
			all.done = append(all.done, change{relative, "changed"})
		default:
			all.done = append(all.done, change{relative, "new"})
		}
		if dryRun {
			continue
		}
		if err := writeFile(filepath.Join(workspace, relative), text); err != nil {
			return err
		}
	}
	for name := range old {
		if _, ok := fresh[name]; ok {
			continue
		}
		relative := filepath.Join("goldens", scenario, name)
		all.done = append(all.done, change{relative, "removed"})
		if dryRun {
			continue
		}
		if err := os.Remove(filepath.Join(workspace, relative)); err != nil {
			return fmt.Errorf("removing a golden that no state captures: %w", err)
		}
	}
	return nil
}

// goldensIn reads the goldens of a folder, of both kinds; a folder that does not exist holds none.
func goldensIn(folder string) (map[string][]byte, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading goldens: %w", err)
	}
	texts := map[string][]byte{}
	for _, entry := range entries {
		if entry.IsDir() || !golden.IsGolden(entry.Name()) {
			continue
		}
		if texts[entry.Name()], err = os.ReadFile(filepath.Join(folder, entry.Name())); err != nil {
			return nil, fmt.Errorf("reading a golden: %w", err)
		}
	}
	return texts, nil
}

// writeFile replaces path in one step, so that an interrupted refresh leaves no half golden.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of a golden: %w", err)
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o644); err != nil {
		return fmt.Errorf("writing a golden: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("writing a golden: %w", err)
	}
	return nil
}
