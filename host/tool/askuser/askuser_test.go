package askuser_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const two = `{"questions":[
	{"id":"color","question":"Which <colours>?","header":"Colours","multi_select":true,"options":[{"label":"Red","description":"warm"},{"label":"Blue"}]},
	{"id":"size","question":"How large?","options":[{"label":"Small"},{"label":"Large"}]}]}`

// asking is a call that waits, and what the desk told of it.
type asking struct {
	desk    *askuser.Desk
	changes chan askuser.Change
	result  chan tool.Result
	id      string
}

func ask(t *testing.T, ctx context.Context, arguments string) *asking {
	t.Helper()
	a := &asking{desk: askuser.NewDesk(clock.System()), changes: make(chan askuser.Change, 10), result: make(chan tool.Result, 1)}
	dispose := a.desk.Observe(func(c askuser.Change) { a.changes <- c })
	t.Cleanup(dispose)
	registry := tool.NewRegistry()
	if _, err := registry.Register(askuser.New(a.desk)); err != nil {
		t.Fatal(err)
	}
	go func() {
		a.result <- registry.Execute(ctx, "ask_user_question", arguments, tool.Call{SessionID: "s", CallID: "c"})
	}()
	return a
}

func (a *asking) begun(t *testing.T) *asking {
	t.Helper()
	select {
	case c := <-a.changes:
		if c.Outcome != askuser.Asked || c.Request.SessionID != "s" || c.Request.CallID != "c" {
			t.Fatalf("%+v", c)
		}
		a.id = c.Request.ID
	case r := <-a.result:
		t.Fatalf("it did not wait: %+v", r)
	}
	return a
}

func (a *asking) ended(t *testing.T, outcome askuser.Outcome) tool.Result {
	t.Helper()
	if c := <-a.changes; c.Outcome != outcome || c.Request.ID != a.id {
		t.Errorf("%+v, want %s", c, outcome)
	}
	return <-a.result
}

