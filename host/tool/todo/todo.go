// Package todo is the tool with which a model keeps its to-do list, for itself and for the person who watches.
//
// A call carries the whole list and replaces the one before it. The list is an event of the log, todo/write, which the agent appends
// beside the result; the last one is the session's list (session.Projection). The tool itself remembers nothing.
package todo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/host/tool"
)

// Statuses of an entry.
const (
	Pending    = session.TodoPending
	InProgress = session.TodoInProgress
	Completed  = session.TodoCompleted
)

// CodeInvalidList is the error code of a list that the schema cannot rule out.
const CodeInvalidList = "INVALID_TODOS"

// New makes the tool.
func New() tool.Tool { return todos{} }

type todos struct{}

type arguments struct {
	Todos []entry `json:"todos" schema:"required,max=100" about:"The whole list, in the order of the work; an empty one removes it"`
}

// entry is a session.Todo as a model writes it.
type entry struct {
	Content string             `json:"content" schema:"required,min=1,max=500" about:"What is to be done, in a few words"`
	Status  session.TodoStatus `json:"status" schema:"required,of=pending|in_progress|completed"`
}

// Schema is what the model is shown.
func (todos) Schema() llm.ToolSchema {
	return llm.ToolSchema{
		Name: "todo_write",
		Description: "Replaces your to-do list, which the person sees. Use it for work of several steps: write the list first, keep exactly " +
			"one entry in_progress while you work, and mark each one completed as soon as it is.",
		Parameters: tool.Parameters[arguments](),
	}
}

// card is what the page shows of a call.
type card struct {
	Card  string         `json:"card"` // "todos"
	Todos []session.Todo `json:"todos"`
}

// Present shows the list as it will be.
func (todos) Present(c tool.Call) json.RawMessage {
	var list session.TodoWrite
	if json.Unmarshal(c.Arguments, &list) != nil {
		return nil
	}
	view, err := encode(card{"todos", list.Todos})
	if err != nil {
		return nil
	}
	return view
}

// Run checks the list and hands it to the log.
func (todos) Run(_ context.Context, c tool.Call) tool.Result {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
	}
	counts := map[session.TodoStatus]int{}
	list := session.TodoWrite{Todos: make([]session.Todo, len(args.Todos))}
	for i, entry := range args.Todos {
		list.Todos[i] = session.Todo(entry)
		if strings.TrimSpace(entry.Content) == "" {
			return tool.Failed("TodoError", CodeInvalidList, fmt.Sprintf("entry %d says nothing. Write what is to be done.", i+1))
		}
		counts[entry.Status]++
	}
	if counts[InProgress] > 1 {
		return tool.Failed("TodoError", CodeInvalidList, fmt.Sprintf("%d entries are in_progress. Work on one at a time.", counts[InProgress]))
	}
	meta, err := encode(card{"todos", list.Todos})
	if err != nil {
		return tool.Failed("InternalError", tool.CodeInternal, err.Error())
	}
	text := fmt.Sprintf("The list has %d entries: %d completed, %d in progress, %d pending.",
		len(list.Todos), counts[Completed], counts[InProgress], counts[Pending])
	if len(list.Todos) == 0 {
		text = "The list is empty."
	}
	return tool.Result{Text: text, Meta: meta, Events: []tool.Event{{Type: session.TypeTodoWrite, Data: list}}}
}

// encode leaves < > & as they are: the card goes into the log, which has text as it was written.
func encode(v card) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("todo: encoding the card: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
