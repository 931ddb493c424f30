package workbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/built"
	"keylane/scaffold/chromium"
	"keylane/scaffold/measure"
	"keylane/scaffold/record/script"
)

// patience bounds every single wait of a row. A machine that is busy with other things may take long; that is no failure of the row.
const patience = time.Minute

// Options say what a row is about.
type Options struct {
	Row    string // the result's name
	Target string // the test's Bazel label
	// Sow puts sessions into the store before the host starts; nil puts none.
	Sow func(ctx context.Context, store *jsonl.Store, workspace string) error
}

// A Bench is a running host with a page. It ends with the test.
type Bench struct {
	*testing.T
	Page   *chromium.Page
	Host   *built.Host
	Result *measure.Result
	// Workspace is the folder in which the host runs.
	Workspace string

	home  string
	model *model
}

// patches make of the shipped composition what can be measured: the made-up model is in the place of the vendor's, tools run without a
// click, and no call is made besides those that the row is about.
const patches = `- id: llm-deepseek
  config: {baseURL: %q, apiKey: %s}
- id: approval
  config: {mode: full}
- id: session-title-model
  disabled: true
- id: compaction
  disabled: true
`

// Open sows, starts model, host and browser, and opens an empty page. Whatever fails ends the test.
func Open(t *testing.T, o Options) *Bench {
	t.Helper()
	root := t.TempDir()
	b := &Bench{T: t, home: filepath.Join(root, "home"), Workspace: filepath.Join(root, "workspace"), model: &model{}}
	b.must(errors.Join(os.Mkdir(b.home, 0o700), os.Mkdir(b.Workspace, 0o700)))
	provider, err := script.Serve(t.Context(), "the model", b.model.answer, clock.System())
	b.must(err)
	t.Cleanup(func() {
		for _, problem := range provider.Problems() {
			t.Errorf("the model: %s", problem)
		}
		if err := provider.Close(); err != nil {
			t.Error(err)
		}
	})
	b.must(os.WriteFile(filepath.Join(b.home, "config.yml"), fmt.Appendf(nil, patches, provider.URL(), scaffold.ProviderKey), 0o600))
	if o.Sow != nil {
		b.store(func(store *jsonl.Store) error { return o.Sow(t.Context(), store, b.Workspace) })
	}
	began := time.Now()
	b.Host, err = built.Start(built.Options{Target: o.Target, Home: b.home, Folder: b.Workspace})
	b.must(err)
	t.Cleanup(func() {
		if err := b.Host.Stop(); err != nil {
			t.Error(err)
		}
	})
	started := time.Since(began)
	b.browse(o)
	b.Result.Add("host's start", "ms", float64(started.Microseconds())/1000)
	return b
}

// browse opens a page of a fresh browser, and watches it for errors until the test ends.
func (b *Bench) browse(o Options) {
	b.Helper()
	path, err := chromium.Executable(o.Target)
	b.must(err)
	browser, err := chromium.Launch(b.Context(), chromium.Options{Path: path})
	b.must(err)
	b.Cleanup(func() {
		if err := browser.Close(); err != nil {
			b.Error(err)
		}
	})
	visit, err := browser.NewContext(b.Context(), chromium.ContextOptions{})
	b.must(err)
	b.Page, err = visit.NewPage(b.Context())
	b.must(err)
	b.must(measure.Count(b.Context(), b.Page))
	version, err := built.Version(o.Target)
	b.must(err)
	b.Result = measure.New(o.Row, browser.Version(), version)
	b.Cleanup(func() {
		for _, event := range visit.Feed().All() {
			switch data := event.Data.(type) {
			case chromium.PageError, chromium.Violation, chromium.Crash:
				b.Errorf("%s", event)
			case chromium.Console:
				if data.Level == chromium.Error {
					b.Errorf("%s", event)
				}
			}
		}
		if err := b.Result.Write(); err != nil {
			b.Error(err)
		}
		b.Logf("%s", b.Result)
	})
}

// store opens the host's store beside it, to sow before it starts or to read what it has written.
func (b *Bench) store(use func(*jsonl.Store) error) {
	b.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(b.home, "sessions"), PackChunks: true}, clock.System())
	b.must(err)
	b.must(errors.Join(use(store), store.Close(b.Context())))
}

// Log is the log of a session as it is on disk.
func (b *Bench) Log(id string) (events []session.Event) {
	b.Helper()
	b.store(func(store *jsonl.Store) (err error) {
		_, events, err = store.Inspect(b.Context(), id)
		return err
	})
	return events
}

// Session is the id of the session that the page shows.
func (b *Bench) Session() string {
	b.Helper()
	id, _ := b.Page.RootAttribute("data-session")
	if id == "" {
		b.Fatalf("the page shows no session; its address is %s", b.Page.URL())
	}
	return id
}

// must ends the test with what went wrong.
func (b *Bench) must(err error) {
	b.Helper()
	if err != nil {
		b.look()
		b.Fatalf("%v", err)
	}
}

// look leaves a picture of the page as it is.
func (b *Bench) look() {
	if b.Page == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	picture, err := b.Page.Screenshot(ctx)
	if err == nil {
		err = measure.Leave("failed.png", picture)
	}
	if err != nil {
		b.Logf("no picture of the page: %v", err)
	}
}

func (b *Bench) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.Context(), patience)
}
