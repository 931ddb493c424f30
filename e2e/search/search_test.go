// Package search_test looks for sessions by name and by what was said in them: in stored sessions, in one that has just ended a turn, with
// answers that come late, and without an engine that answers.
package search_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "What moves a paddle?"

// What the person uses, and the region that the goldens hold.
var (
	region   = chromium.CSS("search")
	box      = chromium.Role("searchbox", "Search sessions")
	results  = chromium.Role("tree", "Search results")
	sessions = chromium.Role("tree", "Sessions")
	clearing = chromium.Role("button", "Clear search")
)

func do(s *scaffold.Stage, gestures ...error) {
	s.Helper()
	for _, err := range gestures {
		if err != nil {
			s.Fatalf("%v", err)
		}
	}
}

func read[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}

// write types into what has the focus.
func write(s *scaffold.Stage, text string) {
	s.Helper()
	do(s, s.Page.Type(s.Context, text))
}

// searchFor puts a query in the place of what is in the box.
func searchFor(s *scaffold.Stage, query string) {
	s.Helper()
	do(s, s.Page.Fill(s.Context, box, query))
}

// told waits until the page says something below the results.
func told(s *scaffold.Stage, words string) {
	s.Helper()
	read[any](s, `(async () => { while (document.querySelector(".search-note p")?.textContent !== "`+words+`") await new Promise(requestAnimationFrame) })()`)
}

func result(name string) chromium.Query {
	return chromium.RoleContaining("treeitem", name).Within(results)
}

