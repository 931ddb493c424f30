// Package workspace_1000_test measures a home after a year: a thousand short sessions and one of 500 turns with 500 tool calls. The host's start,
// the page's first paint, the list and moving in it, search by content, opening the long session, paging to its beginning, leaving and
// coming back, and the trajectory. It asserts that what was asked for is shown; what the figures should be stands in docs/performance.md.
package workspace_1000_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"keylane/host/persistence/jsonl"
	"keylane/scaffold/measure"
	"keylane/scaffold/workbench"
	"keylane/seed"
)

const (
	sessions = 1000
	long     = "session-long"
	turns    = 500
	page     = 24 // turns
	// again is how often what can be repeated is.
	again = 5
)

func sow(ctx context.Context, store *jsonl.Store, workspace string) error {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range sessions {
		_, err := seed.Generate(ctx, store, seed.History{SessionID: fmt.Sprintf("session-%04d", i), Cwd: workspace, Turns: 1 + i%5, LastActivity: at.Add(-time.Duration(i) * time.Hour)})
		if err != nil {
			return err
		}
	}
	_, err := seed.Generate(ctx, store, seed.History{SessionID: long, Cwd: workspace, Turns: turns, LastActivity: at.Add(time.Hour)})
	return err
}

// What stands in the page.
const (
	listed   = `document.querySelectorAll('[role=tree][aria-label="Sessions"] [role=treeitem]').length > 10`
	found    = `document.querySelectorAll('[role=tree][aria-label="Search results"] [role=treeitem]').length > 0 && document.querySelector(".search-note p")?.textContent !== "Searching…"`
	atEnd    = `document.querySelector("[role=log] article:last-of-type") !== null && [...document.querySelectorAll("[role=log] [data-row-kind=user]")].at(-1)?.textContent.includes("Prompt 500:")`
	records  = `document.querySelectorAll("tr[data-record]").length > 10`
	prompts  = `document.querySelectorAll("[role=log] article[aria-label=You]").length`
	shownRow = `[data-session-id="` + long + `"]`
)

func mark(name, met string) measure.Mark { return measure.Mark{Name: name, Met: met} }

var rests = mark("rests", workbench.Rests)

func TestWorkspace1000(t *testing.T) {
	b := workbench.Open(t, workbench.Options{Row: "workspace_1000", Target: "//e2e/perf/workspace_1000", Sow: sow})
	firstVisits(b)
	sidebar(b)
	searching(b)
	opening(b)
	paging(b)
	trajectory(b)
	remount(b)
	loadAll(b)
	b.Resident("at the end")
}

