package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
)

func newTestLog(t *testing.T, seed ...Event) *Log {
	t.Helper()
	log, err := NewLog(testHeader, seed, clock.NewManual(time.UnixMilli(5000), 1))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestAppendNumbersAndTimesEventsAndTellsObservers(t *testing.T) {
	log := newTestLog(t)
	var seen []Event
	dispose := log.Observe(func(e Event) {
		if log.Len() != e.Seq+1 || log.Projection().Turns == 0 {
			t.Error("the observer was told before the event was in the log")
		}
		seen = append(seen, e)
	})
	first, err := log.Append(TypeTurnStart, TurnStart{Turn: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := Event{Type: TypeTurnStart, Seq: 0, Time: 5000, Data: json.RawMessage(`{"turn":1}`)}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	dispose()
	if _, err := log.Append(TypeTurnEnd, TurnEnd{Turn: 1, Reason: TurnReason{Kind: ReasonCompleted}}, WithIgnorable()); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || log.Len() != 2 || !log.Events(1, -1)[0].Ignorable {
		t.Errorf("observer saw %d events, the log has %d", len(seen), log.Len())
	}
}

func TestAppendRefusesAndThenNothingWasAdded(t *testing.T) {
	log := newTestLog(t, sequence(userEvent("a", "hello"))...)
	message := Message{ID: "m", Role: RoleUser, Content: []Block{}, Source: Source{Kind: SourceUser}}
	before := log.Len()
	for name, c := range map[string]struct {
		typ     string
		data    any
		options []AppendOption
		want    string
	}{
		"no type":           {"", EndSeed{}, nil, "no type"},
		"reserved type":     {tagText, EndSeed{}, nil, "reserved"},
		"not a number":      {"x", math.NaN(), nil, "NaN"},
		"channel":           {"x", make(chan int), nil, "unsupported"},
		"duplicate keys":    {"x", json.RawMessage(`{"a":1,"a":2}`), nil, "twice"},
		"message alone":     {TypeUserMessage, message, nil, "surfaceOp is missing"},
		"surface elsewhere": {TypeTurnStart, TurnStart{1}, []AppendOption{WithSurfaceAppend()}, "only messages"},
		"sources elsewhere": {TypeTurnStart, TurnStart{1}, []AppendOption{WithSources()}, "only messages"},
		"wrong role":        {TypeAssistantMessage, AssistantMessage{Message: message}, []AppendOption{WithSurfaceAppend()}, "role"},
		"future source":     {TypeUserMessage, message, []AppendOption{WithSurfaceAppend(), WithSources(before)}, "not an earlier event"},
		"source twice":      {TypeUserMessage, message, []AppendOption{WithSurfaceAppend(), WithSources(0, 0)}, "twice"},
		"no sources":        {TypeUserMessage, message, []AppendOption{WithSurfaceAppend(), WithSources()}, "empty"},
		"replace nothing":   {TypeUserMessage, message, []AppendOption{WithReplace(1, 1), WithSources(1)}, "not in the history"},
		"replace uncited":   {TypeUserMessage, message, []AppendOption{WithReplace(0, 0)}, "without naming it"},
		"tool over user": {TypeToolResult, ToolResult{Message: Message{ID: "r", Role: RoleUser, Source: Source{Kind: SourceTool, CallID: "c"},
			Content: []Block{{Type: BlockToolResult, ToolCallID: "c"}}}}, []AppendOption{WithReplace(0, 0), WithSources(0)}, "exactly one tool result"},
	} {
		_, err := log.Append(c.typ, c.data, c.options...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if log.Len() != before {
		t.Errorf("%d events were added", log.Len()-before)
	}
}

func TestAnObserverMayNotAppend(t *testing.T) {
	log, other := newTestLog(t), newTestLog(t)
	var own, foreign error
	log.Observe(func(Event) {
		_, own = log.Append("x", 1)
		_, foreign = other.Append("x", 1)
	})
	if _, err := log.Append("x", 1); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(own, ErrReentrant) || foreign != nil || log.Len() != 1 || other.Len() != 1 {
		t.Errorf("own log: %v, other log: %v", own, foreign)
	}
}

// Two logs whose observers append to each other would wait for ever.
func TestLogsWhoseObserversAppendToEachOtherAreRefused(t *testing.T) {
	logs := []*Log{newTestLog(t), newTestLog(t)}
	var inside, tried, over sync.WaitGroup
	inside.Add(2)
	tried.Add(2)
	refused := make([]error, 2)
	for i, log := range logs {
		log.Observe(func(Event) {
			inside.Done()
			inside.Wait() // both logs are busy now
			_, refused[i] = deeply(200, func() (Event, error) { return logs[1-i].Append("x", 1) })
			tried.Done()
			tried.Wait() // or one log were idle again before the other is asked
		})
		over.Go(func() {
			if _, err := log.Append("x", 1); err != nil {
				t.Error(err)
			}
		})
	}
	over.Wait()
	for i, err := range refused {
		if !errors.Is(err, ErrReentrant) || logs[i].Len() != 1 {
			t.Errorf("log %d: %v, %d events", i, err, logs[i].Len())
		}
	}
}

// deeply calls at the end of a long stack.
func deeply(depth int, call func() (Event, error)) (Event, error) {
	if depth == 0 {
		return call()
	}
	return deeply(depth-1, call)
}

func TestConcurrentAppendsWaitForEachOtherAndObserversSeeThemInOrder(t *testing.T) {
	log := newTestLog(t)
	var seen []int64
	log.Observe(func(e Event) { seen = append(seen, e.Seq) })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if _, err := log.Append("x", 1); err != nil {
					t.Error(err)
				}
				log.Projection()
				log.Events(0, -1)
			}
		})
	}
	group.Wait()
	for i, seq := range seen {
		if seq != int64(i) {
			t.Fatalf("event %d was the %dth to be seen", seq, i)
		}
	}
	if len(seen) != 400 || log.Len() != 400 {
		t.Errorf("%d seen, %d in the log", len(seen), log.Len())
	}
}

func TestASeedIsValidatedAndMarkedOnce(t *testing.T) {
	log := newTestLog(t, sequence(userEvent("a", "hello"))...)
	if got := log.Events(0, -1); len(got) != 2 || got[1].Type != TypeEndSeed {
		t.Fatalf("got %+v", got)
	}
	if again := newTestLog(t, log.Events(0, -1)...); again.Len() != 2 {
		t.Errorf("a second mark was added: %d events", again.Len())
	}
	if empty := newTestLog(t); empty.Len() != 0 {
		t.Errorf("a new session starts with %d events", empty.Len())
	}
	if _, err := NewLog(testHeader, []Event{{Type: "x", Seq: 1, Data: json.RawMessage("1")}}, clock.System()); err == nil {
		t.Error("a seed that starts at seq 1 was accepted")
	}
	if _, err := NewLog(Header{ID: "s", Cwd: "relative"}, nil, clock.System()); err == nil {
		t.Error("an invalid header was accepted")
	}
}

func TestEventsMovesBoundsIntoTheLog(t *testing.T) {
	log := newTestLog(t)
	for range 3 {
		if _, err := log.Append("x", 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		from, to int64
		want     string
	}{{0, -1, "0 1 2"}, {-5, 2, "0 1"}, {1, 99, "1 2"}, {3, -1, ""}, {2, 1, ""}} {
		var got []string
		for _, e := range log.Events(c.from, c.to) {
			got = append(got, fmt.Sprint(e.Seq))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("Events(%d,%d) = %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestHistoryIsTheSurfaceInOrder(t *testing.T) {
	log := newTestLog(t)
	say := func(id string, options ...AppendOption) int64 {
		t.Helper()
		e, err := log.Append(TypeUserMessage, Message{ID: id, Role: RoleUser, Source: Source{Kind: SourceUser}, Content: []Block{}}, options...)
		if err != nil {
			t.Fatal(err)
		}
		return e.Seq
	}
	answer := func(id string, blocks ...Block) int64 {
		t.Helper()
		e, err := log.Append(TypeAssistantMessage, AssistantMessage{Turn: 1, Step: 1, Message: Message{ID: id, Role: RoleAssistant,
			Source: Source{Kind: SourceModel, Provider: "p", Model: "m"}, Content: blocks}}, WithSurfaceAppend(), WithSources())
		if err != nil {
			t.Fatal(err)
		}
		return e.Seq
	}
	a := say("a", WithSurfaceAppend())
	b := answer("b", Block{Type: BlockText, Text: "hi"})
	answer("silent")
	d := say("d", WithSurfaceAppend())
	wantHistory(t, log, "a b d")
	sum := say("sum", WithReplace(a, b), WithSources(a, b))
	wantHistory(t, log, "sum d")
	say("all", WithReplace(sum, d), WithSources(d, 2, sum))
	wantHistory(t, log, "all")
	again, err := History(log.Events(0, -1))
	if err != nil || len(again) != 1 {
		t.Errorf("the events alone give %+v, %v", again, err)
	}
	if _, err := log.Append(TypeUserMessage, Message{ID: "late", Role: RoleUser, Source: Source{Kind: SourceUser}, Content: []Block{}},
		WithReplace(a, a), WithSources(a)); err == nil {
		t.Error("a node that is gone was replaced")
	}
}

func wantHistory(t *testing.T, log *Log, want string) {
	t.Helper()
	messages, err := log.History()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("history is %q, want %q", got, want)
	}
}

func TestAToolResultReplacementMayChangeOnlyItsContent(t *testing.T) {
	result := func(text string, change func(*ToolResult)) ToolResult {
		r := ToolResult{Turn: 1, Step: 1, Message: Message{ID: "r", Role: RoleUser, Source: Source{Kind: SourceTool, CallID: "c"},
			Content: []Block{{Type: BlockToolResult, ToolCallID: "c", Content: []Block{{Type: BlockText, Text: text}}}}}}
		if change != nil {
			change(&r)
		}
		return r
	}
	log := newTestLog(t)
	if _, err := log.Append(TypeToolResult, result("long", nil), WithSurfaceAppend()); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(TypeToolResult, result("short", func(r *ToolResult) { r.Message.Content[0].IsError = true }), WithReplace(0, 0), WithSources(0)); err == nil {
		t.Error("the replacement changed isError")
	}
	if _, err := log.Append(TypeToolResult, result("short", nil), WithReplace(0, 0), WithSources(0)); err != nil {
		t.Error(err)
	}
}
