package chromium_test

import (
	"testing"
	"time"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

func TestAPinnedClockStandsInEveryDocument(t *testing.T) {
	ctx := await.Context(t)
	url := site(t, "", map[string]string{"/": "<!doctype html>"})
	_, page := open(t, ctx, url, chromium.ContextOptions{Now: time.UnixMilli(1_700_000_000_000)})
	for range 2 {
		const said = `[Date.now(), new Date().getTime(), new Date(5).getTime(), Date.UTC(1970, 0, 1), new Date() instanceof Date].join()`
		if got := must[string](t)(chromium.Eval[string](ctx, page, said)); got != "1700000000000,1700000000000,5,0,true" {
			t.Error(got)
		}
		if err := page.Reload(ctx); err != nil {
			t.Fatal(err)
		}
	}
}
