package chromium_test

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/scaffold/aria"
	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

func TestAttributesAreReadFromExactlyOneElement(t *testing.T) {
	ctx, page := formPage(t)
	if v, present, err := page.Attribute(ctx, "[role=toolbar]", "data-key"); v != "x" || !present || err != nil {
		t.Error(v, present, err)
	}
	if v, present, err := page.Attribute(ctx, "[role=toolbar]", "data-none"); v != "" || present || err != nil {
		t.Error(v, present, err)
	}
	if _, _, err := page.Attribute(ctx, "button", "id"); err == nil || !strings.Contains(err.Error(), "5 elements match button, want exactly one") {
		t.Error(err)
	}
}

func TestAnExceptionInEvalIsAnErrorWithItsText(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[int](ctx, page, "nothing.there"); err == nil || !strings.Contains(err.Error(), "ReferenceError: nothing is not defined") {
		t.Error(err)
	}
	if _, err := chromium.Eval[int](ctx, page, "Promise.reject(new Error('no'))"); err == nil || !strings.Contains(err.Error(), "Error: no") {
		t.Error(err)
	}
	if n, err := chromium.Eval[int](ctx, page, "Promise.resolve(7)"); n != 7 || err != nil {
		t.Error(n, err)
	}
}

func TestAPageIsWhatTheContextPins(t *testing.T) {
	ctx := await.Context(t)
	type facts struct {
		Language, Format, Zone, Scheme, Motion string
		Width, Height                          int
		Ratio                                  float64
	}
	const expression = `({ Language: navigator.languages.join(), Format: Intl.DateTimeFormat().resolvedOptions().locale, Zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
		Scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", Motion: matchMedia("(prefers-reduced-motion: reduce)").matches ? "reduce" : "full",
		Width: innerWidth, Height: innerHeight, Ratio: devicePixelRatio })`
	url := site(t, "", map[string]string{"/": "<!doctype html>"})
	for _, c := range []struct {
		options chromium.ContextOptions
		want    facts
	}{
		{chromium.ContextOptions{}, facts{"en-US,en", "en-US", "UTC", "light", "reduce", 1680, 1000, 1}},
		{chromium.ContextOptions{Locale: "zh-CN", Timezone: "Asia/Shanghai", Width: 900, Height: 520, ColorScheme: chromium.Dark},
			facts{"zh-CN,zh", "zh-CN", "Asia/Shanghai", "dark", "reduce", 900, 520, 1}},
	} {
		_, page := open(t, ctx, url, c.options)
		got := must[facts](t)(chromium.Eval[facts](ctx, page, expression))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
		shot, err := png.DecodeConfig(bytes.NewReader(must[[]byte](t)(page.Screenshot(ctx))))
		if err != nil || shot.Width != c.want.Width || shot.Height != c.want.Height {
			t.Error(shot, err)
		}
	}
}

func TestTheClipboardCanBeReadAndWritten(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `navigator.clipboard.writeText("copied 汉")`); err != nil {
		t.Fatal(err)
	}
	if got := must[string](t)(page.ReadClipboard(ctx)); got != "copied 汉" {
		t.Error(got)
	}
}

func TestContextsShareNothing(t *testing.T) {
	ctx := await.Context(t)
	url := site(t, "", map[string]string{"/": "<!doctype html>"})
	_, first := open(t, ctx, url)
	_, second := open(t, ctx, url)
	if _, err := chromium.Eval[any](ctx, first, `localStorage.x = "1"; document.cookie = "c=1"`); err != nil {
		t.Fatal(err)
	}
	if got := must[string](t)(chromium.Eval[string](ctx, second, `(localStorage.x ?? "") + document.cookie`)); got != "" {
		t.Error(got)
	}
}

func TestNavigateSaysWhyAnAddressCannotBeReached(t *testing.T) {
	ctx, page := blank(t)
	if err := page.Navigate(ctx, "http://127.0.0.1:1/"); err == nil || !strings.Contains(err.Error(), "ERR_UNSAFE_PORT") {
		t.Error(err)
	}
}

