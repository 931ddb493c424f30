package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"keylane/host/clock"
)

// The surface is a list in which messages are put at the end, or in the place of some that stand next to each other.
func TestTheSurfaceIsWhatItsOperationsMakeOfAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := NewLog(testHeader, nil, clock.System())
		if err != nil {
			t.Fatal(err)
		}
		var list []int64
		for i := range rapid.IntRange(1, 30).Draw(t, "operations") {
			message := Message{ID: fmt.Sprint("m", i), Role: RoleUser, Source: Source{Kind: SourceUser}, Content: []Block{{Type: BlockText, Text: "t"}}}
			if len(list) == 0 || rapid.IntRange(0, 2).Draw(t, "operation") > 0 {
				e, err := log.Append(TypeUserMessage, message, WithSurfaceAppend())
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, e.Seq)
				continue
			}
			first := rapid.IntRange(0, len(list)-1).Draw(t, "first")
			last := rapid.IntRange(first, len(list)-1).Draw(t, "last")
			e, err := log.Append(TypeUserMessage, message, WithReplace(list[first], list[last]), WithSources(list[first:last+1]...))
			if err != nil {
				t.Fatal(err)
			}
			list = slices.Replace(list, first, last+1, e.Seq)
		}
		var got []int64
		events := log.Events(0, -1)
		for _, n := range log.Surface() {
			got = append(got, n.Seq)
			if want := events[n.Seq].SurfaceOp.Replace; n.Replaced != want {
				t.Fatalf("node %d: replaced %v", n.Seq, n.Replaced)
			}
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Fatal(diff)
		}
		stored, err := Surface(events)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(log.Surface(), stored); diff != "" {
			t.Fatalf("read again it is another one: %s", diff)
		}
		history, err := History(events)
		if err != nil || len(history) != len(list) {
			t.Fatalf("%d messages of %d nodes, %v", len(history), len(list), err)
		}
	})
}

func TestTheSurfaceTellsWhatAnAnswerCost(t *testing.T) {
	nodes, err := Surface(sequence(
		userEvent("a", "hello"),
		Event{Type: TypeAssistantMessage, SurfaceOp: &SurfaceOp{}, Data: json.RawMessage(
			`{"turn":1,"step":1,"message":{"id":"b","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m"}},"usage":{"inputTokens":7,"outputTokens":2}}`)},
	))
	if err != nil || len(nodes) != 2 || nodes[0].Usage != nil || nodes[1].Usage == nil || nodes[1].Usage.InputTokens != 7 {
		t.Errorf("%+v %v", nodes, err)
	}
}

func TestWhatASessionCostIsCounted(t *testing.T) {
	answer := func(usage string) Event {
		return Event{Type: TypeAssistantMessage, SurfaceOp: &SurfaceOp{}, Data: json.RawMessage(`{"turn":1,"step":1,"message":{},"usage":` + usage + `}`)}
	}
	events := sequence(
		answer(`{"inputTokens":100,"outputTokens":30,"cacheReadTokens":50,"reasoningTokens":10}`),
		answer(`{"inputTokens":0,"outputTokens":5}`), // says nothing about the window
		event(TypeCompaction, `{"compactionId":"c","summary":[],"usage":{"inputTokens":1000,"outputTokens":1}}`),
	)
	p := Project(testHeader, events)
	if p.ContextTokens != 170 || p.Usage.InputTokens != 1100 || p.Usage.OutputTokens != 36 || *p.Usage.CacheReadTokens != 50 || p.Usage.CacheWriteTokens != nil {
		t.Errorf("%d tokens, %+v", p.ContextTokens, p.Usage)
	}
	events = sequence(append(events, event(TypeCompactionEnd, `{"compactionId":"c","turn":null,"contextTokens":40}`))...)
	if p := Project(testHeader, events); p.ContextTokens != 40 {
		t.Errorf("%d tokens after the compaction", p.ContextTokens)
	}
	events = sequence(append(events, event(TypeCompactionEnd, `{"compactionId":"d","turn":null,"error":{"code":"SERVER","message":"m"}}`))...)
	if p := Project(testHeader, events); p.ContextTokens != 40 {
		t.Errorf("%d tokens after one that failed", p.ContextTokens)
	}
}

func TestRepairEndsACompactionThatACrashCut(t *testing.T) {
	start := event(TypeCompactionStart, `{"compactionId":"c","turn":null}`)
	summary := event(TypeCompaction, `{"compactionId":"c","summary":[]}`)
	replaced := Event{Type: TypeUserMessage, SurfaceOp: &SurfaceOp{Replace: true}, HasSources: true, SourceEventSeqs: []int64{0}, Data: userEvent("s", "gist").Data}
	end := event(TypeCompactionEnd, `{"compactionId":"c","turn":null}`)
	for name, c := range map[string]struct {
		events []Event
		ends   bool
		failed bool
	}{
		"before its summary":      {[]Event{userEvent("a", "hello"), start}, true, true},
		"before it took effect":   {[]Event{userEvent("a", "hello"), start, summary}, true, true},
		"after it took effect":    {[]Event{userEvent("a", "hello"), start, summary, replaced}, true, false},
		"one that ended":          {[]Event{userEvent("a", "hello"), start, summary, replaced, end}, false, false},
		"in a turn that was open": {[]Event{userEvent("a", "hello"), event(TypeTurnStart, `{"turn":1}`), event(TypeStepStart, `{"turn":1,"step":1}`), event(TypeCompactionStart, `{"compactionId":"c","turn":1}`)}, true, true},
	} {
		events := sequence(c.events...)
		repair := Repair(testHeader, events)
		if !c.ends {
			if repair != nil {
				t.Errorf("%s: %+v", name, repair)
			}
			continue
		}
		var got CompactionEnd
		if len(repair) == 0 || repair[0].Type != TypeCompactionEnd || json.Unmarshal(repair[0].Data, &got) != nil || got.CompactionID != "c" || (got.Error != nil) != c.failed {
			t.Errorf("%s: %+v %+v", name, repair, got)
		}
		whole := append(events, repair...)
		if err := Validate(whole); err != nil || Repair(testHeader, whole) != nil {
			t.Errorf("%s: repaired it is not whole: %v", name, err)
		}
	}
}
