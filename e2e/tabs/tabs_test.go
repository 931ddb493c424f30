// Package tabs_test has the page open more often than a browser has connections to one host: six, for all tabs together. Eight tabs live,
// because one that nobody sees gives its two streams back. Three or more windows that are all seen at once would take every connection;
// that they do not is not promised yet.
package tabs_test

import (
	"testing"
	"time"

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

// eight opens seven tabs more, each in front of the one before, and comes back to each.
func eight() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "tabs",
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			tabs := []*chromium.Page{s.Page}
			for range 7 {
				visibility(s, tabs[len(tabs)-1], "hidden")
				page, err := s.Page.Context().NewPage(s.Context)
				if err != nil {
					s.Fatalf("opening a tab: %v", err)
				}
				if err := page.Navigate(s.Context, s.URL+"/"); err != nil {
					s.Fatalf("opening the page in tab %d: %v", len(tabs)+1, err)
				}
				sees(s, page)
				tabs = append(tabs, page)
			}
			// Each is come back to, and goes on; the first one last.
			for i := len(tabs) - 2; i >= 0; i-- {
				visibility(s, tabs[i+1], "hidden")
				visibility(s, tabs[i], "visible")
				sees(s, tabs[i])
			}
			s.Settle()
		},
	}
}

func TestATabThatNobodySeesIsInNobodysWay(t *testing.T) {
	scaffold.Run(t, eight())
}

// Tabs that keep their connections when nobody sees them would be seen: the third is left with none to load itself with.
func TestTabsThatKeepTheirConnectionsWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := eight()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `document\.visibilityState==="hidden"\?setTimeout`, Put: "!1?setTimeout"}}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "opening the page in tab 3", "the trial's 20s are over")
}
