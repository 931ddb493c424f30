// Package soak_test goes on and on in one session: a hundred turns in one page, a command every tenth, and every ten turns what the page holds
// after a collection. Then one turn more, from the trusted click to the transcript and to the painted frame. It asserts that every turn arrived
// whole, on the page and on disk; what the figures should be stands in docs/performance.md.
package soak_test

import (
	"fmt"
	"testing"

	"keylane/scaffold/workbench"
)

const (
	turns  = 100
	window = 10
)

func TestSoak(t *testing.T) {
	bench := workbench.Open(t, workbench.Options{Row: "soak", Target: "//e2e/perf/soak"})
	bench.Go("/")
	var all []workbench.Prompt
	for number := 1; number <= turns; number++ {
		prompt := workbench.Prompt{Number: number, Bash: number%window == 0}
		all = append(all, prompt)
		bench.Turn(named(number), prompt)
		if number%window == 0 {
			bench.Cost(after(number))
			bench.Resident(after(number))
		}
	}
	bench.WantTurns("all turns", all...)
	last := workbench.Prompt{Number: turns + 1}
	bench.Turn("turn 101", last)
	bench.WantTurns("turn 101", last)
	if shown := workbench.Eval[int](bench, `document.querySelectorAll("[data-row-kind=failure], [data-row-kind=retry]").length`); shown > 0 {
		t.Errorf("%d rows tell of failures", shown)
	}
}

// named names the window of turns that a turn belongs to.
func named(turn int) string {
	first := (turn-1)/window*window + 1
	return fmt.Sprintf("turns %d–%d", first, first+window-1)
}

func after(turn int) string { return fmt.Sprintf("after turn %d", turn) }
