// Package accessibility_test has axe-core look at every surface of the page, wide, middle and narrow, in both themes and both languages:
// nothing that hinders people is found, be it ever so little. It goes through the page with the keyboard alone, and listens to what a
// screen reader is told while an answer is written. What a surface does is for the scenarios about it.
package accessibility_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/axe"
	"keylane/scaffold/chromium"
	"keylane/scaffold/surfaces"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// checked is a look with axe-core; found is told what it finds on each surface.
func checked(script string, found func(s *scaffold.Stage, surface string, violations []axe.Violation)) surfaces.Look {
	return func(s *scaffold.Stage, surface string) {
		s.Helper()
		if s.Mode() != scaffold.Replay {
			return
		}
		violations, err := axe.Check(s.Context, s.Page, script)
		if err != nil {
			s.Fatalf("%v", err)
		}
		found(s, surface, violations)
		// The other theme has other colours, and nothing else of its own.
		do(s, s.Page.Prefer(s.Context, chromium.Dark))
		violations, err = axe.Check(s.Context, s.Page, script, "color-contrast")
		if err != nil {
			s.Fatalf("%v", err)
		}
		found(s, surface+", dark", violations)
		do(s, s.Page.Prefer(s.Context, chromium.Light))
	}
}

func do(s *scaffold.Stage, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

func source(t *testing.T) string {
	t.Helper()
	script, err := axe.Source("//e2e/accessibility")
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// pages are how people may have the page. Which is recorded does not matter, so it is the first.
var pages = []struct {
	name string
	page chromium.ContextOptions
}{
	{"wide", chromium.ContextOptions{Width: 1680, Height: 1000}},
	{"middle", chromium.ContextOptions{Width: 1024, Height: 800}},
	{"narrow", chromium.ContextOptions{Width: 480, Height: 900}},
	{"wide, in Chinese", chromium.ContextOptions{Width: 1680, Height: 1000, Locale: "zh-CN"}},
}

func TestNothingHindersPeople(t *testing.T) {
	script := source(t)
	look := checked(script, func(s *scaffold.Stage, surface string, violations []axe.Violation) {
		for _, violation := range violations {
			s.Errorf("%s: %s", surface, violation)
		}
	})
	for i, each := range pages {
		t.Run(each.name, func(t *testing.T) {
			if i > 0 {
				scaffold.OnlyReplay(t)
			}
			scaffold.Run(t, surfaces.Work(each.page, look))
		})
		t.Run(each.name+", with what is broken", func(t *testing.T) {
			scaffold.OnlyReplay(t)
			scaffold.Run(t, surfaces.Trouble(each.page, look))
		})
	}
}
