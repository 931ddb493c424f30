package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Manifest is what the host reads to announce the page's plugins.
type Manifest struct {
	Rev     string           `json:"rev"` // changes when any file of the page changes
	Plugins []ManifestPlugin `json:"plugins"`
}

// ManifestPlugin names one plugin bundle by its id (the folder's name), the
// URL paths of its module and style sheet, and a revision for their query.
type ManifestPlugin struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	CSS  string `json:"css,omitempty"` // absent when the plugin has no styles
	Rev  string `json:"rev"`
}

// Bundle builds the page of webDir with the packages of nodeModules and
// returns its files by archive path. Errors list every message of esbuild
// with its place.
func Bundle(webDir, nodeModules string) (map[string][]byte, error) {
	b, err := newBundler(webDir, nodeModules)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{b.worker, b.shared, b.shell, b.plugins, b.licences, b.pages} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.files, nil
}

type bundler struct {
	webDir, nodeModules string // absolute
	files               map[string][]byte
	packages            map[string]string // npm packages that ended up in the page, and the folder that each was taken from
	byHand              map[string]bool   // licence texts of the sources, relative to webDir, for things taken over by hand
	manifest            Manifest
	workerURL           string // of the shared worker, with its revision; "" until it is built
	readable            bool   // keep names and lines as they are, for people who read stacks
}

func newBundler(webDir, nodeModules string) (*bundler, error) {
	absoluteWeb, err := filepath.Abs(webDir)
	if err != nil {
		return nil, fmt.Errorf("webbundle: locating the sources: %w", err)
	}
	absoluteModules, err := filepath.Abs(nodeModules)
	if err != nil {
		return nil, fmt.Errorf("webbundle: locating the packages: %w", err)
	}
	return &bundler{webDir: absoluteWeb, nodeModules: absoluteModules, files: map[string][]byte{}, packages: map[string]string{}, byHand: map[string]bool{}}, nil
}

// outDir is a virtual root: nothing is written there, esbuild only names its
// outputs below it.
const outDir = "/page"

func (b *bundler) build(what string, entry api.EntryPoint, stdin *api.StdinOptions, plugins ...api.Plugin) error {
	options := api.BuildOptions{
		AbsWorkingDir:     b.webDir,
		NodePaths:         []string{b.nodeModules},
		PreserveSymlinks:  true, // Bazel's sandbox is made of links
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		MinifyWhitespace:  !b.readable,
		MinifyIdentifiers: !b.readable,
		MinifySyntax:      !b.readable,
		LegalComments:     api.LegalCommentsNone, // licences.txt has whole texts
		Charset:           api.CharsetUTF8,
		Outdir:            outDir,
		Splitting:         !b.readable, // what a bundle imports when it needs it is a file of its own
		ChunkNames:        "assets/parts/[name]-[hash]",
		AssetNames:        "assets/fonts/[name]-[hash]",
		PublicPath:        "/",
		Loader:            map[string]api.Loader{".woff2": api.LoaderFile, ".txt": api.LoaderEmpty},
		Plugins:           plugins,
		Metafile:          true,
		Define:            map[string]string{workerName: strconv.Quote(b.workerURL)},
		Write:             false,
		LogLevel:          api.LogLevelSilent,
	}
	if stdin != nil {
		options.Stdin = stdin
		options.EntryNames = entry.OutputPath
	} else {
		options.EntryPointsAdvanced = []api.EntryPoint{entry}
	}
	result := api.Build(options)
	if len(result.Errors) > 0 {
		lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return fmt.Errorf("webbundle: building %s:\n%s", what, strings.Join(lines, ""))
	}
	if len(result.Warnings) > 0 {
		lines := api.FormatMessages(result.Warnings, api.FormatMessagesOptions{Kind: api.WarningMessage})
		return fmt.Errorf("webbundle: building %s gave warnings:\n%s", what, strings.Join(lines, ""))
	}
	for _, file := range result.OutputFiles {
		b.files[strings.TrimPrefix(filepath.ToSlash(file.Path), outDir+"/")] = file.Contents
	}
	return b.noteOrigins(result.Metafile)
}

// workerName is how the page's sources call the address of the shared worker.
const workerName = "EVENTS_WORKER"

// worker builds the shared worker, which carries all that it imports. Its
// revision is part of its address, and so of its identity in a browser: pages
// whose worker differs never meet in one.
func (b *bundler) worker() error {
	const out = "assets/events"
	if err := b.build("the shared worker", api.EntryPoint{InputPath: "./wire/worker.ts", OutputPath: out}, nil); err != nil {
		return err
	}
	b.workerURL = "/" + out + ".js?rev=" + revision(b.files[out+".js"])
	return nil
}

