package measure_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keylane/scaffold/chromium"
	"keylane/scaffold/measure"
)

// document has a button that shows words, a list and nothing by itself, under a policy as strict as a product's.
const document = `<!doctype html><title>measured</title><button>Go</button><input><main></main><aside></aside><script src="/page.js"></script>`

const script = `
document.querySelector("button").addEventListener("click", () => {
  const main = document.querySelector("main");
  document.querySelector("aside").textContent = "beside";
  main.textContent = "first";
  setTimeout(() => { main.append(" second"); requestAnimationFrame(() => main.append(" third")); }, 0);
});
`

func open(t *testing.T) *chromium.Page {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		w.Header().Set("Content-Type", map[bool]string{true: "text/javascript", false: "text/html"}[r.URL.Path == "/page.js"])
		text := document
		if r.URL.Path == "/page.js" {
			text = script
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	path, err := chromium.Executable("//scaffold/measure:measure_test")
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(t.Context(), chromium.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	visit, err := browser.NewContext(t.Context(), chromium.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := visit.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	return page
}

var marks = []measure.Mark{
	{Name: "first", Met: `document.querySelector("main").textContent.includes("first")`},
	{Name: "third", Met: `document.querySelector("main").textContent.includes("third")`},
}

func TestAClockTakesTheTimesOfWhatAClickBrings(t *testing.T) {
	page := open(t)
	clock, err := measure.Arm(t.Context(), page, measure.Watch{From: measure.Click, Marks: marks, Mutations: "main"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromium.Eval[any](t.Context(), page, `void document.querySelector("button").click()`); err != nil { // no person's
		t.Fatal(err)
	}
	if started, err := chromium.Eval[bool](t.Context(), page, "measureClock.from !== undefined"); err != nil || started {
		t.Errorf("a click that no person made starts the clock (%v)", err)
	}
	if _, err := chromium.Eval[any](t.Context(), page, `void (document.querySelector("main").textContent = "")`); err != nil {
		t.Fatal(err)
	}
	if err := page.Click(t.Context(), chromium.CSS("button")); err != nil {
		t.Fatal(err)
	}
	times, err := clock.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	order := []float64{0, times.Seen["first"], times.Seen["third"]}
	if !slices.IsSorted(order) || times.Painted["first"] < times.Seen["first"] || times.Painted["third"] < times.Seen["third"] {
		t.Errorf("the times are in no order: %+v", times)
	}
	if times.Mutations < 3 || times.Mutations > 6 {
		t.Errorf("%v mutations are counted inside of main, which has 3 or little more", times.Mutations)
	}
}

func TestAClockOfTheNextDocumentCountsFromItsNavigation(t *testing.T) {
	page := open(t)
	clock, err := measure.ArmNext(t.Context(), page, measure.Watch{Marks: []measure.Mark{{Name: "button", Met: `document.querySelector("button") !== null`}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	times, err := clock.Read(t.Context())
	if err != nil || times.Seen["button"] <= 0 || times.Painted["button"] < times.Seen["button"] {
		t.Errorf("the times are %+v (%v)", times, err)
	}
	if err := page.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := chromium.Eval[bool](t.Context(), page, `"measureClock" in globalThis`); err != nil || left {
		t.Errorf("a clock that was read is in the document after the next (%v)", err)
	}
}

func TestAMarkThatNeverComesSaysWhatWasSeen(t *testing.T) {
	page := open(t)
	never := append(slices.Clone(marks), measure.Mark{Name: "never", Met: "false"})
	clock, err := measure.Arm(t.Context(), page, measure.Watch{From: measure.Click, Marks: never})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Click(t.Context(), chromium.CSS("button")); err != nil {
		t.Fatal(err)
	}
	if _, err := chromium.Eval[any](t.Context(), page, `(async () => { while (!("third" in measureClock.painted)) await new Promise(requestAnimationFrame) })()`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := clock.Read(ctx); err == nil || !strings.Contains(err.Error(), "third") {
		t.Errorf("the error is %v, want one that names what was seen", err)
	}
}

func TestCostsGrowWithWhatIsHeldAndShrinkWhenItIsNot(t *testing.T) {
	page := open(t)
	if err := measure.Count(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	cost := func(then string) measure.Costs {
		t.Helper()
		if _, err := chromium.Eval[any](t.Context(), page, then); err != nil {
			t.Fatal(err)
		}
		costs, err := measure.Cost(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		return costs
	}
	before := cost("void 0")
	full := cost(`void (() => {
		globalThis.held = Array.from({ length: 300_000 }, (_, i) => ({ i }));
		for (let i = 0; i < 1000; i++) document.querySelector("main").append(document.createElement("p"));
		for (const each of document.querySelectorAll("p")) each.addEventListener("click", () => each);
	})()`)
	after := cost(`void (globalThis.held = undefined, document.querySelector("main").replaceChildren())`)
	if full.Nodes < before.Nodes+1000 || full.Listeners < before.Listeners+1000 || full.HeapMiB < before.HeapMiB+2 || full.TaskMs <= before.TaskMs {
		t.Errorf("a thousand elements with listeners cost %+v, before it was %+v", full, before)
	}
	if after.Nodes > before.Nodes+100 || after.Listeners > before.Listeners+100 || after.HeapMiB > before.HeapMiB+2 {
		t.Errorf("with all of it gone the page still costs %+v, before it was %+v", after, before)
	}
}

func TestAProfileIsLeftWhereOutputsAre(t *testing.T) {
	page := open(t)
	folder := t.TempDir()
	t.Setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder)
	err := measure.Profile(t.Context(), page, "spin", func() error {
		_, err := chromium.Eval[any](t.Context(), page, `void (function spinning() { let x = 0; for (let i = 0; i < 2e7; i++) x += Math.sqrt(i); return x; })()`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "spin.cpuprofile"))
	if err != nil || !strings.Contains(string(text), "spinning") {
		t.Errorf("the profile does not name what ran (%d bytes, %v)", len(text), err)
	}
}

func TestAResultIsReadAsItWasWritten(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder)
	written := measure.New("row", "Chromium/1", "keylane 1")
	written.Add("echo", "ms", 3, 1)
	written.Add("nodes", "count", 7)
	written.Add("echo", "ms", 2)
	if err := written.Write(); err != nil {
		t.Fatal(err)
	}
	read, err := measure.Read(filepath.Join(folder, "row.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(read); err != nil || string(got) != string(want) {
		t.Errorf("read is %s, written was %s", got, want)
	}
	if len(read.Figures) != 2 || !slices.Equal(read.Figures[0].Samples, []float64{3, 1, 2}) || read.Machine.Cores < 1 || read.Machine.Go == "" {
		t.Errorf("the result is %+v", read)
	}
	if text := read.String(); !strings.Contains(text, "echo") || !strings.Contains(text, "1.0 … 3.0 of 3") {
		t.Errorf("in words it is %s", text)
	}
}

func TestAFileThatIsNoResultIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	for _, text := range []string{"", "[]", "{}", `{"row":"a","figures":[],"machine":{},"more":1}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := measure.Read(path); err == nil {
			t.Errorf("%q is taken for a result", text)
		}
	}
}

func TestMedians(t *testing.T) {
	for _, each := range []struct {
		sorted []float64
		want   float64
	}{{nil, 0}, {[]float64{4}, 4}, {[]float64{1, 3}, 2}, {[]float64{1, 2, 9}, 2}} {
		if got := measure.Median(each.sorted); got != each.want {
			t.Errorf("the median of %v is %v, want %v", each.sorted, got, each.want)
		}
	}
}