func wantFocus(s *scaffold.Stage, when, want string) {
	s.Helper()
	if got := read[string](s, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.dataset.sessionId ?? document.activeElement.localName`); got != want {
		s.Errorf("%s the focus is on %q, want %q", when, got, want)
	}
}

func wantQuery(s *scaffold.Stage, when, want string) {
	s.Helper()
	if got := read[string](s, `document.querySelector("input[type=search]").value`); got != want {
		s.Errorf("%s the query is %q, want %q", when, got, want)
	}
}

// late are the queries whose answers are kept back. What else the page asks while they are typed on a slow machine, a part of one of them, is
// answered as always: nobody would let it go.
const late = `["CANAL", "gates", "gates paddles"]`

// hold keeps back the answer to each of the late queries until release names it. The page's wish to give a search up is not heard, so that its
// answer comes all the same, as one does that was on its way already.
func hold(s *scaffold.Stage) {
	s.Helper()
	read[any](s, `(() => { const ask = globalThis.ask ??= fetch; globalThis.held = new Map(); globalThis.fetch = async (...all) => {
		const query = all[0] === "/api/session.search" ? JSON.parse(all[1].body).payload.query : "";
		if (!`+late+`.includes(query)) return ask(...all);
		const answer = await ask(all[0], { ...all[1], signal: undefined });
		await new Promise(done => held.set(query, done));
		return answer } })()`)
}

// asked waits until the host has answered a query that is held.
func asked(s *scaffold.Stage, query string) {
	s.Helper()
	read[any](s, `(async () => { while (!held.has("`+query+`")) await new Promise(requestAnimationFrame) })()`)
}

// release hands an answer to the page and lets it draw.
func release(s *scaffold.Stage, query string) {
	s.Helper()
	read[any](s, `(async () => { held.get("`+query+`")(); for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame) })()`)
}

func hear(s *scaffold.Stage) { s.Helper(); read[any](s, `globalThis.fetch = ask; null`) }

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "search",
		Fixture: true,
		Seeds:   seeds(),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			findNamesAtOnce(s)
			neverShowAStaleAnswer(s)
			findInAnyScript(s)
			findNothing(s)
			findTooMuch(s)
			openWithTheKeyboard(s)
			findWhatWasJustSaid(s)
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantPrompts(prompt)
			wantHits(s, "windlass", s.SessionID())
			s.Call("session.delete", map[string]any{"sessionId": "session-locks"}, nil)
			wantHits(s, "paddles")
			s.WantDurable()
		},
	}
}

// wantHits asks the host as another client would.
func wantHits(s *scaffold.Stage, query string, ids ...string) {
	s.Helper()
	var answer struct {
		Items []struct{ SessionID string }
	}
	s.Call("session.search", map[string]any{"query": query}, &answer)
	var got []string
	for _, item := range answer.Items {
		got = append(got, item.SessionID)
	}
	if strings.Join(got, " ") != strings.Join(ids, " ") {
		s.Errorf("%q is said in %v, want %v", query, got, ids)
	}
}

// findNamesAtOnce sees the names before the host has answered, and what was said after.
func findNamesAtOnce(s *scaffold.Stage) {
	s.WaitFor(sessions)
	hold(s)
	s.Press("Control+k")
	wantFocus(s, "after Ctrl+K", "Search sessions")
	write(s, "CANAL")
	s.WaitFor(result("Canal locks"))
	if shown := s.Text("search"); strings.Contains(shown, "Breakfast") || strings.Contains(shown, "No matching") {
		s.Errorf("before the host has answered there is\n%s", shown)
	}
	asked(s, "CANAL")
	release(s, "CANAL")
	s.WaitFor(result("Breakfast"))
	s.Golden("found", region)
}

// neverShowAStaleAnswer lets the answer to an older query come after the one to the newer query.
func neverShowAStaleAnswer(s *scaffold.Stage) {
	searchFor(s, "gates")
	asked(s, "gates")
	write(s, " paddles")
	asked(s, "gates paddles")
	release(s, "gates paddles")
	s.WaitFor(result("The gates close, then the paddles open"))
	release(s, "gates")
	s.Golden("found-late", region)
	hear(s)
}

func findInAnyScript(s *scaffold.Stage) {
	searchFor(s, "汉字")
	s.WaitFor(result("每个汉字一个词"))
	s.Golden("found-chinese", region)
	searchFor(s, "CAFE")
	s.WaitFor(result("Where is the café?"))
	searchFor(s, "onerror")
	s.WaitFor(result("<img src=x onerror=alert(1)>"))
	s.Golden("found-markup", region)
}

func findNothing(s *scaffold.Stage) {
	searchFor(s, "zeppelin")
	told(s, "No matching sessions")
	s.Golden("nothing", region)
	s.Click(clearing)
	s.WaitFor(sessions)
	wantFocus(s, "after Clear search", "Search sessions")
	wantQuery(s, "after Clear search", "")
	write(s, "canal")
	s.WaitFor(result("Breakfast"))
	s.Press("Escape")
	s.WaitFor(sessions)
	wantQuery(s, "after Escape", "")
}

func findTooMuch(s *scaffold.Stage) {
	searchFor(s, "ferry")
	told(s, "Showing the first 20 results. Narrow your search.")
	if rows, err := s.Page.FindAll(s.Context, chromium.AnyName("treeitem").Within(results)); err != nil || len(rows) != 20 {
		s.Errorf("%d rows, %v", len(rows), err)
	}
	searchFor(s, "crossing 21")
	s.WaitFor(result("Note 21"))
	if shown := s.Text("search"); strings.Contains(shown, "first 20") {
		s.Errorf("there is one, and still\n%s", shown)
	}
}

// openWithTheKeyboard goes through the results and opens one; the query stays.
func openWithTheKeyboard(s *scaffold.Stage) {
	searchFor(s, "gates")
	s.WaitFor(result("Markup"))
	s.Press("ArrowDown")
	wantFocus(s, "after ArrowDown", "session-locks")
	s.Press("ArrowUp")
	wantFocus(s, "after ArrowUp", "Search sessions")
	s.Press("ArrowDown")
	s.Press("ArrowDown")
	wantFocus(s, "after ArrowDown twice", "session-breakfast")
	s.Press("Enter")
	s.WaitFor(chromium.Role("heading", "Breakfast"))
	wantQuery(s, "after a session was opened", "gates")
	s.Golden("opened", region)
	s.Press("Control+k")
	s.Press("ArrowDown")
	wantFocus(s, "after ArrowDown again", "session-locks")
	s.Press("Escape")
	wantFocus(s, "after Escape in the results", "Search sessions")
	wantQuery(s, "after Escape in the results", "")
}

// findWhatWasJustSaid has a turn, and finds what the model said in it.
func findWhatWasJustSaid(s *scaffold.Stage) {
	searchFor(s, "windlass")
	told(s, "No matching sessions")
	s.Click(clearing)
	s.Click(chromium.Role("button", "New session"))
	s.Send(prompt)
	s.Settle()
	searchFor(s, "windlass")
	s.WaitFor(result("A windlass moves it"))
	s.Golden("just-said", region)
}

func TestSearch(t *testing.T) { scaffold.Run(t, scenario()) }

// Without the engine names are found, and that this is all is said.
func TestWithoutAnEngineNamesAreFound(t *testing.T) {
	scaffold.Run(t, scaffold.Scenario{
		Name:    "search",
		Seeds:   seeds(),
		Patches: scaffold.Patch("no engine", "- id: session-search\n  disabled: true\n"),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			searchFor(s, "canal")
			told(s, "Content search is temporarily unavailable. Showing name matches.")
			s.WaitFor(result("Canal locks"))
			s.Golden("unavailable", region)
		},
	})
}

// At the width of a phone the shortcut brings the drawer, Escape first ends the search, and everything speaks the person's language.
func TestTheDrawerSearchesToo(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scaffold.Scenario{
		Name:  "search",
		Seeds: seeds(),
		Page:  chromium.ContextOptions{Width: 480, Height: 800, Locale: "zh-CN"},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Press("Control+k")
			read[any](s, `(async () => { while (document.activeElement.type !== "search") await new Promise(requestAnimationFrame) })()`)
			write(s, "gates")
			s.WaitFor(chromium.Role("tree", "搜索结果"))
			s.WaitFor(chromium.RoleContaining("treeitem", "Markup"))
			if outside := read[string](s, `JSON.stringify([...document.querySelectorAll("search, search [role=treeitem], search input")].map(e => e.getBoundingClientRect())
				.filter(r => r.left < 0 || r.right > innerWidth))`); outside != "[]" {
				s.Errorf("something is outside the window: %s", outside)
			}
			s.Press("Escape")
			wantQuery(s, "after Escape", "")
			s.WaitFor(chromium.Role("tree", "会话"))
			s.Press("Escape")
			do(s, s.Page.WaitGone(s.Context, chromium.Role("tree", "会话")))
		},
	})
}
