package todos_test

import (
	"context"
	"testing"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/todo"
	"keylane/scaffold"
)

// A panel that shows the list of the last page load, and does not follow what happens, would be seen.
func TestAPanelThatDoesNotFollowWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `\.type==="todo/write"&&`, Put: `.type==="never"&&`}}
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(prompt)
		s.Settle()
		s.Golden("closed", conversation)
	}
	mutant.Check = nil
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "closed.aria differs", `-  - region "To-dos"`)
}

// A tool that answers well, and whose list never comes into the log, would be seen.
func TestAListThatIsNotKeptWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.ReplaceTools("tool-todo", func(*composition.Scope) []tool.Tool {
		return []tool.Tool{scaffold.Wrapped{
			Tool: todo.New(),
			Around: func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result {
				result := run(ctx, call)
				result.Events = nil
				return result
			},
		}}
	})
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		for _, said := range []string{prompt, answer} {
			s.Send(said)
			s.Settle()
		}
	}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the log holds other to-do lists")
}
