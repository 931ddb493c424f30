package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keylane/tools/buildevents"
	"keylane/tools/committed"
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

// apply takes over the goldens of every scenario of build that passed.
func apply(all *committed.Changes, build buildevents.Build) error {
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
			all.Refuse("%s", sentence)
			continue
		}
		if len(test.Runs) == 0 {
			continue
		}
		captured := filepath.Join(test.Runs[0].OutputsFolder(), "goldens")
		if err := takeOver(all, scenario, captured); err != nil {
			return err
		}
	}
	return nil
}

// scenarioOf returns the scenario of a label //e2e/<scenario>:<scenario>.
func scenarioOf(label string) (string, bool) {
	label = strings.TrimPrefix(label, "@@")
	folder, name, ok := strings.Cut(strings.TrimPrefix(label, "//e2e/"), ":")
	return name, ok && strings.HasPrefix(label, "//e2e/") && folder == name
}

func takeOver(all *committed.Changes, scenario, captured string) error {
	fresh, err := committed.Read(captured)
	if err != nil {
		return err
	}
	old, err := committed.Read(all.Folder(scenario))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		if err := all.Put(scenario, name, old[name], fresh[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if _, ok := fresh[name]; ok {
			continue
		}
		if err := all.Remove(scenario, name, old[name]); err != nil {
			return err
		}
	}
	return nil
}
