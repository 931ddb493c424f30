// Command webbundle turns the TypeScript of web/ into client.zip, the page
// that keylane serves. It runs esbuild in-process: no Node at build time.
//
//	webbundle --web web --node-modules node_modules --out client.zip
//
// The archive holds index.html, manifest.json, the shell and the shared worker
// of the event streams (assets/), the modules that every bundle shares (shared/) and one bundle per folder of
// web/plugins (plugins/<id>/client.js and, when it has styles, client.css).
// Bundles import the shared modules by absolute URL, so that the page needs
// neither an import map nor an inline script and its security policy can
// forbid both.
//
// Equal inputs give an equal archive, byte by byte: entries are sorted and
// carry no time, nothing depends on where the folders lie.
//
// Type checking is not done here; a separate test runs the TypeScript
// compiler.
//
//	webbundle --tests --web web --node-modules node_modules --out tests.zip
//
// bundles the page's own tests (<name>.test.ts) instead, which tools/webtest
// runs in the pinned Chromium.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	webDir := flag.String("web", "", "folder of the page's sources")
	nodeModules := flag.String("node-modules", "", "folder that holds the npm packages")
	out := flag.String("out", "", "archive to write")
	tests := flag.Bool("tests", false, "bundle the page's tests instead of the page")
	flag.Parse()
	if *webDir == "" || *nodeModules == "" || *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	bundle := Bundle
	if *tests {
		bundle = BundleTests
	}
	if err := run(bundle, *webDir, *nodeModules, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(bundle func(webDir, nodeModules string) (map[string][]byte, error), webDir, nodeModules, out string) error {
	files, err := bundle(webDir, nodeModules)
	if err != nil {
		return err
	}
	data, err := Archive(files)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, data, 0o644); err != nil {
		return fmt.Errorf("webbundle: writing the archive: %w", err)
	}
	return nil
}
