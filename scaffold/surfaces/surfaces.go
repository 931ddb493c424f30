// Package surfaces walks to every surface of the page, one after the other, and hands each to whoever looks: axe-core, a camera.
//
//	scaffold.Run(t, surfaces.Work(page, look))     // one of each, in a session that a fixture answers
//	scaffold.Run(t, surfaces.Trouble(page, look))  // what the page says when something is broken
//
// The walk finds things by where they are, not by what they are called, so that it goes the same way in every language and width. What a
// surface does is for the scenarios about it; here it is only opened. A new surface gets a line here, and so a place in the gate and on the
// contact sheet.
package surfaces

import (
	"fmt"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// A Look is shown a surface: what the page has when it is called is what is meant. It must leave the page as it is. It is called in every
// mode, also while a scenario is recorded.
type Look func(s *scaffold.Stage, surface string)

// The prompts of fixtures/accessibility.
const (
	everything = "Show me everything."
	another    = "And once more."
)

// drawer is the width in CSS pixels below which the sidebar lies over the page.
const drawer = 768

// A walk is one way through the page.
type walk struct {
	*scaffold.Stage
	page chromium.ContextOptions
	look Look
}

// see waits for what makes the surface, and has it looked at.
func (w walk) see(surface, selector string) {
	w.Helper()
	w.WaitFor(chromium.CSS(selector).Nth(1))
	w.look(w.Stage, surface)
}

func (w walk) press(selector string) {
	w.Helper()
	w.Click(chromium.CSS(selector).Nth(1))
}

// leave presses Escape and waits until what was looked at is gone.
func (w walk) leave(selector string) {
	w.Helper()
	w.Press("Escape")
	if err := w.Page.WaitGone(w.Context, chromium.CSS(selector)); err != nil {
		w.Fatalf("surfaces: leaving %s: %v", selector, err)
	}
}

// toSidebar opens the drawer, where the sidebar is one.
func (w walk) toSidebar() {
	w.Helper()
	if w.page.Width == 0 || w.page.Width >= drawer || w.count(`.frame[data-sidebar="open"]`) > 0 {
		return
	}
	w.press(`.topbar > .icon-button:first-child`)
	w.WaitFor(chromium.CSS(`.frame[data-sidebar="open"]`))
}

// write types into the composer.
func (w walk) write(text string) {
	w.Helper()
	w.press(`.composer textarea`)
	w.typed(text)
}

func (w walk) typed(text string) {
	w.Helper()
	if err := w.Page.Type(w.Context, text); err != nil {
		w.Fatalf("surfaces: typing %q: %v", text, err)
	}
}

func (w walk) send(text string) {
	w.Helper()
	w.SendBy(func() {
		w.write(text)
		w.Press("Enter")
	})
}

// blur takes the focus from a field, where keys are text.
func (w walk) blur() {
	w.Helper()
	w.run(`(document.activeElement.blur(), 1)`)
}

func (w walk) count(selector string) int {
	w.Helper()
	return w.run(fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

func (w walk) run(expression string) int {
	w.Helper()
	value, err := chromium.Eval[int](w.Context, w.Page, expression)
	if err != nil {
		w.Fatalf("surfaces: %v", err)
	}
	return value
}
