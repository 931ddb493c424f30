// Package todos_test is the agent's to-do list: each call of todo_write is an event with the whole list, the page shows the last one
// above the composer as long as there is something to do, and every call's own list in its row.
package todos_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	prompt = "Write me a greeting, in three steps."
	answer = "It does."
)

var conversation = chromium.Role("main", "Conversation")

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "todos",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
			if s.Mode() != scaffold.Record {
				waiting(s)
			}
			s.Send(answer)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed")
			s.WantToolResults(
				"The list has 3 entries: 0 completed, 1 in progress, 2 pending.",
				"[no output]",
				"The list has 3 entries: 2 completed, 1 in progress, 0 pending.",
				"The list has 3 entries: 3 completed, 0 in progress, 0 pending.",
			)
			wantLists(s, "in_progress pending pending", "completed completed in_progress", "completed completed completed")
			s.Golden("all-done", conversation) // the dock is gone
			s.Click(chromium.Role("button", "Update to-dos: 0 of 3 done"))
			s.Golden("row-open", conversation)
			s.WantDurable()
			s.WantWireInShape()
		},
	}
}

func TestTodos(t *testing.T) {
	scaffold.Run(t, scenario())
}

// waiting looks at the page between the turns, where the list has an open entry.
func waiting(s *scaffold.Stage) {
	s.Helper()
	s.Golden("closed", conversation)
	s.Click(chromium.Role("button", "To-dos, 2 of 3 done"))
	s.Golden("open", conversation)
	s.Reload()
	s.Settle()
	s.Golden("closed", conversation)
}

func wantLists(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, event := range s.Events() {
		if event.Type != session.TypeTodoWrite {
			continue
		}
		var list session.TodoWrite
		if err := json.Unmarshal(event.Data, &list); err != nil {
			s.Fatalf("%v", err)
		}
		statuses := ""
		for i, entry := range list.Todos {
			if i > 0 {
				statuses += " "
			}
			statuses += string(entry.Status)
		}
		got = append(got, statuses)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the log holds other to-do lists (-want +got):\n%s", diff)
	}
}
