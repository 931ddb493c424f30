package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/evanw/esbuild/pkg/api"
)

// testFile is what a file of the page's own tests is called.
var testFile = regexp.MustCompile(`\.test\.tsx?$`)

// BundleTests builds the page's own tests: for each file <name>.test.ts below
// webDir a document <name>.html with the one script <name>.js, and tests.json,
// the sorted list of names. Every script carries all it imports, so that no
// file sees another one's state. Without a test file it is an error.
func BundleTests(webDir, nodeModules string) (map[string][]byte, error) {
	b, err := newBundler(webDir, nodeModules)
	if err != nil {
		return nil, err
	}
	b.readable = true
	names, err := b.testNames()
	if err != nil {
		return nil, err
	}
	for name, source := range names.all() {
		if err := b.build(source, api.EntryPoint{InputPath: "./" + source, OutputPath: name}, nil, insideBundle(b.webDir)); err != nil {
			return nil, err
		}
		styles := ""
		if b.files[name+".css"] != nil {
			styles = fmt.Sprintf(`<link rel="stylesheet" href="/%s.css">`, html.EscapeString(name))
		}
		b.files[name+".html"] = fmt.Appendf(nil, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title><link rel=\"icon\" href=\"data:,\">%s<body></body><script type=\"module\" src=\"/%s.js\"></script></html>\n",
			html.EscapeString(source), styles, html.EscapeString(name))
	}
	list, err := json.MarshalIndent(names.names, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("webbundle: encoding the list of tests: %w", err)
	}
	b.files["tests.json"] = append(list, '\n')
	return b.files, nil
}

// testFiles are names and sources of test files, in the order of the names.
type testFiles struct{ names, sources []string }

func (f testFiles) all() func(func(name, source string) bool) {
	return func(yield func(name, source string) bool) {
		for i, name := range f.names {
			if !yield(name, f.sources[i]) {
				return
			}
		}
	}
}

func (b *bundler) testNames() (testFiles, error) {
	var found testFiles
	err := filepath.WalkDir(b.webDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "node_modules" {
			return fs.SkipDir // one that is a link, the walk does not follow
		}
		if entry.IsDir() || !testFile.MatchString(path) {
			return nil
		}
		source, err := filepath.Rel(b.webDir, path)
		if err != nil {
			return err
		}
		source = filepath.ToSlash(source)
		found.names = append(found.names, testFile.ReplaceAllString(source, ""))
		found.sources = append(found.sources, source)
		return nil
	})
	if err != nil {
		return testFiles{}, fmt.Errorf("webbundle: looking for tests: %w", err)
	}
	if len(found.names) == 0 {
		return testFiles{}, errors.New("webbundle: there is no test file (<name>.test.ts) in the sources")
	}
	return found, nil
}

// insideBundle makes the module "keylane" a part of the bundle; nothing is shared.
func insideBundle(webDir string) api.Plugin {
	return api.Plugin{Name: "inside-bundle", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^keylane$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(webDir, "keylane.ts")}, nil
		})
	}}
}
