package todo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/session"
	"keylane/host/tool"
	"keylane/host/tool/todo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func call(t *testing.T, arguments string) tool.Result {
	t.Helper()
	registry := tool.NewRegistry()
	if _, err := registry.Register(todo.New()); err != nil {
		t.Fatal(err)
	}
	return registry.Execute(t.Context(), "todo_write", arguments, tool.Call{})
}

func TestAListBecomesAnEventAndACard(t *testing.T) {
	got := call(t, `{"todos":[{"content":"Read <it>","status":"completed"},{"content":"Write it","status":"in_progress"},{"content":"Ship it","status":"pending"}]}`)
	want := tool.Result{
		Text: "The list has 3 entries: 1 completed, 1 in progress, 1 pending.",
		Meta: []byte(`{"card":"todos","todos":[{"content":"Read <it>","status":"completed"},{"content":"Write it","status":"in_progress"},{"content":"Ship it","status":"pending"}]}`),
		Events: []tool.Event{{Type: session.TypeTodoWrite, Data: session.TodoWrite{Todos: []session.Todo{
			{Content: "Read <it>", Status: todo.Completed}, {Content: "Write it", Status: todo.InProgress}, {Content: "Ship it", Status: todo.Pending}}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := call(t, `{"todos":[]}`); got.Text != "The list is empty." || len(got.Events) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAListThatIsNoneIsAResultAndNoEvent(t *testing.T) {
	for arguments, code := range map[string]string{
		`{}`:                          tool.CodeInvalidArguments,
		`{"todos":[{"content":"a"}]}`: tool.CodeInvalidArguments,
		`{"todos":[{"content":"a","status":"done"}]}`:                                               tool.CodeInvalidArguments,
		`{"todos":[{"content":" ","status":"pending"}]}`:                                            todo.CodeInvalidList,
		`{"todos":[{"content":"a","status":"in_progress"},{"content":"b","status":"in_progress"}]}`: todo.CodeInvalidList,
	} {
		if got := call(t, arguments); !got.IsError || got.Error.Code != code || got.Events != nil {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
}

func TestACallShowsWhatItIsAboutBeforeItHasAResult(t *testing.T) {
	registry := tool.NewRegistry()
	if _, err := registry.Register(todo.New()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{{`{"todos":[{"content":"<a>","status":"pending"}]}`, `{"card":"todos","todos":[{"content":"<a>","status":"pending"}]}`}, {`{"todos":1}`, ""}} {
		if got := string(registry.Present("todo_write", c.arguments, "/folder")); got != c.want {
			t.Errorf("%s looks like %s, want %s", c.arguments, got, c.want)
		}
	}
}
