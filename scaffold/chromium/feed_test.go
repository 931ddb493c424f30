package chromium_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

// recorded waits until the feed has an event with data of type D that the condition likes.
func recorded[D chromium.Data](t *testing.T, ctx context.Context, feed *chromium.Feed, what string, like func(chromium.Event, D) bool) chromium.Event {
	t.Helper()
	var found chromium.Event
	events := await.New(func(context.Context) ([]chromium.Event, error) { return feed.All(), nil }, feed, shared)
	err := events.Await(ctx, await.That(what, func(all []chromium.Event) (bool, string) {
		for _, event := range all {
			if data, ok := event.Data.(D); ok && like(event, data) {
				found = event
				return true, ""
			}
		}
		return false, fmt.Sprintf("%d events: %v", len(all), all)
	}))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheFeedRecordsWhatGoesWrongInAPage(t *testing.T) {
	ctx := await.Context(t)
	url := site(t, "script-src 'self'", map[string]string{
		"/": `<!doctype html><script src=/a.js></script><script>inline()</script>`,
		"/a.js": `console.log("hello", 1, {a: 2}); console.warn("careful"); console.error("bad", new Error("inner"));
			setTimeout(() => { throw new TypeError("uncaught one") }); Promise.reject(new Error("rejected two"));
			fetch("/missing"); fetch("http://192.0.2.1/beyond").catch(() => {});`,
	})
	visit, page := open(t, ctx, url)
	feed := visit.Feed()
	recorded(t, ctx, feed, "an exception", func(e chromium.Event, d chromium.PageError) bool {
		return strings.Contains(d.Text, "TypeError: uncaught one") && strings.HasPrefix(d.Place, url+"/a.js:2:") && e.Source.Page == page.ID() && e.Source.Kind == "page"
	})
	recorded(t, ctx, feed, "a rejection", func(_ chromium.Event, d chromium.PageError) bool { return strings.Contains(d.Text, "rejected two") })
	recorded(t, ctx, feed, "a log", func(_ chromium.Event, d chromium.Console) bool {
		return d.Level == chromium.Info && strings.HasPrefix(d.Text, "hello 1 Object") && d.Reporter == "page"
	})
	recorded(t, ctx, feed, "a warning", func(_ chromium.Event, d chromium.Console) bool {
		return d.Level == chromium.Warning && d.Text == "careful"
	})
	recorded(t, ctx, feed, "an error", func(_ chromium.Event, d chromium.Console) bool {
		return d.Level == chromium.Error && strings.HasPrefix(d.Text, "bad Error: inner")
	})
	recorded(t, ctx, feed, "a violation", func(_ chromium.Event, d chromium.Violation) bool {
		return d.Directive == "script-src-elem" && !d.ReportOnly
	})
	recorded(t, ctx, feed, "a response", func(_ chromium.Event, d chromium.RequestEnd) bool {
		return d.Request.URL == url+"/missing" && d.Status == 404 && d.Request.Method == "GET" && d.Request.Type == "Fetch"
	})
	recorded(t, ctx, feed, "a failed load in the console", func(_ chromium.Event, d chromium.Console) bool {
		return d.Level == chromium.Error && d.Reporter == "network" && strings.Contains(d.Text, "404")
	})
	recorded(t, ctx, feed, "a request that leaves the loopback", func(_ chromium.Event, d chromium.Request) bool { return d.URL == "http://192.0.2.1/beyond" })
	recorded(t, ctx, feed, "its failure", func(_ chromium.Event, d chromium.RequestEnd) bool {
		return d.Request.URL == "http://192.0.2.1/beyond" && d.Failure == "net::ERR_NAME_NOT_RESOLVED"
	})
	for i, event := range feed.All() {
		if event.Number != i+1 || event.Time.IsZero() || event.String() == "" {
			t.Errorf("event %d: %+v", i, event)
		}
	}
}

func TestNamesBeyondTheLoopbackDoNotResolve(t *testing.T) {
	ctx, page := blank(t)
	err := page.Navigate(ctx, "http://keylane.example/")
	if err == nil || !strings.Contains(err.Error(), "ERR_NAME_NOT_RESOLVED") {
		t.Errorf("got %v", err)
	}
}

func TestTheFeedRecordsTheFirstLineOfEveryKindOfWorker(t *testing.T) {
	ctx := await.Context(t)
	const body = `console.error("first line of " + self.constructor.name); fetch("/from-worker"); setTimeout(() => { throw new Error("in worker") });`
	url := site(t, "", map[string]string{
		"/":             `<!doctype html><script>new Worker("/dedicated.js"); new SharedWorker("/shared.js"); navigator.serviceWorker.register("/service.js")</script>`,
		"/dedicated.js": body + `new Worker("/nested.js")`, "/nested.js": body, "/shared.js": body, "/service.js": body,
	})
	visit, page := open(t, ctx, url)
	for _, c := range []struct {
		script, kind string
		own          bool
	}{
		{"/dedicated.js", "worker", true}, {"/nested.js", "worker", true}, {"/shared.js", "shared_worker", false}, {"/service.js", "service_worker", false},
	} {
		from := func(e chromium.Event) bool {
			return e.Source.Kind == c.kind && e.Source.URL == url+c.script && (e.Source.Page == page.ID()) == c.own
		}
		recorded(t, ctx, visit.Feed(), c.script+" logs", func(e chromium.Event, d chromium.Console) bool {
			return from(e) && strings.HasPrefix(d.Text, "first line of ") && d.Level == chromium.Error
		})
		recorded(t, ctx, visit.Feed(), c.script+" throws", func(e chromium.Event, d chromium.PageError) bool {
			return from(e) && strings.Contains(d.Text, "in worker")
		})
		recorded(t, ctx, visit.Feed(), c.script+" fetches", func(e chromium.Event, d chromium.RequestEnd) bool {
			return from(e) && d.Request.URL == url+"/from-worker"
		})
	}
	if blind := chromium.Only[chromium.Blind](visit.Feed().All()); len(blind) > 0 {
		t.Error(blind)
	}
}

// A shared worker ends with the last page that uses it: that is no crash, and what it was fetching has ended.
func TestASharedWorkerThatNobodyUsesAnyMoreEndsQuietly(t *testing.T) {
	ctx := await.Context(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/shared.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch("/endless")`)
		case "/endless":
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><script>new SharedWorker("/shared.js")</script>`)
		}
	}))
	t.Cleanup(server.Close)
	visit, page := open(t, ctx, server.URL)
	endless := server.URL + "/endless"
	recorded(t, ctx, visit.Feed(), "the worker fetches", func(_ chromium.Event, d chromium.Request) bool { return d.URL == endless })
	if err := page.Navigate(ctx, "about:blank"); err != nil {
		t.Fatal(err)
	}
	recorded(t, ctx, visit.Feed(), "the worker's fetch has ended", func(_ chromium.Event, d chromium.RequestEnd) bool { return d.Request.URL == endless })
	if crashes := chromium.Only[chromium.Crash](visit.Feed().All()); len(crashes) > 0 {
		t.Error(crashes)
	}
}

