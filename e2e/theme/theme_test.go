// Package theme_test chooses light, dark and the system's theme: the page follows at once, the host keeps it, and a page that is opened
// then never shows another theme first. The root element's data-theme is followed from its first value on, in what the host serves,
// before any script has run; the style sheet, which waits for nothing, paints by it.
package theme_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The page's ground in both themes; web/ui/tokens.css has them.
const (
	paper = "rgb(253, 252, 250)"
	slate = "rgb(24, 23, 21)"
)

var (
	trigger = chromium.Role("button", "Settings")
	dialog  = chromium.Role("dialog", "Settings")
)

// ground is what the page is painted on.
func ground(s *scaffold.Stage) string {
	s.Helper()
	colour, err := chromium.Eval[string](s.Context, s.Page, `getComputedStyle(document.documentElement).backgroundColor`)
	if err != nil {
		s.Fatalf("reading the ground: %v", err)
	}
	return colour
}

// themes are the values of data-theme since the document was opened, the served one first.
func themes(s *scaffold.Stage) []string {
	var all []string
	for _, event := range s.Page.Events() {
		switch data := event.Data.(type) {
		case chromium.Navigation:
			if !data.SameDocument {
				all = nil
			}
		case chromium.RootAttribute:
			if data.Name == "data-theme" {
				all = append(all, data.Value)
			}
		}
	}
	return all
}

// wantOne checks that the page had one theme from the first moment on, and what it is painted on.
func wantOne(s *scaffold.Stage, theme, colour string) {
	s.Helper()
	if all := themes(s); !slices.Equal(all, []string{theme}) {
		s.Errorf("the page flashed: its theme was, one after the other, %q, want %q alone", all, theme)
	}
	if got := ground(s); got != colour {
		s.Errorf("in the theme %q the ground is %s, want %s", theme, got, colour)
	}
}

// choose picks a theme in the dialog, which is open.
func choose(s *scaffold.Stage, name, theme, colour string) {
	s.Helper()
	s.Click(chromium.Role("radio", name))
	s.WaitFor(chromium.CSS(`:root[data-theme="` + theme + `"]`))
	s.Settle()
	if got := ground(s); got != colour {
		s.Errorf("after %q was chosen the ground is %s, want %s", name, got, colour)
	}
	text, err := os.ReadFile(filepath.Join(s.Folders.Home, "settings.yml"))
	if err != nil || !strings.Contains(string(text), "preference: "+theme) {
		s.Errorf("the host has not kept %q: %v\n%s", theme, err, text)
	}
}

// scenario begins in a system of one scheme and chooses the other one.
func scenario(scheme chromium.ColorScheme) scaffold.Scenario {
	own, other, name := paper, slate, "Dark"
	if scheme == chromium.Dark {
		own, other, name = slate, paper, "Light"
	}
	return scaffold.Scenario{
		Name: "theme", Page: chromium.ContextOptions{ColorScheme: scheme, RootAttributes: []string{"data-theme"}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			wantOne(s, "system", own)
			s.Click(trigger)
			s.Golden("general", dialog)
			s.Click(chromium.Role("button", "Appearance"))
			s.Golden("system", dialog)
			choose(s, name, strings.ToLower(name), other)
			s.Golden(strings.ToLower(name), dialog)
			s.Press("Escape")
			wantFocus(s)
			s.Reload()
			wantOne(s, strings.ToLower(name), other)
			s.Restart()
			wantOne(s, strings.ToLower(name), other)
			// By the keyboard, and back to the system.
			if err := s.Page.Focus(s.Context, trigger); err != nil {
				s.Fatalf("%v", err)
			}
			s.Press("Enter")
			s.Click(chromium.Role("button", "Appearance"))
			choose(s, "System", "system", own)
			s.Reload()
			wantOne(s, "system", own)
		},
	}
}

// wantFocus checks that closing the dialog gave the focus back.
func wantFocus(s *scaffold.Stage) {
	s.Helper()
	if err := s.Page.WaitGone(s.Context, dialog); err != nil {
		s.Fatalf("closing the dialog: %v", err)
	}
	name, err := chromium.Eval[string](s.Context, s.Page, `document.activeElement.textContent`)
	if err != nil || name != "Settings" {
		s.Errorf("after the dialog the focus is on %q, want its trigger (%v)", name, err)
	}
}

func TestAThemeIsChosenAndKept(t *testing.T) { scaffold.Run(t, scenario(chromium.Light)) }

func TestAThemeIsChosenAgainstADarkSystem(t *testing.T) { scaffold.Run(t, scenario(chromium.Dark)) }

// A page that is served without its theme learns it later, and that is seen.
func TestAPageThatLearnsItsThemeLateWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(chromium.Light)
	mutant.Edits = []scaffold.Edit{{File: "index.html", Find: ` data-theme="system" data-settings=""`, Put: ""}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the page flashed")
}

// A theme that is no more than a word would be seen on the ground.
func TestAThemeThatPaintsNothingWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(chromium.Light)
	mutant.Edits = []scaffold.Edit{{File: "assets/shell.css", Find: `\[data-theme="?dark"?\]`, Put: `[data-theme=none]`}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, `after "Dark" was chosen the ground is rgb(253, 252, 250)`)
}

// A choice that stays in its page would be lost with it.
func TestAChoiceThatTheHostDoesNotGetWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(chromium.Light)
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `"settings\.update",`, Put: `"settings.describe",{})||(0,`}}
	failures := scaffold.TrialWithin(t, 30*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the host has not kept")
}
