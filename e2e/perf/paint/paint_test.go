// Package paint_test measures what a visit costs: how long after its start a page of the built `keylane web` shows something, when it can
// be worked with, and how much it fetched for that. Half of the visits are first ones, in a context without a cache; each is
// followed by one with it. It asserts that every visit came to its end, never how fast; what a first visit may weigh is held by
// //web:web_test.
package paint_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"keylane/scaffold/chromium"
)

const visits = 15

// A visit is what the page's own clock says, in milliseconds after the navigation began, and what it fetched until it was ready.
type visit struct {
	FirstPaintMs float64 `json:"firstPaintMs"` // first contentful paint
	ReadyMs      float64 `json:"readyMs"`      // both lists are in, and nothing is on its way
	Bytes        float64 `json:"bytes"`        // of scripts and styles, as they are on disk
	Requests     float64 `json:"requests"`
}

type result struct {
	Name   string  `json:"name"`
	First  []visit `json:"first"`
	Second []visit `json:"second"`
	Cores  int     `json:"cores"`
	Go     string  `json:"go"`
}

// measure waits in the page until it is ready and has painted.
const measure = `new Promise((met) => {
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
	path, err := chromium.Executable("//e2e/perf/paint")
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
	measured := result{Name: "paint", Cores: runtime.NumCPU(), Go: runtime.Version()}
	for range visits {
		first, second := visitTwice(t, browser, address)
		measured.First = append(measured.First, first)
		measured.Second = append(measured.Second, second)
	}
	for name, set := range map[string][]visit{"first visit": measured.First, "second visit": measured.Second} {
		t.Logf("%s: first contentful paint median %.0f ms, worst %.0f; ready median %.0f ms, worst %.0f; %.0f kB in %.0f scripts and styles", name,
			middle(set, func(v visit) float64 { return v.FirstPaintMs }), most(set, func(v visit) float64 { return v.FirstPaintMs }),
			middle(set, func(v visit) float64 { return v.ReadyMs }), most(set, func(v visit) float64 { return v.ReadyMs }), set[0].Bytes/1000, set[0].Requests)
	}
	text, err := json.MarshalIndent(measured, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "paint.json"), append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
		if *seen, err = chromium.Eval[visit](t.Context(), page, measure); err != nil {
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
	binary := os.Getenv("KEYLANE_BINARY")
	if binary == "" {
		t.Fatal("KEYLANE_BINARY is not set: run ./bazelw test --config=perf")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join(os.Getenv("TEST_SRCDIR"), binary)
	}
	home := t.TempDir()
	host := exec.Command(binary, "web", "--port", "0", "--no-open", "--home", home)
	host.Dir = home
	host.Stderr = os.Stderr
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := host.Wait(); err != nil {
			t.Errorf("keylane web did not stop with 0: %v", err)
		}
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("keylane web printed no address: %v", err)
	}
	at := strings.Index(line, "http://")
	if at < 0 {
		t.Fatalf("keylane web printed %q, want an address", line)
	}
	return strings.TrimSpace(line[at:])
}

func middle(set []visit, of func(visit) float64) float64 {
	return sorted(set, of)[len(set)/2]
}

func most(set []visit, of func(visit) float64) float64 {
	return sorted(set, of)[len(set)-1]
}

func sorted(set []visit, of func(visit) float64) []float64 {
	values := make([]float64, len(set))
	for i, v := range set {
		values[i] = of(v)
	}
	slices.Sort(values)
	return values
}