func TestAPopUpIsObservedFromItsFirstLine(t *testing.T) {
	ctx := await.Context(t)
	url := site(t, "", map[string]string{
		"/": `<!doctype html><button onclick="window.open('/other')">Open</button>`, "/other": `<!doctype html><script>console.error("from the other")</script>`,
	})
	visit, page := open(t, ctx, url)
	if err := page.Click(ctx, chromium.Role("button", "Open")); err != nil {
		t.Fatal(err)
	}
	event := recorded(t, ctx, visit.Feed(), "the other page's line", func(_ chromium.Event, d chromium.Console) bool { return d.Text == "from the other" })
	if event.Source.Page == page.ID() || len(visit.Pages()) != 2 || visit.Pages()[1].ID() != event.Source.Page {
		t.Errorf("%+v of %d pages", event.Source, len(visit.Pages()))
	}
}

func TestAFrameIsObservedToo(t *testing.T) {
	ctx := await.Context(t)
	other := site(t, "", map[string]string{"/": `<!doctype html><script>console.error("in the frame"); throw new Error("frame error")</script>`})
	other = strings.Replace(other, "127.0.0.1", "localhost", 1) // another site, so possibly another process
	visit, page := open(t, ctx, site(t, "", map[string]string{"/": `<!doctype html><iframe src="` + other + `"></iframe>`}))
	recorded(t, ctx, visit.Feed(), "the frame's line", func(e chromium.Event, d chromium.Console) bool {
		return d.Text == "in the frame" && e.Source.Page == page.ID()
	})
	recorded(t, ctx, visit.Feed(), "the frame's error", func(e chromium.Event, d chromium.PageError) bool {
		return strings.Contains(d.Text, "frame error") && e.Source.Page == page.ID()
	})
}

