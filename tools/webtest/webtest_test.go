// Package webtest runs the page's own TypeScript tests (web/**/*.test.ts, written with web/testing) in the pinned Chromium: each file
// in a document of its own, each of its sentences as a subtest. It also sees what no sentence asks about: an uncaught error, an error
// on the console, a breach of the page's content security policy, a crash. The archive of bundled tests comes from
// tools/webbundle --tests; the variable KEYLANE_PAGE_TESTS names it.
//
// What these tests are for: pure state machines and single components, with inputs made by hand or by chance. How the assembled product
// behaves is for the scenarios in e2e/.
package webtest

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

// variable names the archive: an absolute path, or one relative to TEST_SRCDIR.
const variable = "KEYLANE_PAGE_TESTS"

// policy is that of the product's page.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func TestPage(t *testing.T) {
	archive, names := openArchive(t)
	browser := launch(t)
	site := serve(t, archive)
	for _, name := range names {
		// Dots: a slash would be a level of its own for -run.
		t.Run(strings.ReplaceAll(name, "/", "."), func(t *testing.T) { runFile(t, browser, site+"/"+name+".html") })
	}
}

// A failure inside the page must come out as one here: each way of failing, in a file made for it.
func TestWhateverGoesWrongInThePageIsSeen(t *testing.T) {
	browser := launch(t)
	for name, c := range map[string]struct{ script, words string }{
		"a failed check":      {`run: async () => ["KEYLANE_FAILED"]`, "KEYLANE_FAILED"},
		"a rejection":         {`run: async () => { setTimeout(() => Promise.reject(new Error("KEYLANE_LOST"))); await new Promise((r) => setTimeout(r, 5)); return [] }`, "KEYLANE_LOST"},
		"an error on console": {`run: async () => { console.error("KEYLANE_SAID"); return [] }`, "KEYLANE_SAID"},
		"a breach of policy":  {`run: async () => { document.body.innerHTML = "<p style='color:red'>"; await new Promise((r) => setTimeout(r)); return [] }`, "style-src"},
		"a test that throws":  {`run: async () => { throw new Error("KEYLANE_THROWN") }`, "KEYLANE_THROWN"},
		"no test":             {`sentences: () => []`, "no test"},
	} {
		t.Run(name, func(t *testing.T) {
			site := serve(t, fstest.MapFS{
				"file.html": {Data: []byte(`<!doctype html><title>file</title><link rel="icon" href="data:,"><body></body><script type="module" src="/file.js"></script>`)},
				"file.js":   {Data: []byte(`globalThis.pageTests = { sentences: () => ["one"], ` + c.script + ` }`)},
			})
			got := strings.Join(problemsOf(t, browser, site+"/file.html"), "\n")
			if !strings.Contains(got, c.words) {
				t.Errorf("nothing says %q: %s", c.words, got)
			}
		})
	}
}

// runFile runs every sentence of one file as a subtest.
func runFile(t *testing.T, browser *chromium.Browser, url string) {
	visit := begin(t, browser, url)
	for position, sentence := range visit.sentences {
		t.Run(sentence, func(t *testing.T) {
			for _, problem := range visit.run(await.Context(t), position) {
				t.Error(problem)
			}
		})
	}
	for _, problem := range visit.noticed() {
		t.Error(problem)
	}
}

// problemsOf is runFile without subtests: everything that was wrong.
func problemsOf(t *testing.T, browser *chromium.Browser, url string) []string {
	visit := begin(t, browser, url)
	var problems []string
	if len(visit.sentences) == 0 {
		problems = append(problems, "the file has no test")
	}
	for position := range visit.sentences {
		problems = append(problems, visit.run(await.Context(t), position)...)
	}
	return append(problems, visit.noticed()...)
}

// visit is one file of tests in a browser context of its own.
type visit struct {
	context   *chromium.Context
	page      *chromium.Page
	seen      int // number of the last event looked at
	sentences []string
}

func begin(t *testing.T, browser *chromium.Browser, url string) *visit {
	t.Helper()
	ctx := await.Context(t)
	opened, err := browser.NewContext(ctx, chromium.ContextOptions{RootAttributes: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	page, err := opened.NewPage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	v := &visit{context: opened, page: page}
	if v.sentences, err = chromium.Eval[[]string](ctx, page, "pageTests.sentences()"); err != nil {
		t.Fatalf("the file did not load: %v\n%s", err, strings.Join(v.noticed(), "\n"))
	}
	return v
}

// run runs one sentence and returns what was wrong, in the page's words.
func (v *visit) run(ctx context.Context, position int) []string {
	problems, err := chromium.Eval[[]string](ctx, v.page, fmt.Sprintf("pageTests.run(%d)", position))
	if err != nil {
		problems = append(problems, err.Error())
	}
	return append(problems, v.noticed()...)
}

// noticed is what Chromium reported since the last call that no page should do.
func (v *visit) noticed() []string {
	var problems []string
	for _, event := range v.context.Feed().Since(v.seen) {
		v.seen = event.Number
		switch data := event.Data.(type) {
		case chromium.PageError, chromium.Violation, chromium.Crash, chromium.Blind, chromium.Dialog:
			problems = append(problems, event.String())
		case chromium.Console:
			if data.Level == chromium.Error {
				problems = append(problems, event.String())
			}
		}
	}
	return problems
}

func launch(t *testing.T) *chromium.Browser {
	t.Helper()
	path, err := chromium.Executable("//tools/webtest:webtest_test")
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(await.Context(t), chromium.Options{Path: path, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	return browser
}

// serve answers from files on the loopback interface, as the product's web server does: under the policy.
func serve(t *testing.T, files fs.FS) string {
	t.Helper()
	static := http.FileServerFS(files)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		static.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func openArchive(t *testing.T) (files fs.FS, names []string) {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("webtest: %s is not set. Run `./bazelw test //tools/webtest:webtest_test`, which sets it, or set it to an archive of tools/webbundle --tests", variable)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatalf("webtest: opening the bundled tests: %v", err)
	}
	t.Cleanup(func() {
		if err := archive.Close(); err != nil {
			t.Error(err)
		}
	})
	list, err := fs.ReadFile(archive, "tests.json")
	if err != nil {
		t.Fatalf("webtest: reading the list of tests: %v", err)
	}
	if err := json.Unmarshal(list, &names); err != nil {
		t.Fatalf("webtest: reading the list of tests: %v", err)
	}
	return archive, names
}
