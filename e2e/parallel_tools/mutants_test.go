package parallel_tools_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/files"
	"keylane/scaffold"
)

// withReads is the scenario with another tool for read; what it wraps is the real one.
func withReads(wrap func(tool.Tool) tool.Tool) scaffold.Scenario {
	changed := scenario()
	changed.ReplaceTools("tool-files", func(*composition.Scope) []tool.Tool {
		tools := files.New(files.Config{})
		for i, each := range tools {
			if each.Schema().Name == "read" {
				tools[i] = wrap(each)
			}
		}
		return tools
	})
	return changed
}

// isFirst tells the first of the two reads by what it reads.
func isFirst(call tool.Call) bool { return strings.Contains(string(call.Arguments), "missing.txt") }

// The call that the model made first ends last, and both run at the same time, or this would never end: results still come in the
// model's order.
func TestTheModelsOrderIsNotTheOrderInWhichCallsEnd(t *testing.T) {
	scaffold.OnlyReplay(t)
	var once sync.Once
	secondEnded := make(chan struct{})
	scaffold.Run(t, withReads(func(read tool.Tool) tool.Tool {
		return scaffold.Wrapped{Tool: read, Around: func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result {
			if !isFirst(call) {
				defer once.Do(func() { close(secondEnded) })
				return run(ctx, call)
			}
			select {
			case <-secondEnded:
			case <-ctx.Done():
			}
			return run(ctx, call)
		}}
	}))
}

// A host that gives results in the order in which calls end would be seen: here each call is given the result of the one that ended in
// its place.
func TestResultsInTheOrderOfTheirEndsWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	results := map[bool]chan tool.Result{true: make(chan tool.Result, 1), false: make(chan tool.Result, 1)}
	mutant := withReads(func(read tool.Tool) tool.Tool {
		return scaffold.Wrapped{Tool: read, Around: func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result {
			results[isFirst(call)] <- run(ctx, call)
			select {
			case others := <-results[!isFirst(call)]:
				return others
			case <-ctx.Done():
				return tool.Failed("AbortError", "ABORTED", "the other call never came")
			}
		}}
	})
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "has other tool results", "calls and results came in this order:\ncall read, call read, result, failed result,", "settled.aria differs")
}

// A host that runs one call after the other would be seen.
func TestCallsThatWaitForEachOtherWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := withReads(func(read tool.Tool) tool.Tool { return scaffold.Wrapped{Tool: read, Alone: true} })
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "calls and results came in this order:\ncall read, failed result, call read, result,")
}
