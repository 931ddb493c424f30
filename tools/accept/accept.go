package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keylane/scaffold/golden"
	"keylane/tools/committed"
)

// accept takes over one scenario's captures. What speaks against it is refused in changes; an error means that the scenario is not there,
// or has not run, or that files cannot be read or written.
func accept(changes *committed.Changes, testlogs, scenario string) error {
	if _, err := os.Stat(filepath.Join(changes.Workspace, "e2e", scenario, "BUILD.bazel")); err != nil || scenario != filepath.Base(scenario) {
		return fmt.Errorf("there is no scenario %q: the scenarios are the folders of e2e/", scenario)
	}
	test := "./bazelw test //e2e/" + scenario
	outputs, err := openOutputs(folderOf(testlogs, scenario))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the last run of %s left no outputs in %s: run it first: %s", scenario, folderOf(testlogs, scenario), test)
	}
	if err != nil {
		return err
	}
	defer outputs.Close()
	text, err := fs.ReadFile(outputs, "goldens/"+golden.AccountName(scenario))
	if errors.Is(err, fs.ErrNotExist) {
		if others, _ := fs.Glob(outputs, "goldens/*.json"); len(others) > 0 {
			changes.Refuse("%s: the outputs are of another scenario (%s)", scenario, strings.TrimSuffix(strings.TrimPrefix(others[0], "goldens/"), ".json"))
			return nil
		}
		changes.Refuse("%s: its last run left no account of what it captured, so it did not come to its end: %s", scenario, test)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the account of %s: %w", scenario, err)
	}
	account, err := golden.ParseAccount(text)
	if err != nil {
		return err
	}
	old, err := committed.Read(changes.Folder(scenario))
	if err != nil {
		return err
	}
	fresh, refusal, err := judge(outputs, account, scenario, old)
	if err != nil {
		return err
	}
	if refusal != "" {
		changes.Refuse("%s: %s", scenario, refusal)
		return nil
	}
	return take(changes, account, old, fresh)
}

// judge looks for what speaks against a scenario's captures. Without a refusal it returns the texts of those that differ from the goldens.
func judge(outputs fs.FS, account golden.Account, scenario string, old map[string][]byte) (fresh map[string][]byte, refusal string, err error) {
	again := "; run it again: ./bazelw test //e2e/" + scenario
	if account.Scenario != scenario {
		return nil, fmt.Sprintf("the outputs are of another scenario (%s)", account.Scenario), nil
	}
	if len(account.Broken) > 0 {
		return nil, "its last run failed by more than goldens: " + strings.Join(account.Broken, "; "), nil
	}
	fresh = map[string][]byte{}
	for _, file := range slices.Sorted(maps.Keys(account.Captured)) {
		now := sum(old[file])
		if now == account.Captured[file] {
			continue
		}
		if now != account.Committed[file] {
			return nil, file + " is not any more what the run compared with, so its outputs are older" + again, nil
		}
		text, err := fs.ReadFile(outputs, "goldens/"+file)
		if err != nil {
			return nil, "", fmt.Errorf("reading a capture of %s: %w", scenario, err)
		}
		if golden.Sum(text) != account.Captured[file] {
			return nil, file + " in its outputs is not what the run captured" + again, nil
		}
		fresh[file] = text
	}
	for _, file := range slices.Sorted(maps.Keys(old)) {
		if _, captured := account.Captured[file]; account.Complete && !captured && sum(old[file]) != account.Committed[file] {
			return nil, file + " was not there when it ran, so its outputs are older" + again, nil
		}
	}
	return fresh, "", nil
}

// take writes what differs, and removes what no state captures.
func take(changes *committed.Changes, account golden.Account, old, fresh map[string][]byte) error {
	for _, file := range slices.Sorted(maps.Keys(account.Captured)) {
		text, differs := fresh[file]
		if !differs {
			changes.Same++
			continue
		}
		if err := changes.Put(account.Scenario, file, old[file], text); err != nil {
			return err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(old)) {
		if _, captured := account.Captured[file]; captured || !account.Complete {
			continue
		}
		if err := changes.Remove(account.Scenario, file, old[file]); err != nil {
			return err
		}
	}
	return nil
}

// sum is golden.Sum, and "" where there is no golden, as an account has it.
func sum(text []byte) string {
	if text == nil {
		return ""
	}
	return golden.Sum(text)
}