func TestADialogIsAnsweredAndRecorded(t *testing.T) {
	ctx := await.Context(t)
	visit, page := open(t, ctx, site(t, "", map[string]string{"/": `<!doctype html>`}))
	if answer := must[bool](t)(chromium.Eval[bool](ctx, page, `confirm("Sure?")`)); answer {
		t.Error("it was accepted")
	}
	if dialogs := chromium.Only[chromium.Dialog](visit.Feed().All()); len(dialogs) != 1 || dialogs[0].Text != "Sure?" {
		t.Error(dialogs)
	}
}

func TestAStreamIsReportedAtItsHeadAndAReloadCancelsIt(t *testing.T) {
	ctx := await.Context(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stream" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><script>new EventSource("/stream")</script>`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close) // after the page is closed, which ends its streams
	visit, page := open(t, ctx, server.URL)
	recorded(t, ctx, visit.Feed(), "the head", func(_ chromium.Event, d chromium.Response) bool {
		return d.Request.Type == "EventSource" && d.Status == 200
	})
	if err := page.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	recorded(t, ctx, visit.Feed(), "the end", func(_ chromium.Event, d chromium.RequestEnd) bool {
		return d.Request.Type == "EventSource" && d.Canceled && d.Failure != ""
	})
	if err := page.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestRootAttributesAreReportedAsTheyChangeUnderTheStrictestPolicy(t *testing.T) {
	ctx := await.Context(t)
	visit, page := open(t, ctx, site(t, "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'", map[string]string{
		"/":     `<!doctype html><html data-applied=1 data-other=x><script src=/a.js></script>`,
		"/a.js": `const d = document.documentElement.dataset; queueMicrotask(() => { d.applied = 2; d.busy = "turn" }); requestAnimationFrame(() => { d.applied = 3; delete d.busy; d.other = "y" })`,
	}))
	err := await.New(func(context.Context) (string, error) {
		value, _ := page.RootAttribute("data-applied")
		return value, nil
	}, page).
		Await(ctx, await.That("3 is applied", func(value string) (bool, string) { return value == "3", value }))
	if err != nil {
		t.Fatal(err)
	}
	if _, present := page.RootAttribute("data-busy"); present {
		t.Error("data-busy is still there")
	}
	if _, present := page.RootAttribute("data-other"); present {
		t.Error("an attribute that was not asked for is reported")
	}
	var story []string
	for _, change := range chromium.Only[chromium.RootAttribute](visit.Feed().All()) {
		story = append(story, change.String())
	}
	if got := strings.Join(story, "; "); !strings.HasSuffix(got, `data-applied="3"; data-busy removed`) || !strings.Contains(got, `data-busy="turn"`) {
		t.Error(got)
	}
	if seen := must[bool](t)(chromium.Eval[bool](ctx, page, `"scaffoldObserved" in window || "keptCount" in window`)); seen {
		t.Error("the page can see the observer")
	}
	if v := chromium.Only[chromium.Violation](visit.Feed().All()); len(v) > 0 {
		t.Error(v)
	}
}
