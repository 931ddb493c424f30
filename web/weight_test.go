//go:build bazelembed

package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// firstLoad is the most that script and style of a first visit may weigh, compressed: what is more belongs into a part that is fetched
// when something on screen needs it (see web/model/parts.ts).
const firstLoad = 150_000

var (
	named = regexp.MustCompile(`<(?:link|script)\b[^>]*(?:href|src)="(/[^"?]+\.(?:js|css))[^>]*>`)
	// imports are the static ones; import("…") is a part.
	imports = regexp.MustCompile(`(?:from|import)\s*"(/[^"?]+\.js)`)
)

func TestTheFirstLoadIsLight(t *testing.T) {
	files, err := Client()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var load func(path string)
	load = func(path string) {
		if _, known := seen[path]; known {
			return
		}
		text, err := fs.ReadFile(files, strings.TrimPrefix(path, "/"))
		if err != nil {
			t.Fatal(err)
		}
		seen[path] = compressed(t, text)
		if strings.HasSuffix(path, ".js") {
			for _, match := range imports.FindAllSubmatch(text, -1) {
				load(string(match[1]))
			}
		}
	}
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range named.FindAllSubmatch(page, -1) {
		if !strings.Contains(string(match[0]), " disabled") { // such a link is not fetched
			load(string(match[1]))
		}
	}
	var manifest struct {
		Plugins []struct{ Path, CSS string }
	}
	text, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Plugins) == 0 {
		t.Fatal("the page has no plugins, so this test sees nothing")
	}
	for _, plugin := range manifest.Plugins {
		load(plugin.Path)
		if plugin.CSS != "" {
			load(plugin.CSS)
		}
	}
	total := 0
	for path, size := range seen {
		total += size
		t.Logf("%6d %s", size, path)
	}
	t.Logf("%6d in all", total)
	if total > firstLoad {
		t.Errorf("a first visit loads %d bytes of script and style (gzip), more than %d", total, firstLoad)
	}
	for _, path := range []string{"/shared/keylane.js", "/assets/shell.js", "/assets/shell.css"} {
		if seen[path] == 0 {
			t.Errorf("%s is part of a first visit and was not counted", path)
		}
	}
}

func compressed(t *testing.T, text []byte) int {
	t.Helper()
	var buffer bytes.Buffer
	writer, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Len()
}