func TestAnAnswerIsTheResult(t *testing.T) {
	a := ask(t, t.Context(), two).begun(t)
	answers := []askuser.Answer{{ID: "color", Selected: []string{"Blue", "Red"}, Custom: "and <green>"}, {ID: "size", Selected: []string{}}}
	if err := a.desk.Answer(a.id, "s", answers); err != nil {
		t.Fatal(err)
	}
	got := a.ended(t, askuser.Answered)
	want := tool.Result{
		Text: `{"answers":[{"id":"color","selected":["Blue","Red"],"custom":"and <green>"},{"id":"size","selected":[]}]}`,
		Meta: []byte(`{"card":"question","outcome":"answered","questions":[{"id":"color","question":"Which <colours>?","header":"Colours",` +
			`"options":[{"label":"Red","description":"warm"},{"label":"Blue"}],"multiSelect":true},` +
			`{"id":"size","question":"How large?","options":[{"label":"Small"},{"label":"Large"}]}],` +
			`"answers":[{"id":"color","selected":["Blue","Red"],"custom":"and <green>"},{"id":"size","selected":[]}]}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := a.desk.Answer(a.id, "s", answers); !errors.Is(err, askuser.ErrNotPending) {
		t.Errorf("answered twice: %v", err)
	}
}

func TestADismissalAndAnAbortAreResults(t *testing.T) {
	a := ask(t, t.Context(), two).begun(t)
	if err := a.desk.Dismiss(a.id); err != nil {
		t.Fatal(err)
	}
	if got := a.ended(t, askuser.Cancelled); !got.IsError || got.Error.Code != askuser.CodeDismissed || !strings.Contains(string(got.Meta), `"outcome":"dismissed"`) {
		t.Errorf("%+v", got)
	}
	if err := a.desk.Dismiss(a.id); !errors.Is(err, askuser.ErrNotPending) {
		t.Errorf("dismissed twice: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a = ask(t, ctx, two).begun(t)
	cancel()
	if got := a.ended(t, askuser.Cancelled); !got.IsError || got.Error.Code != askuser.CodeAborted || !strings.Contains(string(got.Meta), `"outcome":"withdrawn"`) {
		t.Errorf("%+v", got)
	}
	if err := a.desk.Answer(a.id, "s", nil); !errors.Is(err, askuser.ErrNotPending) {
		t.Errorf("answered after the abort: %v", err)
	}
}

func TestAnAnswerThatDoesNotFitChangesNothing(t *testing.T) {
	a := ask(t, t.Context(), two).begun(t)
	fine := askuser.Answer{ID: "size", Selected: []string{"Large"}}
	for words, answers := range map[string][]askuser.Answer{
		"1 answers to 2 questions": {fine},
		`for question "size"`:      {fine, fine},
		"say nothing":              {{ID: "color", Custom: " "}, fine},
		`no option "Green"`:        {{ID: "color", Selected: []string{"Green"}}, fine},
		`"Red" is selected twice`:  {{ID: "color", Selected: []string{"Red", "Red"}}, fine},
		"only one option":          {{ID: "color"}, {ID: "size", Selected: []string{"Small", "Large"}}},
		"an option and words":      {{ID: "color"}, {ID: "size", Selected: []string{"Small"}, Custom: "or so"}},
	} {
		if err := a.desk.Answer(a.id, "s", answers); !errors.Is(err, askuser.ErrInvalid) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	if err := a.desk.Answer(a.id, "other", []askuser.Answer{{ID: "color"}, fine}); !errors.Is(err, askuser.ErrNotPending) {
		t.Errorf("another session answered: %v", err)
	}
	if err := a.desk.Answer(a.id, "s", []askuser.Answer{{ID: "color"}, fine}); err != nil {
		t.Error(err)
	}
	if got := a.ended(t, askuser.Answered); got.Text != `{"answers":[{"id":"color","selected":[]},{"id":"size","selected":["Large"]}]}` {
		t.Error(got.Text)
	}
}

func TestWhoObservesLaterLearnsWhatWaits(t *testing.T) {
	a := ask(t, t.Context(), two).begun(t)
	var seen []string
	dispose := a.desk.Observe(func(c askuser.Change) { seen = append(seen, c.Request.ID+string(c.Outcome)) })
	defer dispose()
	if diff := cmp.Diff([]string{a.id}, seen); diff != "" {
		t.Error(diff)
	}
	if err := a.desk.Dismiss(a.id); err != nil {
		t.Fatal(err)
	}
	a.ended(t, askuser.Cancelled)
}

func TestQuestionsThatCannotBeAskedAreAResult(t *testing.T) {
	for arguments, code := range map[string]string{
		`{"questions":[]}`:                         tool.CodeInvalidArguments,
		`{"questions":[{"id":"a","question":""}]}`: tool.CodeInvalidArguments,
		`{"questions":[{"id":"a","question":"?"},{"id":"a","question":"?"}]}`:               askuser.CodeInvalidQuestions,
		`{"questions":[{"id":"a","question":"?","options":[{"label":"x"},{"label":"x"}]}]}`: askuser.CodeInvalidQuestions,
	} {
		a := ask(t, t.Context(), arguments)
		if got := <-a.result; !got.IsError || got.Error.Code != code {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
}

func TestACallShowsWhatItIsAboutBeforeItHasAResult(t *testing.T) {
	registry := tool.NewRegistry()
	if _, err := registry.Register(askuser.New(askuser.NewDesk(clock.System()))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{{`{"questions":[{"id":"q","question":"Why?"}]}`, `{"card":"question","questions":[{"id":"q","question":"Why?"}]}`}, {`{"questions":[{"id":"q","question":"A"},{"id":"q","question":"B"}]}`, ""}} {
		if got := string(registry.Present("ask_user_question", c.arguments, "/folder")); got != c.want {
			t.Errorf("%s looks like %s, want %s", c.arguments, got, c.want)
		}
	}
}
