package scaffold

import (
	"context"
	"fmt"
	"slices"

	"keylane/host/composition"
	"keylane/host/tool"
)

// ReplaceTools puts other tools in the place of those that a row registers: the row is disabled, and a row of a plugin of this scenario's
// own registers what build makes of the services in needs (besides the tool registry itself). It is for mutants, and for tools that watch
// what the real ones do; those wrap what the product's packages hand out, and keep its schemas, because a model is offered the same.
func (s *Scenario) ReplaceTools(row string, build func(*composition.Scope) []tool.Tool, needs ...composition.Key) {
	name := row + "-replaced"
	s.Plugins = append(slices.Clip(s.Plugins), composition.Define(name, "stands in for "+row, composition.Definition[struct{}]{
		Needs: append([]composition.Key{tool.Service}, needs...),
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			for _, each := range build(scope) {
				dispose, err := composition.Need(scope, tool.Service).Register(each)
				if err != nil {
					return fmt.Errorf("scaffold: replacing the tools of %s: %w", row, err)
				}
				scope.OnDispose("tool "+each.Schema().Name, func(context.Context) error { dispose(); return nil })
			}
			return nil
		},
	}))
	patch := fmt.Sprintf("- id: %s\n  disabled: true\n- insert:\n  - {id: %s, plugin: %s}\n", row, name, name)
	s.Patches = append(slices.Clip(s.Patches), Patch("other tools for "+row, patch)...)
}

// A Wrapped tool is another one with some of its ways changed: what is nil stays as it is. It asks nobody for leave, as all tools of the
// lane do; a mutant of approval needs more than this.
type Wrapped struct {
	tool.Tool
	// Around runs in the place of Run, and may call it.
	Around func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result
	// Alone says that no call runs beside others, whatever the tool says.
	Alone bool
}

// Run runs Around, or the tool.
func (w Wrapped) Run(ctx context.Context, call tool.Call) tool.Result {
	if w.Around == nil {
		return w.Tool.Run(ctx, call)
	}
	return w.Around(ctx, w.Tool.Run, call)
}

// Parallel is the tool's own, unless its calls run alone.
func (w Wrapped) Parallel() bool {
	parallel, ok := w.Tool.(tool.Parallel)
	return ok && parallel.Parallel() && !w.Alone
}