func TestReloadWaitsForTheNewDocument(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, "window.old = true"); err != nil {
		t.Fatal(err)
	}
	if err := page.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if old := must[bool](t)(chromium.Eval[bool](ctx, page, "'old' in window")); old {
		t.Error("the old document is still there")
	}
}

func TestStableWaitsForAPageThatIsStillChanging(t *testing.T) {
	ctx, page := blank(t)
	if _, err := chromium.Eval[any](ctx, page, `(() => { let n = 0; const tick = () => { document.title = n; if (n++ < 15) requestAnimationFrame(tick) }; tick() })()`); err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context) (string, error) { return chromium.Eval[string](ctx, page, "document.title") }
	got := must[string](t)(chromium.Stable(ctx, page, read, func(a, b string) bool { return a == b }))
	if got != "15" {
		t.Error(got)
	}
}

func TestStableGivesUpOnAPageThatNeverRestsAndSaysSo(t *testing.T) {
	ctx, page := blank(t)
	if _, err := chromium.Eval[any](ctx, page, `(() => { let n = 0; const tick = () => { document.title = n++ % 2; requestAnimationFrame(tick) }; tick() })()`); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	read := func(context.Context) (string, error) { return "the same", nil } // equal readings are not enough
	if _, err := chromium.Stable(short, page, read, func(a, b string) bool { return a == b }); err == nil || !strings.Contains(err.Error(), "did not come to rest") {
		t.Error(err)
	}
	changing := 0
	if _, err := chromium.Eval[any](ctx, page, `document.title = "rest"; requestAnimationFrame = () => {}`); err != nil {
		t.Fatal(err)
	}
	short, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	counter := func(context.Context) (int, error) { changing++; return changing, nil }
	if _, err := chromium.Stable(short, page, counter, func(a, b int) bool { return a == b }); err == nil || !strings.Contains(err.Error(), "two readings differ") {
		t.Error(err)
	}
}

func TestARegionBecomesAnAriaTree(t *testing.T) {
	ctx := await.Context(t)
	_, page := open(t, ctx, site(t, "", map[string]string{"/": `<!doctype html><title>t</title><p>outside</p><main>
		<h1>Sessions</h1><nav aria-label=Pages><a href=# aria-current=page>Here</a></nav>
		<p>One <b>two</b> <span>three</span><br>four</p><div><div>block one</div><div>block two</div></div>
		<button aria-expanded=false>Details</button><input aria-label=Name value=x required><pre>l1
l2</pre><ul><li>a</li><li>b <code>c</code></li></ul><div aria-hidden=true>hidden</div></main>`}))
	read := func(ctx context.Context) (aria.Tree, error) {
		tree, err := page.AXTree(ctx, chromium.AnyName("main"))
		if err != nil {
			return aria.Tree{}, err
		}
		return aria.Build(aria.Source{Nodes: tree.Nodes, Root: tree.Root, Current: tree.Current})
	}
	tree := must[aria.Tree](t)(chromium.Stable(ctx, page, read, aria.Tree.Equal))
	got := must[string](t)(aria.Print(tree))
	const want = `# aria 1
- main:
  - heading "Sessions" [level=1]
  - navigation "Pages":
    - link "Here" [current=page]
  - paragraph: "One two three\nfour"
  - text: block one
  - text: block two
  - button "Details" [expanded=false]
  - textbox "Name" [required]:
    - /value: x
  - text: "l1\nl2"
  - list:
    - listitem: a
    - listitem:
      - text: b
      - code: c
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWaitGoneWaitsUntilNothingMatches(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `setTimeout(() => document.querySelector("#a").remove(), 20)`); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitGone(ctx, chromium.Role("button", "Save")); err != nil {
		t.Error(err)
	}
}

func TestWaitForFindsWhatComesLater(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `setTimeout(() => document.body.append(Object.assign(document.createElement("button"), { textContent: "New" })), 20)`); err != nil {
		t.Fatal(err)
	}
	if e, err := page.WaitFor(ctx, chromium.Role("button", "New")); err != nil || e.Name != "New" {
		t.Error(e, err)
	}
}
