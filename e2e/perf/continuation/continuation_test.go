// Package continuation_test goes on in a session of 500 turns: once as it is opened, with its last 24 turns, and once with all of them loaded.
// What a turn costs should not depend on how much is shown above it. The eight turns are the same in both rows: two run a command, the last
// has a prompt of 8 232 characters in several languages and a paced answer of 120 deltas. It asserts that every turn arrived whole, on the
// page and on disk; what the figures should be stands in docs/performance.md.
package continuation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"keylane/host/persistence/jsonl"
	"keylane/scaffold/measure"
	"keylane/scaffold/workbench"
	"keylane/seed"
)

const (
	id    = "session-long"
	turns = 500
	page  = 24
)

const prompts = `document.querySelectorAll("[role=log] article[aria-label=You]").length`

func mark(name, met string) measure.Mark { return measure.Mark{Name: name, Met: met} }

func sow(ctx context.Context, store *jsonl.Store, workspace string) error {
	_, err := seed.Generate(ctx, store, seed.History{SessionID: id, Cwd: workspace, Turns: turns, LastActivity: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	return err
}

// mixed is 8 200 characters of several scripts; the prompt's number makes it 8 232.
func mixed() string {
	const piece = "How does water rise in a lock? 闸室里的水如何上升？Wie steigt das Wasser in der Schleuse? Как поднимается вода? 水門の中で。 "
	runes := []rune(strings.Repeat(piece, 200))
	return string(runes[:8232-len("(turn 8) ")])
}

func plan() []workbench.Prompt {
	var all []workbench.Prompt
	for number := 1; number <= 7; number++ {
		all = append(all, workbench.Prompt{Number: number, Bash: number%3 == 0})
	}
	return append(all, workbench.Prompt{Number: 8, Text: mixed(), Deltas: 120, Pace: 8 * time.Millisecond})
}

func run(t *testing.T, row string, expand bool) {
	b := workbench.Open(t, workbench.Options{Row: row, Target: "//e2e/perf/continuation", Sow: sow})
	b.Go("/s/"+id, mark("turns", fmt.Sprintf("%s === %d", prompts, page)))
	for held := page; expand && held < turns; {
		held = min(held+page, turns)
		workbench.Eval[any](b, `void (document.querySelector("[role=log]").scrollTop = 0)`)
		b.Timed(measure.Click, func() { b.Click(".conversation-earlier button") }, mark("page", fmt.Sprintf("%s === %d", prompts, held)), mark("rests", workbench.Rests))
	}
	if expand { // a person who writes has come back to the end
		workbench.Eval[any](b, `void (document.querySelector("[role=log]").scrollTop = 1e9)`)
		if err := b.Page.Frames(b.Context(), 2); err != nil {
			b.Fatal(err)
		}
	}
	b.Choose("deepseek-v4-flash") // the model of the history is gone
	b.Cost("before")
	all := plan()
	for _, prompt := range all {
		series := "text"
		switch {
		case prompt.Bash:
			series = "command"
		case prompt.Text != "":
			series = "long"
		case prompt.Number == 1:
			series = "first" // the host opens the log to go on with it
		}
		b.Turn(series, prompt)
	}
	b.Cost("after eight turns")
	b.WantTurns("all turns", all...)
	b.ProfileTurn(row, workbench.Prompt{Number: 9, Deltas: 60, Pace: 8 * time.Millisecond})
}

func TestContinueWindow(t *testing.T) { run(t, "continue_window", false) }

func TestContinueExpanded(t *testing.T) { run(t, "continue_expanded", true) }
