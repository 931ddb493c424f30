// Package plugin_failure_test is a page and a host of which not everything works. A plugin that throws takes itself away and nothing else:
// where it was the page says its name and why, and offers to load again or to go on without it. A row of the host that cannot start is told
// of on the page, briefly beside the composer and in full in the settings, and the rest of the host works.
package plugin_failure_test

import (
	"context"
	"strings"
	"testing"

	"keylane/host/composition"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Are you still there?"

var (
	conversation = chromium.Role("main", "Conversation")
	// guests fail in every way that the page knows.
	guests = []scaffold.Guest{
		{ID: "guest-loads", Script: `throw new Error("no such bundle");`},
		{ID: "guest-activates", Script: `
			export function activate(scope) {
				scope.fill("foot", () => "HALF A PLUGIN");
				throw new Error("cannot activate", {cause: new Error("the slot <b>is</b> gone")});
			}`},
		{ID: "guest-renders", Script: `
			export function activate(scope) {
				scope.fill("dock", function Part() { throw new Error("cannot render"); });
			}`},
		{ID: "guest-effects", Script: `
			import {h, useEffect} from "/shared/preact.js";
			export function activate(scope) {
				scope.fill("dock", function Part() {
					useEffect(() => { throw new Error("cannot go on"); }, []);
					return h("p", {}, "FOR A MOMENT");
				});
			}`},
		{ID: "guest-handles", Script: `
			import {h} from "/shared/preact.js";
			export function activate(scope) {
				scope.fill("dock", () => h("button", {onClick: () => { throw new Error("cannot handle"); }}, "Stumble"));
			}`},
	}
	// errors are what the console has of them, in one load of the page.
	errors = []string{"guest-loads failed (load)", "guest-activates failed (activate)", "guest-renders failed (render)", "guest-effects failed (render)"}
)

// absent is a service that nobody provides.
var absent = composition.NewService[int]("sandbox")

// needy is a plugin whose row waits for ever.
func needy() composition.Plugin {
	return composition.Define("needy", "waits for what does not come", composition.Definition[struct{}]{
		Needs: []composition.Key{absent},
		Start: func(context.Context, *composition.Scope, struct{}) error { return nil },
	})
}

// broken are rows that cannot start: one has a second tool of a name, one waits.
const broken = "- insert: [{id: again, plugin: tool-todo}, {id: patient, plugin: needy}]\n"

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:       "plugin_failure",
		Fixture:    true,
		Guests:     guests,
		Plugins:    []composition.Plugin{needy()},
		Patches:    scaffold.Patch("rows that cannot start", broken),
		WantErrors: append(append(append([]string{}, errors...), "cannot handle"), errors...), // the page is loaded twice
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Settle()
			for _, guest := range guests[:4] {
				s.WaitFor(notice(guest.ID))
			}
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			wantReasons(s, "no such bundle", "cannot activate: the slot <b>is</b> gone", "cannot go on", "cannot render")
			wantAbsent(s, "HALF A PLUGIN", "FOR A MOMENT")
			s.Golden("failed", conversation)

			s.Click(chromium.Role("button", "Stumble"))
			s.WaitFor(notice("guest-handles"))
			wantReasons(s, "no such bundle", "cannot activate: the slot <b>is</b> gone", "cannot handle", "cannot go on", "cannot render")
			s.WaitFor(chromium.Role("button", "Stumble")) // it is there still

			for _, guest := range guests {
				disable(s, guest.ID)
			}
			wantReasons(s)
			wantAbsent(s, "Stumble")
			s.Golden("disabled", conversation)

			s.Click(chromium.Role("button", "Show report"))
			s.WaitFor(chromium.Role("table", "Parts of the host"))
			wantRow(s, "again", "failed", `a tool of that name is already registered`)
			wantRow(s, "patient", "waits", `waits for service "sandbox", which no row provides`)
			wantRow(s, "tool-todo", "started", "")
			s.Golden("about-page", chromium.Role("list", "Parts of this page that failed"))
			s.Golden("about-host", chromium.Role("list", "Parts of the host that do not run"))
			s.Press("Escape")

			s.Reload() // disabled is for one page
			s.Settle()
			wantReasons(s, "no such bundle", "cannot activate: the slot <b>is</b> gone", "cannot go on", "cannot render")
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func notice(plugin string) chromium.Query {
	return chromium.CSS(`[data-plugin-failed="` + plugin + `"]`)
}

// disable presses the button of a plugin's notice.
func disable(s *scaffold.Stage, plugin string) {
	s.Helper()
	s.Click(chromium.CSS(`[data-plugin-failed="` + plugin + `"] .button-quiet`))
	s.Settle()
}

// wantReasons checks what the notices on the page say, from top to bottom.
func wantReasons(s *scaffold.Stage, want ...string) {
	s.Helper()
	got := evaluate[[]string](s, `[...document.querySelectorAll("[data-plugin-failed] .failure-reason")].map((each) => each.textContent)`)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("the notices say %q, want %q", got, want)
	}
}

// wantAbsent checks that the page shows none of these.
func wantAbsent(s *scaffold.Stage, words ...string) {
	s.Helper()
	shown := evaluate[string](s, "document.body.innerText")
	for _, each := range words {
		if strings.Contains(shown, each) {
			s.Errorf("the page shows %q", each)
		}
	}
}

// wantRow checks what the boot report on the page says of a row.
func wantRow(s *scaffold.Stage, id, state, reason string) {
	s.Helper()
	rows := evaluate[[][]string](s, `[...document.querySelectorAll(".about-rows tbody tr")].map((row) => [row.querySelector("th").textContent, row.querySelector(".about-state").textContent, row.querySelector(".about-reason code")?.textContent ?? ""])`)
	for _, row := range rows {
		if row[0] != id {
			continue
		}
		if row[1] != state || !strings.Contains(row[2], reason) {
			s.Errorf("the report says of the row %q: %q", id, row[1:])
		}
		return
	}
	s.Errorf("the report has no row %q among its %d", id, len(rows))
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}

func TestWhatFailsTakesNothingElseAway(t *testing.T) { scaffold.Run(t, scenario()) }
