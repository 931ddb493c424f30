// Package tabs_test has the page open more often than a browser has connections to one host: six, for all tabs together.
package tabs_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// visibility makes a page believe that its tab was left or come back to; a headless browser shows all of them at once.
func visibility(s *scaffold.Stage, page *chromium.Page, state string) {
	s.Helper()
	_, err := chromium.Eval[bool](s.Context, page, `Object.defineProperty(document, "visibilityState", {value: "`+state+`", configurable: true});`+
		`document.dispatchEvent(new Event("visibilitychange"))`)
	if err != nil {
		s.Fatalf("making the page %s: %v", state, err)
	}
}

// sees waits until a page has loaded what it needs: it is connected, and its calls are answered.
func sees(s *scaffold.Stage, page *chromium.Page) {
	s.Helper()
	if _, err := page.WaitFor(s.Context, chromium.CSS(`:root[data-connection="connected"][data-lists="loaded"][data-busy="false"]`)); err != nil {
		s.Fatalf("waiting for the page of a tab: %v", err)
	}
}

func TestATabThatNobodySeesIsInNobodysWay(t *testing.T) {
	scaffold.Run(t, scaffold.Scenario{
		Name: "tabs",
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			visit := s.Page.Context()
			left := []*chromium.Page{s.Page}
			for range 5 {
				visibility(s, left[len(left)-1], "hidden")
				page, err := visit.NewPage(s.Context)
				if err != nil {
					s.Fatalf("opening a tab: %v", err)
				}
				if err := page.Navigate(s.Context, s.URL+"/"); err != nil {
					s.Fatalf("opening the page in a tab: %v", err)
				}
				sees(s, page)
				left = append(left, page)
			}
			// The first one is come back to, and goes on.
			visibility(s, left[len(left)-1], "hidden")
			visibility(s, s.Page, "visible")
			sees(s, s.Page)
			s.Settle()
		},
	})
}
