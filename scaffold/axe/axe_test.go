package axe_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"keylane/scaffold/axe"
	"keylane/scaffold/chromium"
)

const good = `<!doctype html><html lang="en"><head><title>A page</title></head><body><main><h1>A page</h1><button>Press</button></main></body></html>`

// check opens a page under a policy as strict as a product's and returns what breaks a rule on it.
func check(t *testing.T, html string) []axe.Violation {
	t.Helper()
	source, err := axe.Source("//scaffold/axe:axe_test")
	if err != nil {
		t.Fatal(err)
	}
	path, err := chromium.Executable("//scaffold/axe:axe_test")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write([]byte(html)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	browser, err := chromium.Launch(t.Context(), chromium.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	}()
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
	found, err := axe.Check(t.Context(), page, source)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := chromium.Eval[string](t.Context(), page, `typeof window.axe`); err != nil || left != "undefined" {
		t.Errorf("the page keeps axe: %s, %v", left, err)
	}
	return found
}

func TestAPageThatEverybodyCanUseHasNoViolation(t *testing.T) {
	if found := check(t, good); len(found) > 0 {
		t.Errorf("violations: %v", found)
	}
}

func TestWhatHindersPeopleIsFound(t *testing.T) {
	for name, broken := range map[string]struct {
		from, to, rule string
		impact         axe.Impact
	}{
		"a button without a name":   {"<button>Press</button>", "<button></button>", "button-name", axe.Critical},
		"text that is hard to read": {"<h1>A page</h1>", `<h1 style="color: #ccc; background: #fff; font-size: 14px">A page</h1>`, "color-contrast", axe.Serious},
		"a page without a language": {` lang="en"`, "", "html-has-lang", axe.Serious},
		"a heading that is skipped": {"<button>Press</button>", "<h4>Deep</h4>", "heading-order", axe.Moderate},
	} {
		t.Run(name, func(t *testing.T) {
			found := check(t, strings.Replace(good, broken.from, broken.to, 1))
			at := slices.IndexFunc(found, func(v axe.Violation) bool { return v.Rule == broken.rule })
			if at < 0 {
				t.Fatalf("%s was not found, only %v", broken.rule, found)
			}
			if found[at].Impact != broken.impact || len(found[at].Nodes) == 0 {
				t.Errorf("found %s, want impact %s and its elements", found[at], broken.impact)
			}
			if kept := axe.AtLeast(axe.Serious, found[at:at+1]); (len(kept) == 1) != (broken.impact != axe.Moderate) {
				t.Errorf("of %v, serious and above are %v", found[at], kept)
			}
		})
	}
}
