package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMessageOfReadsAllVintages(t *testing.T) {
	text := []Block{{Type: BlockText, Text: "x"}}
	for name, c := range map[string]struct {
		e    Event
		want Message
	}{
		"user today": {userEvent("a", "x"), Message{"a", RoleUser, text, Source{Kind: SourceUser, RPCID: "r"}}},
		"user flat": {event(TypeUserMessage, `{"content":[{"type":"text","text":"x"}],"source":{"kind":"plugin","plugin":"p","form":"notice"}}`),
			Message{"legacy-message:0", RoleUser, text, Source{Kind: SourcePlugin, Plugin: "p", Extra: map[string]json.RawMessage{"form": json.RawMessage(`"notice"`)}}}},
		"assistant flat": {event(TypeAssistantMessage, `{"turn":1,"step":1,"content":[{"type":"text","text":"x"}],"provenance":{"provider":"p","model":"m"}}`),
			Message{"legacy-message:0", RoleAssistant, text, Source{Kind: SourceModel, Provider: "p", Model: "m"}}},
		"tool flat": {event(TypeToolResult, `{"turn":1,"step":1,"callId":"c","content":[{"type":"text","text":"x"}],"isError":true}`),
			Message{"legacy-message:0", RoleUser, []Block{{Type: BlockToolResult, ToolCallID: "c", IsError: true, Content: text}}, Source{Kind: SourceTool, CallID: "c"}}},
		"steering flat": {event(TypeSteeringMessage, `{"turn":1,"content":[{"type":"text","text":"x"}],"source":{"kind":"user"}}`),
			Message{"legacy-message:0", RoleUser, text, Source{Kind: SourceUser}}},
		"steering nested": {event(TypeSteeringMessage, `{"turn":1,"message":{"id":"q","role":"user","content":[{"type":"text","text":"x"}],"source":{"kind":"user"}}}`),
			Message{"q", RoleUser, text, Source{Kind: SourceUser}}},
	} {
		got, ok, err := MessageOf(c.e)
		if diff := cmp.Diff(c.want, got); !ok || err != nil || diff != "" {
			t.Errorf("%s: %v %v %s", name, ok, err, diff)
		}
	}
	if _, ok, err := MessageOf(event(TypeTurnStart, `{}`)); ok || err != nil {
		t.Error("a turn start is a message")
	}
	for name, e := range map[string]Event{
		"empty":            event(TypeUserMessage, `{}`),
		"no source":        event(TypeUserMessage, `{"content":[]}`),
		"no provenance":    event(TypeAssistantMessage, `{"content":[]}`),
		"no call":          event(TypeToolResult, `{"content":[]}`),
		"empty id":         event(TypeUserMessage, `{"id":"","role":"user","content":[],"source":{"kind":"user"}}`),
		"wrong role":       event(TypeUserMessage, `{"id":"a","role":"assistant","content":[],"source":{"kind":"user"}}`),
		"content missing":  event(TypeUserMessage, `{"id":"a","role":"user","source":{"kind":"user"}}`),
		"source kindless":  event(TypeUserMessage, `{"id":"a","role":"user","content":[],"source":{}}`),
		"block typeless":   event(TypeUserMessage, `{"id":"a","role":"user","content":[{}],"source":{"kind":"user"}}`),
		"text missing":     event(TypeUserMessage, `{"id":"a","role":"user","content":[{"type":"text"}],"source":{"kind":"user"}}`),
		"user answers":     event(TypeAssistantMessage, `{"message":{"id":"a","role":"assistant","content":[],"source":{"kind":"user"}}}`),
		"two results":      event(TypeToolResult, `{"message":{"id":"a","role":"user","content":[],"source":{"kind":"tool","callId":"c"}}}`),
		"result elsewhere": event(TypeToolResult, `{"message":{"id":"a","role":"user","content":[{"type":"tool-result","toolCallId":"d","content":[]}],"source":{"kind":"tool","callId":"c"}}}`),
		"null":             event(TypeUserMessage, `null`),
	} {
		if got, _, err := MessageOf(e); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
}

func TestMessagesSurviveTheirJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(blocks, 0, 4).Draw(t, "content")
		want := Message{ID: "a", Role: RoleUser, Content: append([]Block{}, content...), Source: Source{Kind: "k", Model: rapid.String().Draw(t, "model"),
			Extra: map[string]json.RawMessage{"replayState": json.RawMessage(`{"a":[1]}`)}}}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Message
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	if _, err := json.Marshal(Block{Type: BlockText, Extra: map[string]json.RawMessage{"text": json.RawMessage("1")}}); err == nil {
		t.Error("a block was written with the same field twice")
	}
}

