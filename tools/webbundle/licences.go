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

// licenceSuffix ends the name of a licence text in the sources. A module that
// holds something taken over by hand imports its licence: the import adds no
// code, but the text gets into the page, and can't be forgotten.
const licenceSuffix = "-licence.txt"

// licences writes assets/licences.txt: name, version and whole licence text
// of every npm package that the page contains, then the texts that modules
// import. A package without a licence file is an error: its terms could not be
// honoured.
func (b *bundler) licences() error {
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(b.packages)) {
		folder := b.packages[name]
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
	for _, file := range slices.Sorted(maps.Keys(b.byHand)) {
		licence, err := os.ReadFile(filepath.Join(b.webDir, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("webbundle: reading a licence: %w", err)
		}
		what := strings.TrimSuffix(filepath.Base(file), licenceSuffix)
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
