package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licences writes assets/licences.txt: name, version and whole licence text
// of every npm package that the page contains, then the texts that stand in
// the sources as <room>/<what>-licence.txt for things taken over by hand. A
// package without a licence file is an error: its terms could not be honoured.
func (b *bundler) licences() error {
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(b.packages)) {
		folder := filepath.Join(b.nodeModules, filepath.FromSlash(name))
		var about struct{ Version, License string }
		data, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err != nil {
			return fmt.Errorf("webbundle: reading %s's description: %w", name, err)
		}
		if err := json.Unmarshal(data, &about); err != nil {
			return fmt.Errorf("webbundle: reading %s's description: %w", name, err)
		}
		licence, err := licenceText(folder)
		if err != nil {
			return fmt.Errorf("webbundle: package %s: %w", name, err)
		}
		fmt.Fprintf(&text, "%s %s (%s)\n\n%s\n\n%s\n\n", name, about.Version, about.License, strings.TrimSpace(licence), strings.Repeat("-", 72))
	}
	byHand, err := filepath.Glob(filepath.Join(b.webDir, "*", "*-licence.txt"))
	if err != nil {
		return fmt.Errorf("webbundle: looking for licences in the sources: %w", err)
	}
	for _, file := range byHand { // Glob sorts
		licence, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("webbundle: reading a licence: %w", err)
		}
		what := strings.TrimSuffix(filepath.Base(file), "-licence.txt")
		fmt.Fprintf(&text, "%s\n\n%s\n\n%s\n\n", what, strings.TrimSpace(string(licence)), strings.Repeat("-", 72))
	}
	b.files["assets/licences.txt"] = text.Bytes()
	return nil
}

func licenceText(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		upper := strings.ToUpper(entry.Name())
		if strings.HasPrefix(upper, "LICENSE") || strings.HasPrefix(upper, "LICENCE") {
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			return string(text), err
		}
	}
	return "", fmt.Errorf("no licence file in %s", folder)
}
