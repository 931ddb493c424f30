package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"keylane/scaffold/golden"
)

// folderOf is where Bazel keeps the undeclared outputs of //e2e/<scenario>:<scenario>.
func folderOf(testlogs, scenario string) string {
	return filepath.Join(testlogs, "e2e", scenario, scenario, "test.outputs")
}

// withCaptures names the scenarios whose last run captured other goldens than there were, in order.
func withCaptures(testlogs string) ([]string, error) {
	folders, err := os.ReadDir(filepath.Join(testlogs, "e2e"))
	if err != nil {
		return nil, fmt.Errorf("no scenario has run: run them first: ./bazelw test //e2e/... (%w)", err)
	}
	var names []string
	for _, folder := range folders {
		differs, err := captured(folderOf(testlogs, folder.Name()), folder.Name())
		if err != nil {
			return nil, err
		}
		if differs {
			names = append(names, folder.Name())
		}
	}
	return names, nil
}

// captured says whether a run left captures, or knows of a golden that it did not capture.
func captured(folder, scenario string) (bool, error) {
	outputs, err := openOutputs(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer outputs.Close()
	entries, err := fs.ReadDir(outputs, "goldens")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("reading the outputs of %s: %w", scenario, err)
	}
	if slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return golden.IsGolden(entry.Name()) }) {
		return true, nil
	}
	text, err := fs.ReadFile(outputs, "goldens/"+golden.AccountName(scenario))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the account of %s: %w", scenario, err)
	}
	account, err := golden.ParseAccount(text)
	return account.Complete && !maps.Equal(account.Committed, account.Captured), err
}

// A readable is the outputs of one test, to be closed.
type readable interface {
	fs.FS
	io.Closer
}

// openOutputs opens undeclared outputs: what lies in the folder, or in its outputs.zip where Bazel packs them. Where neither is, the
// error is fs.ErrNotExist.
func openOutputs(folder string) (readable, error) {
	packed, err := zip.OpenReader(filepath.Join(folder, "outputs.zip"))
	if err == nil {
		return packed, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening the outputs of a test: %w", err)
	}
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("opening the outputs of a test: %w", err)
	}
	return unpacked{os.DirFS(folder)}, nil
}

type unpacked struct{ fs.FS }

func (unpacked) Close() error { return nil }
