package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// page is the smallest set of sources that has every part of a page.
func page() map[string]string {
	return map[string]string{
		"web/index.html":                `<link href="/assets/shell.css"><link href="/assets/cjk.css"><script type="module" src="/assets/shell.js"></script>`,
		"web/favicon.svg":               `<svg/>`,
		"web/keylane.ts":                `import { signal } from "@preact/signals"; export const shared = signal("one instance"); export const worker = EVENTS_WORKER;`,
		"web/wire/worker.ts":            `import { words } from "./words"; console.log(words);`,
		"web/wire/words.ts":             `export const words = "the worker's own";`,
		"web/shell/main.tsx":            `import "./shell.css"; import "../ui/drawing-licence.txt"; import { render } from "preact"; import { shared } from "keylane"; render(<p>{shared.value}</p>, document.body);`,
		"web/shell/shell.css":           `p { color: red }`,
		"web/ui/cjk.css":                `i { font-family: somewhere }`,
		"web/ui/drawing-licence.txt":    `Terms of the drawings.`,
		"web/plugins/first/client.tsx":  `import "./first.css"; import { part } from "./part"; export const activate = part;`,
		"web/plugins/first/first.css":   `b { color: blue }`,
		"web/plugins/first/part.ts":     `import { shared } from "keylane"; import { useState } from "preact/hooks"; export const part = () => [shared, useState];`,
		"web/plugins/second/client.tsx": `export function activate() { return <i>plain</i> }`,

		"modules/preact/package.json":               `{"name":"preact","version":"1.0.0","license":"MIT","exports":{".":"./index.js","./hooks":"./hooks.js","./jsx-runtime":"./jsx.js"}}`,
		"modules/preact/index.js":                   `export function render() {} export const options = "the only options";`,
		"modules/preact/hooks.js":                   `import { options } from "preact"; export function useState() { return options }`,
		"modules/preact/jsx.js":                     `export function jsx() {} export { jsx as jsxs, jsx as jsxDEV }; export const jsxTemplate = 1, jsxAttr = 2, jsxEscape = 3;`,
		"modules/preact/LICENSE":                    `Terms of preact.`,
		"modules/@preact/signals/package.json":      `{"name":"@preact/signals","version":"2.0.0","license":"MIT","main":"index.js"}`,
		"modules/@preact/signals/index.js":          `import { options } from "preact"; export { core } from "@preact/signals-core"; export function signal(value) { return { value, options } }`,
		"modules/@preact/signals/LICENSE":           `Terms of signals.`,
		"modules/@preact/signals-core/package.json": `{"name":"@preact/signals-core","version":"3.0.0","license":"MIT","main":"index.js"}`,
		"modules/@preact/signals-core/index.js":     `export const core = 1;`,
		"modules/@preact/signals-core/LICENSE":      `Terms of the core.`,
	}
}

func write(t *testing.T, files map[string]string) (web, modules string) {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "web"), filepath.Join(root, "modules")
}

