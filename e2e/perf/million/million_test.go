// Package million_test opens a log of a million events: the list that has it, the session itself, and pages of it. It asserts that the last
// turns are shown, and then the ones before them; what the figures should be stands in docs/performance.md.
package million_test

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
	huge  = "session-huge"
	turns = 2494 // of 401 events each: 1 000 096 with the title and the request's header
	page  = 24
	again = 5
)

func sow(ctx context.Context, store *jsonl.Store, workspace string) error {
	_, err := seed.Generate(ctx, store, seed.History{SessionID: huge, Cwd: workspace, Turns: turns, Chunks: 390, LastActivity: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	return err
}

const prompts = `document.querySelectorAll("[role=log] article[aria-label=You]").length`

func mark(name, met string) measure.Mark { return measure.Mark{Name: name, Met: met} }

func TestMillion(t *testing.T) {
	b := workbench.Open(t, workbench.Options{Row: "million", Target: "//e2e/perf/million", Sow: sow})
	row := `[data-session-id="` + huge + `"]`
	listed := mark("list", fmt.Sprintf(`document.querySelector('%s') !== null`, row))
	end := mark("last turn", fmt.Sprintf(`[...document.querySelectorAll("[role=log] [data-row-kind=user]")].at(-1)?.textContent.includes("Prompt %d:")`, turns))
	rests := mark("rests", workbench.Rests)
	for i := range again + 1 {
		when := ""
		if i == 0 {
			when = ", index being made"
		}
		times := b.Go("/", listed)
		b.Result.Add("list painted"+when, "ms", times.Painted["list"])
		times = b.Timed(measure.Click, func() { b.Click(row) }, end, rests)
		if i == 0 {
			when = ", host's first"
		}
		b.Result.Add("open: last turn painted"+when, "ms", times.Painted["last turn"])
		b.Result.Add("open: rests"+when, "ms", times.Seen["rests"])
	}
	b.Cost("with one page of turns")
	for held := page; held < 4*page; {
		held += page
		workbench.Eval[any](b, `void (document.querySelector("[role=log]").scrollTop = 0)`)
		times := b.Timed(measure.Click, func() { b.Click(".conversation-earlier button") }, mark("page", fmt.Sprintf("%s === %d", prompts, held)), rests)
		b.Result.Add("load earlier: page painted", "ms", times.Painted["page"])
	}
	b.Resident("at the end")
}