func (b *bundler) shared() error {
	virtual := func(lines ...string) *api.StdinOptions {
		return &api.StdinOptions{Contents: strings.Join(lines, "\n"), ResolveDir: b.webDir, Loader: api.LoaderJS}
	}
	err := b.build("shared/preact", api.EntryPoint{OutputPath: "shared/preact"}, virtual(
		`export * from "preact";`, `export * from "preact/hooks";`,
		`export {jsx, jsxs, jsxDEV, jsxTemplate, jsxAttr, jsxEscape} from "preact/jsx-runtime";`,
	), sharedImports("preact", "preact/hooks", "preact/jsx-runtime"))
	if err != nil {
		return err
	}
	err = b.build("shared/signals", api.EntryPoint{OutputPath: "shared/signals"}, virtual(
		`export * from "@preact/signals";`,
	), sharedImports("@preact/signals", "@preact/signals-core"))
	if err != nil {
		return err
	}
	return b.build("shared/keylane", api.EntryPoint{InputPath: "./keylane.ts", OutputPath: "shared/keylane"}, nil, sharedImports())
}

func (b *bundler) shell() error {
	entry := api.EntryPoint{InputPath: "./shell/main.tsx", OutputPath: "assets/shell"}
	if err := b.build("the shell", entry, nil, ownFolder(filepath.Join(b.webDir, "shell")), sharedImports()); err != nil {
		return err
	}
	return b.build("the Chinese font", api.EntryPoint{InputPath: "./ui/cjk.css", OutputPath: "assets/cjk"}, nil)
}

func (b *bundler) plugins() error {
	folders, err := os.ReadDir(filepath.Join(b.webDir, "plugins"))
	if err != nil {
		return fmt.Errorf("webbundle: listing the plugins: %w", err)
	}
	for _, folder := range folders { // ReadDir sorts
		id := folder.Name()
		room := filepath.Join(b.webDir, "plugins", id)
		if _, err := os.Stat(filepath.Join(room, "client.tsx")); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("webbundle: plugins/%s has no client.tsx, its entry", id)
		} else if err != nil {
			return fmt.Errorf("webbundle: looking for plugins/%s/client.tsx: %w", id, err)
		}
		out := "plugins/" + id + "/client"
		entry := api.EntryPoint{InputPath: "./plugins/" + id + "/client.tsx", OutputPath: out}
		if err := b.build("plugin "+id, entry, nil, ownFolder(room), sharedImports()); err != nil {
			return err
		}
		plugin := ManifestPlugin{ID: id, Path: "/" + out + ".js", Rev: revision(b.files[out+".js"], b.files[out+".css"])}
		if _, styled := b.files[out+".css"]; styled {
			plugin.CSS = "/" + out + ".css"
		}
		b.manifest.Plugins = append(b.manifest.Plugins, plugin)
	}
	return nil
}

// pages writes index.html, with revisions on the files it names that may
// change under the same address, and the manifest.
func (b *bundler) pages() error {
	for _, name := range []string{"index.html", "favicon.svg"} {
		content, err := os.ReadFile(filepath.Join(b.webDir, name))
		if err != nil {
			return fmt.Errorf("webbundle: reading %s: %w", name, err)
		}
		b.files[name] = content
	}
	page := string(b.files["index.html"])
	for _, asset := range []string{"assets/shell.js", "assets/shell.css", "assets/cjk.css"} {
		quoted := `"/` + asset + `"`
		if strings.Count(page, quoted) != 1 {
			return fmt.Errorf("webbundle: index.html must name %s exactly once", quoted)
		}
		page = strings.Replace(page, quoted, `"/`+asset+"?rev="+revision(b.files[asset])+`"`, 1)
	}
	b.files["index.html"] = []byte(page)

	var all [][]byte
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		all = append(all, []byte(name), b.files[name])
	}
	b.manifest.Rev = revision(all...)
	manifest, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("webbundle: encoding the manifest: %w", err)
	}
	b.files["manifest.json"] = append(manifest, '\n')
	return nil
}

func revision(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}

// noteOrigins remembers which npm packages a build took files from, and which
// licence texts its modules name.
func (b *bundler) noteOrigins(metafile string) error {
	var meta struct {
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return fmt.Errorf("webbundle: reading the build's inputs: %w", err)
	}
	for input := range meta.Inputs {
		if strings.HasSuffix(input, licenceSuffix) {
			b.byHand[input] = true
			continue
		}
		// usually below b.nodeModules, but a node_modules beside the sources, as editors want it, comes first
		folder, inside, found := cutLast(filepath.ToSlash(filepath.Join(b.webDir, input)), "/node_modules/")
		if !found {
			folder, inside = b.nodeModules, ""
			if relative, err := filepath.Rel(b.nodeModules, filepath.Join(b.webDir, input)); err == nil && filepath.IsLocal(relative) {
				inside = filepath.ToSlash(relative)
			}
		} else {
			folder += "/node_modules"
		}
		if inside == "" {
			continue
		}
		parts := strings.Split(inside, "/")
		name := parts[0]
		if strings.HasPrefix(name, "@") && len(parts) > 1 {
			name = path.Join(parts[0], parts[1])
		}
		b.packages[name] = filepath.Join(filepath.FromSlash(folder), filepath.FromSlash(name))
	}
	return nil
}

// cutLast cuts text around the last separator in it.
func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}