func TestTurnReasonsOfAllVintages(t *testing.T) {
	for text, want := range map[string]TurnReason{
		`{"kind":"completed"}`:                        {Kind: ReasonCompleted},
		`{"kind":"aborted"}`:                          {Kind: ReasonAborted, Abort: AbortLegacy},
		`{"kind":"aborted","reason":{"kind":"user"}}`: {Kind: ReasonAborted, Abort: AbortUser},
		`{"kind":"disposed"}`:                         {Kind: ReasonAborted, Abort: AbortDisposed},
		`{"kind":"error","step":1,"failure":{"message":"m","code":"SERVER"}}`:          {Kind: ReasonError, Failure: &Failure{Message: "m", Code: "SERVER"}},
		`{"kind":"error","step":1,"message":"m"}`:                                      {Kind: ReasonError, Failure: &Failure{Message: "m", Code: "UNKNOWN"}},
		`{"kind":"error","error":{"message":"m","code":"C","providerRetryAfterMs":5}}`: {Kind: ReasonError, Failure: &Failure{Message: "m", Code: "C", RetryAfterMs: 5}},
	} {
		var got TurnReason
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var again TurnReason
		if err := json.Unmarshal(written, &again); err != nil || !cmp.Equal(want, again) {
			t.Errorf("%s came back from %s as %+v", text, written, again)
		}
	}
}

func TestRepairClosesWhatACrashLeftOpen(t *testing.T) {
	asked := Event{Type: TypeAssistantMessage, SurfaceOp: &SurfaceOp{}, Data: encode(AssistantMessage{Turn: 1, Step: 1, Message: Message{
		ID: "a", Role: RoleAssistant, Source: Source{Kind: SourceModel, Provider: "p", Model: "m"}, Content: []Block{
			{Type: BlockToolCall, ID: "done"}, {Type: BlockToolCall, ID: "running"}, {Type: BlockToolCall, ID: "waiting"}}}})}
	done := Event{Type: TypeToolResult, SurfaceOp: &SurfaceOp{}, Data: json.RawMessage(`{"turn":1,"step":1,"callId":"done","content":[],"isError":false}`)}
	events := sequence(
		event(TypeTurnStart, `{"turn":1}`), event(TypeStepStart, `{"turn":1,"step":1}`), asked,
		event(TypeToolCall, `{"turn":1,"step":1,"callId":"done","name":"b","arguments":"{}"}`), done,
		event(TypeToolCall, `{"turn":1,"step":1,"callId":"running","name":"b","arguments":"{}"}`),
	)
	closers := Repair(testHeader, events)
	var got []string
	for _, e := range closers {
		line := fmt.Sprint(e.Seq, " ", e.Time, " ", e.Type, " ", e.SourceEventSeqs)
		if e.Type == TypeToolResult {
			var data ToolResult
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Fatal(err)
			}
			line += " " + data.Message.ID + " " + data.Error.Code
		}
		got = append(got, line)
	}
	want := []string{
		"6 1005 tool/result [5] interrupted-tool-result-running-6 TOOL_OUTCOME_UNKNOWN",
		"7 1005 tool/result [] interrupted-tool-result-waiting-7 TOOL_NOT_STARTED",
		"8 1005 step/end []",
		"9 1005 turn/end []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	closed := append(events, closers...)
	if err := Validate(closed); err != nil {
		t.Error(err)
	}
	if again := Repair(testHeader, closed); again != nil {
		t.Errorf("a closed log was repaired: %+v", again)
	}
	if end := Project(testHeader, closed); end.OpenTurn != 0 || end.OpenStep != 0 {
		t.Errorf("still open: %+v", end)
	}
}

func TestRepairEndsNoStepThatIsNotOpen(t *testing.T) {
	closers := Repair(testHeader, sequence(event(TypeTurnStart, `{"turn":1}`), event(TypeStepStart, `{"turn":1,"step":1}`), event(TypeStepEnd, `{"turn":1,"step":1}`)))
	if len(closers) != 1 || closers[0].Type != TypeTurnEnd {
		t.Errorf("got %+v", closers)
	}
	if none := Repair(testHeader, nil); none != nil {
		t.Errorf("an empty log was repaired: %+v", none)
	}
}

func TestARepairedLogIsAlwaysValidAndBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := logs.Draw(t, "log")
		closed := append(events[:len(events):len(events)], Repair(testHeader, events)...)
		if err := Validate(closed); err != nil {
			t.Fatal(err)
		}
		if Repair(testHeader, closed) != nil || Project(testHeader, closed).OpenTurn != 0 {
			t.Fatal("not balanced")
		}
	})
}

func TestTurnPagesCoverTheLogOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []Event
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			events = append(events, Event{Type: rapid.SampledFrom([]string{TypeTurnStart, "x"}).Draw(t, "type")})
		}
		turns := rapid.IntRange(0, 4).Draw(t, "turns")
		before, covered := int64(-1), len(events)
		for more := true; more; {
			start, end, hasMore := TurnPage(events, before, turns)
			if int(end) != covered || start > end {
				t.Fatalf("page [%d,%d) after %d", start, end, covered)
			}
			count := 0
			for _, e := range events[start:end] {
				if e.Type == TypeTurnStart {
					count++
				}
			}
			if count > max(turns, 1) || hasMore && (count != max(turns, 1) || events[start].Type != TypeTurnStart) || hasMore != (start > 0) {
				t.Fatalf("page [%d,%d) has %d turns, more: %v", start, end, count, hasMore)
			}
			before, covered, more = start, int(start), hasMore
		}
		if covered != 0 {
			t.Fatalf("%d events on no page", covered)
		}
	})
}

func TestProjectionFollowsTheLog(t *testing.T) {
	message := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"role":"user","content":[],"source":{"kind":"user"}}`, id)
	}
	splice := func(target string, start, removed int, inserted ...string) Event {
		return event(TypeInboxSpliced, fmt.Sprintf(`{"target":%q,"start":%d,"removedCount":%d,"inserted":[%s]}`, target, start, removed, strings.Join(inserted, ",")))
	}
	h := testHeader
	h.SeedLength = 1
	if got := Project(h, nil); !got.Blank || got.LastActivity != h.CreatedAt {
		t.Errorf("an empty log: %+v", got)
	}
	got := Project(h, sequence(
		splice(InboxNextTurn, 0, 0, message("inherited")),
		splice(InboxNextTurn, 0, 0, message("a"), message("b"), message("c")),
		splice(InboxNextTurn, 1, 1, message("d")),
		splice(InboxNextStep, 7, 9, message("e")),
		event(TypeTurnStart, `{"turn":3}`), event(TypeStepStart, `{"turn":3,"step":2}`),
		event(TypeRequestHeader, `{"header":{"config":{"provider":"p","model":"m"},"tools":"{{tools}}"},"reason":"initial"}`),
		event(TypeRequestContext, `{"provider":"p","model":"m","contextWindow":9}`),
		event(TypeTodoWrite, `{"todos":[{"content":"c","status":"pending"}]}`),
		event(TypeTitle, `{"title":"T","messageSeqs":[1],"source":{"kind":"fallback"}}`),
		event(TypeTitle, `"broken"`),
		event(TypeUserMessage, message("f")),
		event(TypeUserMessage, `{"id":"g","role":"user","content":[],"source":{"kind":"plugin","plugin":"p"}}`),
		event(TypeEndSeed, `{}`),
	))
	ids := func(messages []Message) (out []string) {
		for _, m := range messages {
			out = append(out, m.ID)
		}
		return out
	}
	if diff := cmp.Diff([][]string{{"a", "d", "c"}, {"e"}}, [][]string{ids(got.Inbox), ids(got.InboxNextStep)}); diff != "" {
		t.Error(diff)
	}
	got.Inbox, got.InboxNextStep = nil, nil
	want := Projection{Title: "T", TitleSource: TitleSource{Kind: "fallback"}, Turns: 1, Steps: 1, OpenTurn: 3, OpenStep: 2, LastActivity: 1011,
		Model: ModelTarget{"p", "m"}, ContextWindow: 9, Todos: []Todo{{"c", "pending"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasAllowedForTheSessionIsItsOwn(t *testing.T) {
	event := func(seq int64, typ, data string) Event {
		return Event{Type: typ, Seq: seq, Data: json.RawMessage(data)}
	}
	events := []Event{
		event(0, TypeApprovalAsked, `{"id":"a","toolName":"write","scope":"changes"}`),
		event(1, TypeApprovalDecided, `{"id":"a","outcome":"allowed-session"}`),
		event(2, TypeApprovalAsked, `{"id":"b","toolName":"bash","scope":"ls"}`),
		event(3, TypeApprovalDecided, `{"id":"b","outcome":"allowed-once"}`),
		event(4, TypeApprovalDecided, `{"id":"nobody","outcome":"allowed-session"}`),
		event(5, TypeApprovalPolicy, `{"policy":"read-only"}`),
	}
	p := Project(Header{}, events)
	if len(p.Allowed) != 1 || p.Allowed[0] != "changes" || p.Policy != "read-only" {
		t.Errorf("allowed %q, policy %q", p.Allowed, p.Policy)
	}
	// A fork is bound as its parent was, and must be allowed anew.
	fork := Project(Header{SeedLength: len(events)}, events)
	if len(fork.Allowed) != 0 || fork.Policy != "read-only" {
		t.Errorf("a fork is allowed %q under the policy %q", fork.Allowed, fork.Policy)
	}
}