func bundle(t *testing.T, files map[string]string) map[string][]byte {
	t.Helper()
	web, modules := write(t, files)
	built, err := Bundle(web, modules)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func TestEveryBundleImportsTheSharedModulesInsteadOfCarryingThem(t *testing.T) {
	built := bundle(t, page())
	for _, name := range []string{"assets/shell.js", "plugins/first/client.js", "shared/signals.js", "shared/keylane.js"} {
		if bytes.Contains(built[name], []byte("the only options")) {
			t.Errorf("%s carries its own copy of preact", name)
		}
	}
	for name, want := range map[string]string{
		"plugins/first/client.js":  `"/shared/keylane.js"`,
		"plugins/second/client.js": `"/shared/preact.js"`,
		"shared/keylane.js":        `"/shared/signals.js"`,
		"shared/signals.js":        `"/shared/preact.js"`,
	} {
		if !bytes.Contains(built[name], []byte(want)) {
			t.Errorf("%s does not import %s:\n%s", name, want, built[name])
		}
	}
	if !bytes.Contains(built["shared/preact.js"], []byte("the only options")) {
		t.Error("shared/preact.js does not carry preact")
	}
}

func TestThePageNamesTheWorkerByItsRevision(t *testing.T) {
	before := bundle(t, page())
	if !bytes.Contains(before["assets/events.js"], []byte("the worker's own")) {
		t.Errorf("the worker does not carry what it imports:\n%s", before["assets/events.js"])
	}
	name := `"/assets/events.js?rev=` + revision(before["assets/events.js"]) + `"`
	if !bytes.Contains(before["shared/keylane.js"], []byte(name)) {
		t.Errorf("the page does not name %s:\n%s", name, before["shared/keylane.js"])
	}
	changed := page()
	changed["web/wire/words.ts"] = `export const words = "other words";`
	after := bundle(t, changed)
	if bytes.Contains(after["shared/keylane.js"], []byte(name)) {
		t.Error("the page of another worker names the same one")
	}
}

func TestTheManifestNamesEveryPluginWithItsStyles(t *testing.T) {
	var manifest Manifest
	if err := json.Unmarshal(bundle(t, page())["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Plugins) != 2 || manifest.Rev == "" {
		t.Fatalf("manifest: %+v", manifest)
	}
	first, second := manifest.Plugins[0], manifest.Plugins[1]
	if first.ID != "first" || first.Path != "/plugins/first/client.js" || first.CSS != "/plugins/first/client.css" || first.Rev == "" {
		t.Errorf("first plugin: %+v", first)
	}
	if second.ID != "second" || second.CSS != "" {
		t.Errorf("second plugin: %+v", second)
	}
}

func TestEqualSourcesGiveAnEqualArchiveWhereverTheyLie(t *testing.T) {
	var archives [2][]byte
	for i := range archives {
		archive, err := Archive(bundle(t, page()))
		if err != nil {
			t.Fatal(err)
		}
		archives[i] = archive
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two builds of equal sources differ")
	}
}

func TestAChangedPluginChangesItsRevisionAndThePages(t *testing.T) {
	changed := page()
	changed["web/plugins/second/client.tsx"] = `export function activate() { return <i>changed</i> }`
	var before, after Manifest
	if err := json.Unmarshal(bundle(t, page())["manifest.json"], &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bundle(t, changed)["manifest.json"], &after); err != nil {
		t.Fatal(err)
	}
	if before.Rev == after.Rev || before.Plugins[1].Rev == after.Plugins[1].Rev || before.Plugins[0].Rev != after.Plugins[0].Rev {
		t.Errorf("before %+v\nafter  %+v", before, after)
	}
}

func TestThePageNamesTheShellWithItsRevision(t *testing.T) {
	html := string(bundle(t, page())["index.html"])
	if !strings.Contains(html, `"/assets/shell.js?rev=`) || !strings.Contains(html, `"/assets/shell.css?rev=`) {
		t.Error(html)
	}
}

func TestLicencesOfEverythingBundledAreInThePage(t *testing.T) {
	licences := string(bundle(t, page())["assets/licences.txt"])
	for _, want := range []string{"preact 1.0.0 (MIT)", "Terms of preact.", "Terms of signals.", "Terms of the core.", "Terms of the drawings."} {
		if !strings.Contains(licences, want) {
			t.Errorf("missing %q in:\n%s", want, licences)
		}
	}
}

func TestTheLicenceIsThatOfThePackageThatWasTaken(t *testing.T) {
	files := page()
	for _, file := range []string{"package.json", "index.js", "hooks.js", "jsx.js"} {
		files["web/node_modules/preact/"+file] = strings.Replace(files["modules/preact/"+file], "1.0.0", "1.0.1", 1)
	}
	files["web/node_modules/preact/LICENSE"] = "Terms of the package beside the sources."
	licences := string(bundle(t, files)["assets/licences.txt"])
	for _, want := range []string{"preact 1.0.1 (MIT)", "Terms of the package beside the sources.", "Terms of the core."} {
		if !strings.Contains(licences, want) {
			t.Errorf("missing %q in:\n%s", want, licences)
		}
	}
}

func TestMistakesInTheSourcesAreErrorsThatNameThem(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]string
		want   []string
	}{
		"a plugin that reaches into another room": {
			map[string]string{"web/plugins/second/client.tsx": `import { shared } from "../../keylane"; export const activate = () => shared;`},
			[]string{"plugins/second/client.tsx:1", "leaves the bundle's own folder", `"keylane"`},
		},
		"a plugin without an entry": {
			map[string]string{"web/plugins/third/readme.txt": "nothing"},
			[]string{"plugins/third has no client.tsx"},
		},
		"a preact module that is not shared": {
			map[string]string{"web/plugins/second/client.tsx": `import "preact/compat"; export function activate() {}`},
			[]string{`"preact/compat" is not among the shared modules`},
		},
		"an import that does not exist": {
			map[string]string{"web/shell/main.tsx": `import "nowhere";`},
			[]string{"shell/main.tsx:1", "nowhere"},
		},
		"an index.html without the shell": {
			map[string]string{"web/index.html": `<p>empty</p>`},
			[]string{"index.html must name", "exactly once"},
		},
		"a package without a licence": {
			map[string]string{"modules/preact/LICENSE": ""},
			[]string{"package preact", "licence"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := page()
			maps.Copy(files, c.change)
			web, modules := write(t, files)
			if name == "a package without a licence" {
				if err := os.Remove(filepath.Join(modules, "preact", "LICENSE")); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Bundle(web, modules)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestEachTestFileBecomesADocumentThatCarriesAllItImports(t *testing.T) {
	sources := page()
	sources["web/ui/part.test.tsx"] = `import { shared } from "keylane"; globalThis.found = [shared, <p/>];`
	sources["web/linked/x.ts"] = ""
	sources["web/linked/z/other.test.ts"] = ""
	sources["web/node_modules/x/x.test.ts"] = `import "nowhere";`
	web, modules := write(t, sources)
	if err := os.Symlink(modules, filepath.Join(web, "linked", "node_modules")); err != nil {
		t.Fatal(err)
	}
	built, err := BundleTests(web, modules)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(built)), " "); got != "linked/z/other.html linked/z/other.js tests.json ui/part.html ui/part.js" {
		t.Errorf("the archive holds %s", got)
	}
	if script := built["ui/part.js"]; !bytes.Contains(script, []byte("the only options")) || bytes.Contains(script, []byte("/shared/")) {
		t.Errorf("the script does not carry all it imports:\n%s", script)
	}
	if got, want := string(built["tests.json"]), "[\n  \"linked/z/other\",\n  \"ui/part\"\n]\n"; got != want {
		t.Errorf("tests.json is %q, want %q", got, want)
	}
}

func TestSourcesWithoutATestFileAreAnError(t *testing.T) {
	web, modules := write(t, page())
	if _, err := BundleTests(web, modules); err == nil || !strings.Contains(err.Error(), "no test file") {
		t.Errorf("got %v", err)
	}
}
