package chromium_test

import (
	"bytes"
	"context"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/scaffold/aria"
	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

const form = `<!doctype html><title>form</title><main>
<button id=a onclick="log('a ' + event.isTrusted + ' ' + event.detail)">Save</button>
<div style="padding-top:3000px"><button onclick="log('b')">Far away</button></div>
<section aria-label=One><button onclick="log('one')">Same</button></section>
<section aria-label=Two><button onclick="log('two')">Same</button></section>
<button disabled>Never</button>
<input aria-label=Field value=old onkeydown="log(event.key + ' ' + event.isTrusted)">
<textarea aria-label=Area></textarea>
<div role=toolbar data-key=x>tools</div>
</main><script>window.lines = []; function log(s) { lines.push(s) }</script>`

func formPage(t *testing.T) (context.Context, *chromium.Page) {
	ctx := await.Context(t)
	_, page := open(t, ctx, site(t, "", map[string]string{"/": form}))
	return ctx, page
}

func logged(t *testing.T, ctx context.Context, page *chromium.Page) string {
	t.Helper()
	return must[string](t)(chromium.Eval[string](ctx, page, `lines.join("; ")`))
}

func value(t *testing.T, ctx context.Context, page *chromium.Page, label string) string {
	t.Helper()
	return must[string](t)(chromium.Eval[string](ctx, page, `document.querySelector('[aria-label="`+label+`"]').value`))
}

func TestClicksAreTrustedAndScrollOnlyIfNeeded(t *testing.T) {
	ctx, page := formPage(t)
	if err := page.Click(ctx, chromium.Role("button", "Save")); err != nil {
		t.Fatal(err)
	}
	if y := must[float64](t)(chromium.Eval[float64](ctx, page, "scrollY")); y != 0 {
		t.Errorf("it scrolled to %v", y)
	}
	if err := page.DoubleClick(ctx, chromium.Role("button", "Save")); err != nil {
		t.Fatal(err)
	}
	if err := page.Click(ctx, chromium.Role("button", "Far away")); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, ctx, page); got != "a true 1; a true 1; a true 2; b" {
		t.Error(got)
	}
}

func TestAQueryIsNarrowedByItsRegion(t *testing.T) {
	ctx, page := formPage(t)
	for _, region := range []string{"Two", "One"} {
		if err := page.Click(ctx, chromium.Role("button", "Same").Within(chromium.Role("region", region))); err != nil {
			t.Fatal(err)
		}
	}
	if err := page.Click(ctx, chromium.Role("button", "Same").Nth(2)); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, ctx, page); got != "two; one; two" {
		t.Error(got)
	}
}

func TestQueriesFindByPartPatternRoleAndSelector(t *testing.T) {
	ctx, page := formPage(t)
	for _, q := range []chromium.Query{
		chromium.RoleContaining("button", "away"), chromium.RoleMatching("button", regexp.MustCompile("^Far")), chromium.AnyName("toolbar"), chromium.CSS("[data-key=x]"),
	} {
		if _, err := page.Find(ctx, q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestAFailedLookUpListsTheCandidates(t *testing.T) {
	ctx, page := formPage(t)
	for _, c := range []struct {
		query chromium.Query
		want  string
	}{
		{chromium.Role("button", "Sav"), `no button "Sav"; there were: button "Save", button "Far away", button "Same", button "Same", button "Never"`},
		{chromium.Role("button", "Same"), `2 elements match button "Same": button "Same", button "Same"`},
		{chromium.Role("button", "Same").Nth(3), `2 elements match button "Same" (match 3)`},
		{chromium.Role("link", "Home").Within(chromium.Role("region", "One")), `no link "Home" within region "One"; there were: region "One", button "Same"`},
		{chromium.Role("button", "x").Within(chromium.Role("region", "Three")), `no region "Three"; there were: region "One", region "Two"`},
		{chromium.CSS("#nothing"), `no element #nothing; there were: `},
	} {
		if _, err := page.Find(ctx, c.query); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.query, err, c.want)
		}
	}
}

func TestAClickThatCannotHappenSaysWhyWhenTheTimeIsOver(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `document.body.insertAdjacentHTML("beforeend", "<div id=veil style='position:fixed;inset:0'></div>")`); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Never": "it is disabled", "Save": "it is covered by <div id=veil>", "Nothing": `there were: button "Save"`,
	} {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		err := page.Click(short, chromium.Role("button", name))
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "deadline exceeded") {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestAClickWaitsUntilTheElementIsThereEnabledAtRestAndUncovered(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `(() => {
		const frames = (n, f) => n ? requestAnimationFrame(() => frames(n - 1, f)) : f();
		frames(3, () => { document.body.insertAdjacentHTML("afterbegin", "<button id=late disabled style='position:relative' onclick=\"log('late')\">Late</button><div id=veil style='position:fixed;inset:0'></div>");
		frames(3, () => { late.disabled = false;
		frames(3, () => { veil.remove();
			let n = 20; const move = () => { late.style.left = n + "px"; if (n--) requestAnimationFrame(move) }; move() }) }) }) })()`); err != nil {
		t.Fatal(err)
	}
	if err := page.Click(ctx, chromium.Role("button", "Late")); err != nil {
		t.Fatal(err)
	}
	if got := logged(t, ctx, page); got != "late" {
		t.Error(got)
	}
}

func TestTypingPressingAndFillingAreTrusted(t *testing.T) {
	ctx, page := formPage(t)
	if err := page.Fill(ctx, chromium.Role("textbox", "Field"), "new 汉"); err != nil {
		t.Fatal(err)
	}
	if got := value(t, ctx, page, "Field"); got != "new 汉" {
		t.Error(got)
	}
	for _, step := range []func() error{
		func() error { return page.Press(ctx, "Backspace") },
		func() error { return page.Type(ctx, "A1!") },
		func() error { return page.Press(ctx, "Shift+Enter") },
		func() error { return page.Press(ctx, "Control+Meta+k") },
		func() error { return page.Press(ctx, "+") },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if got := value(t, ctx, page, "Field"); got != "new A1!+" {
		t.Error(got)
	}
	want := "Control true; a true; Backspace true; A true; 1 true; ! true; Shift true; Enter true; Control true; Meta true; k true; + true"
	if got := logged(t, ctx, page); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if err := page.Fill(ctx, chromium.Role("textbox", "Field"), ""); err != nil {
		t.Fatal(err)
	}
	if got := value(t, ctx, page, "Field"); got != "" {
		t.Error(got)
	}
	if err := page.Focus(ctx, chromium.Role("textbox", "Area")); err != nil {
		t.Fatal(err)
	}
	if err := page.Type(ctx, "line\n中文 é 🙂"); err != nil {
		t.Fatal(err)
	}
	if got := value(t, ctx, page, "Area"); got != "line\n中文 é 🙂" {
		t.Errorf("%q", got)
	}
	for combination, want := range map[string]string{"Hyper+a": `"Hyper" is not a modifier`, "Entre": `"Entre": no such key`} {
		if err := page.Press(ctx, combination); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", combination, err)
		}
	}
}

func TestTheWheelAndTheArrowsScroll(t *testing.T) {
	ctx, page := formPage(t)
	if err := page.Wheel(ctx, chromium.Role("button", "Save"), 0, 300); err != nil {
		t.Fatal(err)
	}
	y := func(context.Context) (float64, error) { return chromium.Eval[float64](ctx, page, "scrollY") }
	if err := await.New(y, page).Await(ctx, await.That("it scrolled", func(y float64) (bool, string) { return y == 300, "" })); err != nil {
		t.Error(err)
	}
}

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