// firstVisits loads the start page: once while the store's index is made, then as on any day.
func firstVisits(b *workbench.Bench) {
	for i := range again + 1 {
		when := ""
		if i == 0 {
			when = ", index being made"
		}
		times := b.Go("/", mark("list", listed))
		b.Result.Add("first paint"+when, "ms", workbench.Eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		b.Result.Add("list painted"+when, "ms", times.Painted["list"])
		b.Result.Add("page rests"+when, "ms", times.Seen["rests"])
	}
	b.Cost("of the start page")
}

// sidebar goes to the last session and back, and folds the groups away and out again.
func sidebar(b *workbench.Bench) {
	const row = `[...document.querySelectorAll('[role=tree] [role=treeitem]')]`
	for range again {
		workbench.Eval[any](b, `void document.querySelector('[role=tree] [role=treeitem][tabindex="0"]').focus()`)
		times := b.Timed(measure.Key, func() { b.Press("End") }, mark("last", row+`.some((each) => each.ariaPosInSet === each.ariaSetSize && each.ariaSetSize > 1000)`))
		b.Result.Add("sidebar: to the last session, painted", "ms", times.Painted["last"])
		times = b.Timed(measure.Key, func() { b.Press("Home") }, mark("first", row+`.some((each) => each.dataset.sessionId === "`+long+`")`))
		b.Result.Add("sidebar: to the first, painted", "ms", times.Painted["first"])
	}
}

// searching looks for words that were said; each is asked for once. The first search makes the index.
func searching(b *workbench.Bench) {
	for i, words := range []string{"rises", "boat level", "slowly", "闸门", "prompt 499", "keeps a boat"} {
		when := ""
		if i == 0 {
			when = ", index being made"
		}
		b.Click("search input")
		workbench.Eval[any](b, `void document.querySelector("search input").select()`)
		times := b.Timed(measure.Input, func() { b.Put(words) }, mark("found", found), rests)
		b.Result.Add("search by content, painted"+when, "ms", times.Painted["found"])
		b.Press("Escape")
	}
}

// opening opens the long session from the list, in a page that has not held it yet.
func opening(b *workbench.Bench) {
	for range again {
		b.Go("/", mark("list", listed))
		times := b.Timed(measure.Click, func() { b.Click(shownRow) }, mark("last turn", atEnd), rests)
		b.Result.Add("open 500 turns: last turn painted", "ms", times.Painted["last turn"])
		b.Result.Add("open 500 turns: rests", "ms", times.Seen["rests"])
		b.Result.Add("open 500 turns: rests, painted", "ms", times.Painted["rests"])
	}
	if held := workbench.Eval[int](b, prompts); held != page {
		b.Errorf("%d turns are shown, want %d", held, page)
	}
	b.Cost("with one page of turns")
}

// paging goes to the beginning.
func paging(b *workbench.Bench) {
	begin := time.Now()
	for held := page; held < turns; {
		held = min(held+page, turns)
		workbench.Eval[any](b, `void (document.querySelector("[role=log]").scrollTop = 0)`)
		times := b.Timed(measure.Click, func() { b.Click(".conversation-earlier button") }, mark("page", fmt.Sprintf("%s === %d", prompts, held)), rests)
		b.Result.Add("load earlier: page painted", "ms", times.Painted["page"])
	}
	b.Result.Add("to the beginning", "ms", float64(time.Since(begin).Milliseconds()))
	if first := workbench.Eval[string](b, `document.querySelector("[role=log] [data-row-kind=user]").textContent`); len(first) < 9 || first[:9] != "Prompt 1:" {
		b.Errorf("the first turn begins with %q", first)
	}
	b.Cost("with 500 turns")
}

// remount leaves the session for another one, and comes back.
func remount(b *workbench.Bench) {
	for range again {
		b.Timed(measure.Click, func() { b.Click(`[data-session-id="session-0000"]`) },
			mark("other", `document.documentElement.dataset.session === "session-0000"`), rests)
		times := b.Timed(measure.Click, func() { b.Click(shownRow) }, mark("back", fmt.Sprintf("%s >= %d", prompts, page)), rests)
		b.Result.Add("back from another session, painted", "ms", times.Painted["back"])
	}
}

// trajectory shows the whole log, which the page has by then, as a table, looks for something in it, and goes back to the chat.
func trajectory(b *workbench.Bench) {
	times := b.Timed(measure.Click, func() { b.ClickText("[role=tab]", "Trajectory") }, mark("records", records), rests)
	b.Result.Add("trajectory: first, painted", "ms", times.Painted["records"])
	b.Result.Add("trajectory: records", "count", workbench.Eval[float64](b, `Number(document.querySelector(".record-table").ariaRowCount)`))
	for range again {
		times = b.Timed(measure.Click, func() { b.ClickText("[role=tab]", "Chat") }, mark("chat", `document.querySelector("[role=log]") !== null`), rests)
		b.Result.Add("trajectory to 500 turns of chat, painted", "ms", times.Painted["chat"])
		times = b.Timed(measure.Click, func() { b.ClickText("[role=tab]", "Trajectory") }, mark("records", records), rests)
		b.Result.Add("500 turns of chat to trajectory, painted", "ms", times.Painted["records"])
		b.Click(`input[aria-label="Search trajectory"]`)
		workbench.Eval[any](b, `void document.activeElement.select()`)
		times = b.Timed(measure.Input, func() { b.Put("Prompt 499") }, mark("found", `/of/.test(document.querySelector(".trajectory-found").textContent)`), rests)
		b.Result.Add("trajectory: search, painted", "ms", times.Painted["found"])
		b.Press("Escape")
	}
	if rows := workbench.Eval[int](b, `document.querySelectorAll("tr[data-record]").length`); rows > 80 {
		b.Errorf("%d rows of the trajectory are in the document", rows)
	}
}

// loadAll opens the long session's trajectory by its address and fetches the whole log.
func loadAll(b *workbench.Bench) {
	for range again {
		times := b.Go("/s/"+long+"/trajectory", mark("records", records))
		b.Result.Add("trajectory by its address, painted", "ms", times.Painted["records"])
		workbench.Eval[any](b, `void [...document.querySelectorAll(".records-earlier button")].at(-1).focus({ preventScroll: true })`)
		times = b.Timed(measure.Key, func() { b.Press("Enter") }, mark("all", `document.querySelector(".records-earlier") === null`), rests)
		b.Result.Add("trajectory: load all, painted", "ms", times.Painted["all"])
	}
}
