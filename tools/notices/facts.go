package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// goName is how the entry of Go's own library is called.
const goName = "The Go standard library and run time"

// facts are what the tree itself says of its dependencies: no network, no module cache.
type facts struct {
	modules   map[string]string      // go.mod: path → version
	npm       map[string]lockedEntry // web/package-lock.json and scaffold/axe/package-lock.json: name → entry
	bazel     map[string]string      // MODULE.bazel: module → version
	goVersion string                 // MODULE.bazel
	chromium  map[string]string      // MODULE.bazel: the browser's npm packages → version
}

// A lockedEntry is one package of an npm lockfile.
type lockedEntry struct {
	Version string   `json:"version"`
	License string   `json:"license"`
	OS      []string `json:"os"` // set for the builds of one package for several systems
}

var (
	requirement   = regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+) (v\S+)(?: // indirect)?$`)
	bazelModule   = regexp.MustCompile(`(?m)^bazel_dep\(name = "([^"]+)", version = "([^"]+)"`)
	pinnedGo      = regexp.MustCompile(`(?s)go_sdk_module\(.*?version = "([^"]+)"`)
	pinnedBrowser = regexp.MustCompile(`(?s)npm_chromium\(\n(.*?)\n\)`)
	attribute     = regexp.MustCompile(`(?m)^    (\w+) = "([^"]*)",`)
)

// The licences of what MODULE.bazel names, which nothing in the tree says.
var (
	bazelLicences    = map[string]string{"bazel_skylib": "Apache-2.0", "gazelle": "Apache-2.0", "platforms": "Apache-2.0", "rules_go": "Apache-2.0", "rules_shell": "Apache-2.0"}
	chromiumLicences = map[string]string{
		"@sparticuz/chromium":             "MIT; Chromium in it: BSD-3-Clause and the licences of its parts",
		"@expo-google-fonts/noto-sans-sc": "MIT AND OFL-1.1",
	}
)

// readFacts reads them from the root of a checkout, or from the runfiles.
func readFacts(root fs.FS) (facts, error) {
	read := facts{modules: map[string]string{}, npm: map[string]lockedEntry{}, bazel: map[string]string{}, chromium: map[string]string{}}
	goMod, err := fs.ReadFile(root, "go.mod")
	if err != nil {
		return facts{}, err
	}
	for _, match := range requirement.FindAllStringSubmatch(string(goMod), -1) {
		read.modules[match[1]] = match[2]
	}
	for _, name := range []string{"web/package-lock.json", "scaffold/axe/package-lock.json"} {
		if err := read.lockfile(root, name); err != nil {
			return facts{}, err
		}
	}
	moduleBazel, err := fs.ReadFile(root, "MODULE.bazel")
	if err != nil {
		return facts{}, err
	}
	for _, match := range bazelModule.FindAllStringSubmatch(string(moduleBazel), -1) {
		read.bazel[match[1]] = match[2]
	}
	if match := pinnedGo.FindStringSubmatch(string(moduleBazel)); match != nil {
		read.goVersion = match[1]
	}
	for _, browser := range pinnedBrowser.FindAllStringSubmatch(string(moduleBazel), -1) {
		values := map[string]string{}
		for _, match := range attribute.FindAllStringSubmatch(browser[1], -1) {
			values[match[1]] = match[2]
		}
		read.chromium[values["package"]] = values["version"]
		read.chromium[values["font_package"]] = values["font_version"]
	}
	if len(read.modules) == 0 || len(read.npm) == 0 || len(read.bazel) == 0 || read.goVersion == "" || len(read.chromium) == 0 {
		return facts{}, fmt.Errorf("go.mod, MODULE.bazel or a lockfile does not look as it did: %d modules, %d npm packages, %d Bazel modules, Go %q, %d packages of the browser",
			len(read.modules), len(read.npm), len(read.bazel), read.goVersion, len(read.chromium))
	}
	return read, nil
}

func (f facts) lockfile(root fs.FS, name string) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]lockedEntry `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for path, entry := range lock.Packages {
		if _, name, found := strings.Cut(path, "node_modules/"); found && len(entry.OS) == 0 {
			f.npm[name] = entry
		}
	}
	return nil
}

// lanePackages are the packages of npm and Bazel that are not in the page; what is built for one system goes under the name of the
// package that wants it.
func (f facts) lanePackages(page []entry) []entry {
	var entries []entry
	for _, name := range sorted(f.npm) {
		if !slices.ContainsFunc(page, func(e entry) bool { return e.name == name }) {
			entries = append(entries, entry{laneOnly, name, f.npm[name].Version, f.npm[name].License, ""})
		}
	}
	for _, name := range sorted(f.chromium) {
		entries = append(entries, entry{laneOnly, name, f.chromium[name], chromiumLicences[name], ""})
	}
	for _, name := range sorted(f.bazel) {
		entries = append(entries, entry{laneOnly, name, f.bazel[name], bazelLicences[name], ""})
	}
	return entries
}

func sorted[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
