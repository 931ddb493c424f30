package accessibility_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/surfaces"
)

// reach tells of the page that is looked at what a person without a mouse needs to know: what the focus is on, whether that shows, and what
// could have it. Of a group with one tab stop (a tree, tabs, options, radio buttons, a toolbar's arrows) only the stop counts; the rest has
// keys of its own, which the scenarios about it press.
const reach = `(() => {
	const scope = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
	const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[inert]") && element.getClientRects().length > 0;
	const radio = (element) => element.type === "radio" && !element.checked && [...document.querySelectorAll("input[type=radio]")].some((other) => other.name === element.name && other.checked);
	const all = [...scope.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
		.filter((element) => shown(element) && !element.disabled && element.tabIndex >= 0 && !radio(element));
	window.numbers ??= new WeakMap();
	window.number ??= 0;
	const name = (element) => {
		if (!numbers.has(element)) numbers.set(element, ++number);
		return numbers.get(element) + " " + element.localName + " " + (element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40));
	};
	const active = document.activeElement;
	const on = active && active !== document.body && active !== document.documentElement ? name(active) : "";
	let rings = false;
	for (let each = active; each && !rings; each = each.parentElement) {
		for (const pseudo of [null, "::after"]) {
			const style = getComputedStyle(each, pseudo);
			rings ||= (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || (each.matches(":focus-within") && style.boxShadow !== "none" && /0px 0px 0px [12]px/.test(style.boxShadow));
		}
		if (each.matches("main, nav, aside, dialog, [role=menu], [role=listbox]")) break;
	}
	return { All: all.map(name), On: on, Rings: rings };
})()`

type reached struct {
	All   []string
	On    string
	Rings bool
}

func around(s *scaffold.Stage) reached {
	s.Helper()
	now, err := chromium.Eval[reached](s.Context, s.Page, reach)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return now
}

// tabbed is a look that goes once around with Tab, and comes back to where the focus was. Menus and lists of suggestions have the keys to
// themselves while they are open.
func tabbed(s *scaffold.Stage, surface string) {
	s.Helper()
	if s.Mode() != scaffold.Replay {
		return
	}
	if held, err := chromium.Eval[bool](s.Context, s.Page, `document.querySelector("[role=menu], [role=listbox].floating, .floating [role=listbox]") !== null`); err != nil || held {
		if err != nil {
			s.Fatalf("%v", err)
		}
		return
	}
	first := around(s)
	seen := map[string]bool{}
	var dull []string
	for range 2*len(first.All) + 8 {
		s.Press("Tab")
		now := around(s)
		if now.On == "" { // the browser's own controls come between the last and the first
			continue
		}
		if seen[now.On] {
			if len(seen) >= len(first.All) {
				break
			}
			continue
		}
		seen[now.On] = true
		if !now.Rings {
			dull = append(dull, now.On)
		}
	}
	// What the walk itself took away, as Back to bottom goes when the focus scrolls there, is not missed.
	var missed []string
	for _, each := range around(s).All {
		if !seen[each] && slices.Contains(first.All, each) {
			missed = append(missed, each)
		}
	}
	if len(missed) > 0 {
		s.Errorf("%s: Tab does not reach %s", surface, strings.Join(missed, ", "))
	}
	if len(dull) > 0 {
		s.Errorf("%s: it does not show that the focus is on %s", surface, strings.Join(dull, ", "))
	}
	back := fmt.Sprintf(`(() => { %s; return 1 })()`, `document.activeElement?.blur()`)
	if first.On != "" {
		back = fmt.Sprintf(`(() => { for (const each of document.querySelectorAll("*")) if (numbers.has(each) && numbers.get(each) === %s) each.focus({ preventScroll: true }); return 1 })()`, strings.Fields(first.On)[0])
	}
	if _, err := chromium.Eval[int](s.Context, s.Page, back); err != nil {
		s.Fatalf("%v", err)
	}
}

func TestTabReachesEverything(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, each := range []struct {
		name string
		page chromium.ContextOptions
	}{
		{"wide", chromium.ContextOptions{Width: 1680, Height: 1000}},
		{"narrow", chromium.ContextOptions{Width: 480, Height: 900}},
	} {
		t.Run(each.name, func(t *testing.T) { scaffold.Run(t, surfaces.Work(each.page, tabbed)) })
		t.Run(each.name+", with what is broken", func(t *testing.T) { scaffold.Run(t, surfaces.Trouble(each.page, tabbed)) })
	}
}

// A button that no Tab reaches, and one that does not show that it has the focus.
func TestWhatTabMissesWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, mutant := range map[string]struct {
		edit  scaffold.Edit
		words string
	}{
		"a trap":  {scaffold.Edit{File: "plugins/workspace/client.js", Find: `class:"start-workspace",`, Put: `class:"start-workspace",onKeyDown:(e)=>e.key==="Tab"&&e.preventDefault(),`}, "Tab does not reach"},
		"no ring": {scaffold.Edit{File: "assets/shell.css", Find: `:focus-visible\{outline:2px solid var\(--accent\);outline-offset:2px\}`, Put: `:focus-visible{outline:none}`}, "it does not show that the focus is on"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := surfaces.Trouble(chromium.ContextOptions{}, func(s *scaffold.Stage, surface string) {
				tabbed(s, surface)
				if s.Failed() {
					s.Fatalf("that is enough")
				}
			})
			broken.Edits = []scaffold.Edit{mutant.edit}
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			scaffold.WantSeen(t, failures, mutant.words)
		})
	}
}
