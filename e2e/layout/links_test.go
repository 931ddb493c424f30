package layout_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// wantAt checks where the page is: its address, and the title of the session that it shows.
func wantAt(s *scaffold.Stage, path, title string) {
	s.Helper()
	s.WaitFor(chromium.Role("heading", title))
	s.Settle()
	if got := s.Page.URL(); !strings.HasSuffix(got, path) {
		s.Errorf("the address is %s, want %s", got, path)
	}
	if got := evaluate[string](s, "document.title"); got != title+" · keylane" {
		s.Errorf("the page is called %q at %s", got, path)
	}
}

// links goes from session to session, back and forward.
func links(s *scaffold.Stage) {
	wantAt(s, "/s/"+first, "The first")
	s.Click(secondSession)
	wantAt(s, "/s/"+second, "The second")
	s.Click(chromium.Role("tab", "Trajectory"))
	wantAt(s, "/s/"+second+"/trajectory", "The second")
	evaluate[any](s, "history.go(-2)")
	wantAt(s, "/s/"+first, "The first")
	evaluate[any](s, "history.forward()")
	wantAt(s, "/s/"+second, "The second")
	evaluate[any](s, "history.back()")
	wantAt(s, "/s/"+first, "The first")

	// A link to a record brings its details, in a page that is loaded anew too.
	s.Open("/s/" + second + "/trajectory?event=5")
	s.WaitFor(details)
	s.Reload()
	s.WaitFor(details)
	wantAt(s, "/s/"+second+"/trajectory?event=5", "The second")
	wantColumns(s, "at a record", 280, 360)

	// A link that leads nowhere says so, and where to go.
	for _, path := range []string{"/s/nowhere", "/s/nowhere/trajectory"} {
		s.Open(path)
		if text := s.Text("main [role=alert]"); !strings.Contains(text, "There is no such session") || !strings.Contains(text, "session-not-found") {
			s.Errorf("%s says %q", path, text)
		}
		s.Reload()
		s.Click(chromium.Role("button", "New session").Within(chromium.Role("main", "Conversation")))
		s.WaitFor(chromium.CSS("main[data-start=true]"))
		evaluate[any](s, "history.back()")
		s.WaitFor(chromium.CSS("main [role=alert]"))
	}
	s.Click(firstSession)
	wantAt(s, "/s/"+first, "The first")
}

func TestEverySessionHasALink(t *testing.T) { scaffold.Run(t, opened(t, 1680, links)) }
