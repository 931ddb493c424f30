package chromium_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

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

func TestTheRightButtonDragsToo(t *testing.T) {
	ctx, page := formPage(t)
	must[any](t)(chromium.Eval[any](ctx, page, `void ["pointerdown", "pointermove", "pointerup"].forEach((type) => addEventListener(type, (event) => event.buttons + event.button > 0 && log(type + " " + event.button + " " + event.buttons)))`))
	if err := page.RightDrag(ctx, chromium.Role("button", "Save"), 40, 0, 1); err != nil {
		t.Fatal(err)
	}
	if got, want := logged(t, ctx, page), "pointerdown 2 2; pointermove -1 2; pointerup 2 0"; got != want {
		t.Errorf("the page saw %q, want %q", got, want)
	}
}

func TestThePageGetsAnotherSize(t *testing.T) {
	ctx, page := formPage(t)
	if err := page.Resize(ctx, 700, 500); err != nil {
		t.Fatal(err)
	}
	if got := must[string](t)(chromium.Eval[string](ctx, page, "innerWidth + \"×\" + innerHeight")); got != "700×500" {
		t.Errorf("the page is %s", got)
	}
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

func TestACompositionIsWhatAnInputMethodSends(t *testing.T) {
	ctx, page := formPage(t)
	if _, err := chromium.Eval[any](ctx, page, `(() => { const area = document.querySelector("textarea"); area.focus();
		for (const type of ["compositionstart", "compositionupdate", "compositionend"]) area.addEventListener(type, e => log(type + " " + e.data));
		area.addEventListener("keydown", e => log([e.type, e.key, e.keyCode, e.isComposing, e.isTrusted].join(" "))) })()`); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { return page.Compose(ctx, "n") },
		func() error { return page.Compose(ctx, "ni") },
		func() error { return page.PressComposing(ctx, "Enter") },
		func() error { return page.Commit(ctx, "你🙂") },
		func() error { return page.PressComposing(ctx, "Enter") },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := "compositionstart ; compositionupdate n; compositionupdate ni; keydown Enter 229 true true; compositionupdate 你🙂; compositionend 你🙂; " +
		"keydown Enter 229 false true"
	if got := logged(t, ctx, page); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := value(t, ctx, page, "Area"); got != "你🙂" {
		t.Errorf("%q", got)
	}
	if err := page.PressComposing(ctx, "Entre"); err == nil {
		t.Error("a key that does not exist is pressed")
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
