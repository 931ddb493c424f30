// Package workbench is what a row of figures stands on: the built command in a home of its own with sessions from before, a made-up model
// that always answers, one page in the pinned Chromium, and gestures that are timed by the page's clock (package measure).
//
//	func TestSoak(t *testing.T) {
//		bench := workbench.Open(t, workbench.Options{Row: "soak", Target: "//e2e/perf/soak"})
//		bench.Go("/")
//		for turn := range 100 {
//			bench.Turn(workbench.Prompt{Number: turn + 1})
//		}
//		bench.WantTurns(100)
//	}
//
// A row asserts that everything arrived, whole and once (the log on disk is the witness), never how fast: a machine's speed is no contract.
// What it measured is written when the test ends, also when it fails, as <row>.json; see measure.Result.
//
// It differs from a scenario of package scaffold on purpose. There the host lives in the test's process and is asked about everything that
// happens; here it is a process of its own that nobody disturbs while it is measured.
package workbench
