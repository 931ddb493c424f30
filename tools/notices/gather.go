package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is what `go list` and `go mod download` say of one, as far as it matters here.
type module struct {
	Path, Version, Dir string
	folders            []string // of its packages that are in the binary
}

// gather collects all entries. page is the text of the bundled page's licences.
func gather(workspace, page string) ([]entry, error) {
	shipped, err := shippedModules(workspace)
	if err != nil {
		return nil, err
	}
	goEntry, err := standardLibrary(workspace)
	if err != nil {
		return nil, err
	}
	entries := []entry{goEntry}
	for _, module := range shipped {
		text, licences, err := moduleLicences(module)
		if err != nil {
			return nil, err
		}
		if !mayBeShipped(licences) {
			return nil, fmt.Errorf("%s %s is in the binary and under %s: only %s may be", module.Path, module.Version, licences, strings.Join(permitted, ", "))
		}
		entries = append(entries, entry{inBinary, module.Path, module.Version, licences, text})
	}
	ofPage, err := pageEntries(page)
	if err != nil {
		return nil, err
	}
	for _, entry := range ofPage {
		if !mayBeShipped(entry.licences) {
			return nil, fmt.Errorf("%s %s is in the page and under %s: only %s may be", entry.name, entry.version, entry.licences, strings.Join(permitted, ", "))
		}
	}
	entries = append(entries, ofPage...)
	ofLane, err := laneModules(workspace, shipped)
	if err != nil {
		return nil, err
	}
	entries = append(entries, ofLane...)
	facts, err := readFacts(os.DirFS(workspace))
	if err != nil {
		return nil, err
	}
	return append(entries, facts.lanePackages(ofPage)...), nil
}

// goCommand runs the go command and decodes its stream of JSON values one by one.
func goCommand(workspace string, each func(*json.Decoder) error, arguments ...string) error {
	command := exec.Command("go", arguments...)
	command.Dir = workspace
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	stdout, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("go %s: %w: %s", strings.Join(arguments, " "), err, exit.Stderr)
		}
		return fmt.Errorf("go %s: %w", strings.Join(arguments, " "), err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(stdout)))
	for {
		if err := each(decoder); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go %s: reading its answer: %w", strings.Join(arguments, " "), err)
		}
	}
}

// shippedModules are the modules of which something is compiled into the command, sorted by path.
func shippedModules(workspace string) ([]module, error) {
	found := map[string]*module{}
	err := goCommand(workspace, func(decoder *json.Decoder) error {
		var listed struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := decoder.Decode(&listed); err != nil {
			return err
		}
		if listed.Module == nil || listed.Module.Main {
			return nil
		}
		if found[listed.Module.Path] == nil {
			found[listed.Module.Path] = &module{Path: listed.Module.Path, Version: listed.Module.Version, Dir: listed.Module.Dir}
		}
		found[listed.Module.Path].folders = append(found[listed.Module.Path].folders, listed.Dir)
		return nil
	}, "list", "-deps", "-json=Dir,Module", "./host/cmd/keylane")
	var modules []module
	for _, module := range found {
		modules = append(modules, *module)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, err
}

// aboutCode says of the name of a file whether it may hold terms for code. A logo is no part of a program.
var aboutCode = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// moduleLicences are the texts for what was taken from a module: those at its root, and those of the folders down to each package that
// is in the binary. A list of others' terms (LICENSE-3RD-PARTY) is passed on, but what it lists also stands for parts that
// are not in the binary, so it adds nothing to the names.
func moduleLicences(of module) (text, names string, err error) {
	folders := map[string]bool{of.Dir: true}
	for _, folder := range of.folders {
		for ; folder != of.Dir && strings.HasPrefix(folder, of.Dir); folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	var texts, found []string
	for _, folder := range sorted(folders) {
		files, err := os.ReadDir(folder)
		if err != nil {
			return "", "", fmt.Errorf("%s: reading its licence: %w", of.Path, err)
		}
		for _, file := range files {
			name := strings.ToUpper(file.Name())
			if file.IsDir() || !aboutCode.MatchString(name) || strings.HasSuffix(name, ".GO") || strings.HasSuffix(name, "LOGO") {
				continue
			}
			content, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				return "", "", fmt.Errorf("%s: reading its licence: %w", of.Path, err)
			}
			if !strings.Contains(name, "3RD-PARTY") {
				licences, err := licencesOf(string(content))
				if err != nil {
					return "", "", fmt.Errorf("%s %s: %s: %w", of.Path, of.Version, file.Name(), err)
				}
				found = append(found, licences...)
			}
			texts = append(texts, trimmed(string(content)))
		}
	}
	if len(found) == 0 {
		return "", "", fmt.Errorf("%s %s: no licence in it", of.Path, of.Version)
	}
	slices.Sort(found)
	return strings.Join(texts, separator), strings.Join(slices.Compact(found), " AND "), nil
}

// standardLibrary is Go's own entry: its library and run time are in every binary. Its version is the pinned one.
func standardLibrary(workspace string) (entry, error) {
	facts, err := readFacts(os.DirFS(workspace))
	if err != nil {
		return entry{}, err
	}
	var root string
	command := exec.Command("go", "env", "GOROOT")
	command.Dir = workspace
	out, err := command.Output()
	if err != nil {
		return entry{}, fmt.Errorf("asking where Go is: %w", err)
	}
	root = strings.TrimSpace(string(out))
	text, licences, err := moduleLicences(module{Path: goName, Version: facts.goVersion, Dir: root})
	return entry{inBinary, goName, facts.goVersion, licences, text}, err
}

// laneModules are the modules of go.mod of which nothing is in the binary.
func laneModules(workspace string, shipped []module) ([]entry, error) {
	facts, err := readFacts(os.DirFS(workspace))
	if err != nil {
		return nil, err
	}
	arguments := []string{"mod", "download", "-json"}
	for _, path := range sorted(facts.modules) {
		if !slices.ContainsFunc(shipped, func(m module) bool { return m.Path == path }) {
			arguments = append(arguments, path+"@"+facts.modules[path])
		}
	}
	var entries []entry
	err = goCommand(workspace, func(decoder *json.Decoder) error {
		var downloaded module
		if err := decoder.Decode(&downloaded); err != nil {
			return err
		}
		_, licences, err := moduleLicences(downloaded)
		entries = append(entries, entry{laneOnly, downloaded.Path, downloaded.Version, licences, ""})
		return err
	}, arguments...)
	return entries, err
}
