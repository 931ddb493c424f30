// Package paint_test measures what a visit costs: how long after its start a page of the built `keylane web` shows something, when it can
// be worked with, and how much it fetched for that. Half of the visits are first ones, in a context without a cache; each is
// followed by one with it. It asserts that every visit came to its end, never how fast; what a first visit may weigh is held by
// //web:web_test.
package paint_test

import (
	"context"
	"testing"

	"keylane/scaffold/built"
	"keylane/scaffold/chromium"
	"keylane/scaffold/measure"
)

const visits = 15

const target = "//e2e/perf/paint"

// A visit is what the page's own clock says, in milliseconds after the navigation began, and what it fetched until it was ready.
type visit struct {
	FirstPaintMs float64 `json:"firstPaintMs"` // first contentful paint
	ReadyMs      float64 `json:"readyMs"`      // both lists are in, and nothing is on its way
	Bytes        float64 `json:"bytes"`        // of scripts and styles, as they are on disk
	Requests     float64 `json:"requests"`
}

// ready waits in the page until it is ready and has painted.
const ready = `new Promise((met) => {
  const root = document.documentElement;
  const look = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (root.dataset.busy !== "false" || root.dataset.lists !== "loaded" || !paint) return false;
    const files = performance.getEntriesByType("resource").filter((entry) => /\.(js|css)(\?|$)/.test(entry.name));
    met({ firstPaintMs: paint.startTime, readyMs: performance.now(), bytes: files.reduce((sum, file) => sum + file.decodedBodySize, 0), requests: files.length });
    return true;
  };
  if (look()) return;
  const observer = new MutationObserver(() => look() && observer.disconnect());
  observer.observe(root, { attributes: true });
  new PerformanceObserver(() => look() && observer.disconnect()).observe({ type: "paint", buffered: true });
})`

func TestPaint(t *testing.T) {
	address := serve(t)
	path, err := chromium.Executable(target)
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(t.Context(), chromium.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	}()
	version, err := built.Version(target)
	if err != nil {
		t.Fatal(err)
	}
	result := measure.New("paint", browser.Version(), version)
	for range visits {
		first, second := visitTwice(t, browser, address)
		for name, seen := range map[string]visit{"first visit": first, "second visit": second} {
			result.Add("first contentful paint, "+name, "ms", seen.FirstPaintMs)
			result.Add("ready, "+name, "ms", seen.ReadyMs)
			result.Add("scripts and styles, "+name, "MiB", seen.Bytes/(1<<20))
			result.Add("requests for them, "+name, "count", seen.Requests)
		}
	}
	if err := result.Write(); err != nil {
		t.Error(err)
	}
	t.Logf("%s", result)
}

// visitTwice opens the page in a fresh context, and once more in the same one.
func visitTwice(t *testing.T, browser *chromium.Browser, address string) (first, second visit) {
	t.Helper()
	visitor, err := browser.NewContext(t.Context(), chromium.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := visitor.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	for _, seen := range []*visit{&first, &second} {
		page, err := visitor.NewPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := page.Navigate(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		if *seen, err = chromium.Eval[visit](t.Context(), page, ready); err != nil {
			t.Fatal(err)
		}
		if err := page.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return first, second
}

// serve runs the built command until the test ends, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	host, err := built.Start(built.Options{Target: target, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Stop(); err != nil {
			t.Error(err)
		}
	})
	return host.URL()
}
