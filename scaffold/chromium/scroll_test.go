package chromium_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

// tall is a region that scrolls, with a bar that takes room.
const tall = `<!doctype html><style>#tall { height: 300px; overflow-y: scroll; } #tall > div { height: 3000px; }</style><div id="tall"><div></div></div>`

func TestAFingerAndTheScrollBarScroll(t *testing.T) {
	ctx := await.Context(t)
	_, page := open(t, ctx, site(t, "", map[string]string{"/": tall}))
	region := chromium.CSS("#tall")
	y := func(context.Context) (float64, error) {
		return chromium.Eval[float64](ctx, page, `document.querySelector("#tall").scrollTop`)
	}
	wait := func(what string, met func(y float64) bool) {
		t.Helper()
		if err := await.New(y, page).Await(ctx, await.That(what, func(y float64) (bool, string) { return met(y), fmt.Sprint(y) })); err != nil {
			t.Error(err)
		}
	}
	if err := page.DragScrollbar(ctx, region, 60, 4); err != nil {
		t.Fatal(err)
	}
	wait("the bar was dragged", func(y float64) bool { return y > 300 })
	before, err := y(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Swipe(ctx, region, 100, 5); err != nil {
		t.Fatal(err)
	}
	wait("a finger went down, and the content with it", func(y float64) bool { return y < before-50 })
}

func TestAScrollBarThatIsNotThereIsNotDragged(t *testing.T) {
	ctx, page := formPage(t)
	if err := page.DragScrollbar(ctx, chromium.Role("button", "Save"), 10, 1); err == nil || !strings.Contains(err.Error(), "no scroll bar") {
		t.Errorf("got %v", err)
	}
}
