package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/session"
)

// histories are what an agent leaves: prompts, answers, and answers with calls, whose results follow in any order, with a message in between at
// times; the last calls may have no results yet.
var histories = rapid.Custom(func(t *rapid.T) []session.Node {
	var nodes []session.Node
	add := func(typ, role, kind string, content ...session.Block) {
		seq := int64(3 * len(nodes))
		nodes = append(nodes, session.Node{Seq: seq, Type: typ, Message: session.Message{
			ID: fmt.Sprint("m", seq), Role: role, Content: content, Source: session.Source{Kind: kind},
		}})
	}
	text := func() session.Block {
		return session.Block{Type: session.BlockText, Text: strings.Repeat("word ", rapid.IntRange(0, 60).Draw(t, "words"))}
	}
	for range rapid.IntRange(0, 8).Draw(t, "pieces") {
		switch rapid.IntRange(0, 3).Draw(t, "piece") {
		case 0:
			add(session.TypeUserMessage, session.RoleUser, session.SourceUser, text())
		case 1:
			add(session.TypeAssistantMessage, session.RoleAssistant, session.SourceModel, text())
		case 2:
			add(session.TypeAssistantMessage, session.RoleAssistant, session.SourceModel)
		case 3:
			var calls []session.Block
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				calls = append(calls, session.Block{Type: session.BlockToolCall, ID: fmt.Sprint("c", len(nodes), len(calls)), Name: "bash", Arguments: "{}"})
			}
			add(session.TypeAssistantMessage, session.RoleAssistant, session.SourceModel, calls...)
			for _, i := range rapid.Permutation(calls).Draw(t, "order") {
				if rapid.IntRange(0, 5).Draw(t, "between") == 0 {
					add(session.TypeUserMessage, session.RoleUser, session.SourceUser, text())
				}
				add(session.TypeToolResult, session.RoleUser, session.SourceTool, session.Block{
					Type: session.BlockToolResult, ToolCallID: i.ID, Content: []session.Block{text()},
				})
			}
		}
	}
	if n := len(nodes); n > 0 && rapid.IntRange(0, 4).Draw(t, "cut") == 0 {
		nodes = nodes[:rapid.IntRange(1, n).Draw(t, "length")]
	}
	return nodes
})

// ids are the calls and the results of a part of a history.
func ids(nodes []session.Node) (calls, results map[string]int) {
	calls, results = map[string]int{}, map[string]int{}
	for _, n := range nodes {
		for _, b := range n.Message.Content {
			switch b.Type {
			case session.BlockToolCall:
				calls[b.ID]++
			case session.BlockToolResult:
				results[b.ToolCallID]++
			}
		}
	}
	return calls, results
}

func TestAPlanPartsTheHistoryAtAUnitAndKeepsWhatItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := histories.Draw(t, "history")
		window := rapid.IntRange(1, 2000).Draw(t, "window")
		config := compaction.Defaults()
		config.KeepPart = rapid.Float64Range(0, 0.7).Draw(t, "keep")
		plan, ok := config.Plan(nodes, window)
		if !ok {
			return
		}
		if len(plan.Shadowed) == 0 || len(plan.Kept) == 0 {
			t.Fatalf("%d are shadowed, %d kept", len(plan.Shadowed), len(plan.Kept))
		}
		if diff := cmp.Diff(nodes, append(append([]session.Node{}, plan.Shadowed...), plan.Kept...)); diff != "" {
			t.Fatal(diff)
		}
		calls, results := ids(plan.Shadowed)
		if diff := cmp.Diff(calls, results); diff != "" {
			t.Fatalf("a call is parted from its result (-calls +results):\n%s", diff)
		}
		// More than the newest unit is kept only while it fits.
		keep := int(config.KeepPart * float64(min(window, compaction.SurfaceTokens(nodes))))
		if newest, ok := (compaction.Config{TriggerPart: 1}).Plan(nodes, window); ok && len(plan.Kept) > len(newest.Kept) && compaction.SurfaceTokens(plan.Kept) > keep {
			t.Fatalf("%d tokens are kept, %d may be", compaction.SurfaceTokens(plan.Kept), keep)
		}
		if r := plan.Range(); r.Start != plan.Seqs()[0] || r.End != plan.Seqs()[len(plan.Seqs())-1] {
			t.Fatalf("%+v of %v", r, plan.Seqs())
		}
	})
}

func TestEveryCallHasOneResultInTheLogThatAPlanMakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []session.Event
		for _, n := range histories.Draw(t, "history") {
			e := session.Event{Type: n.Type, Seq: int64(len(events)), SurfaceOp: &session.SurfaceOp{}}
			var err error
			switch n.Type {
			case session.TypeUserMessage:
				e.Data, err = n.Message.MarshalJSON()
			default:
				var text []byte
				if text, err = n.Message.MarshalJSON(); err == nil {
					e.Data = fmt.Appendf(nil, `{"turn":1,"step":1,"message":%s}`, text)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if n.Type == session.TypeAssistantMessage {
				e.Data = []byte(strings.Replace(string(e.Data), `"kind":"model"`, `"kind":"model","provider":"p","model":"m"`, 1))
			}
			if n.Type == session.TypeToolResult {
				e.Data = []byte(strings.Replace(string(e.Data), `"kind":"tool"`, `"kind":"tool","callId":"`+n.Message.Content[0].ToolCallID+`"`, 1))
			}
			events = append(events, e)
		}
		before, err := session.Surface(events)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "compactions") {
			plan, ok := compaction.Defaults().Plan(before, 500)
			if !ok {
				return
			}
			text, err := compaction.Message(fmt.Sprint("s", len(events)), "gist").MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			r := plan.Range()
			events = append(events, session.Event{
				Type: session.TypeUserMessage, Seq: int64(len(events)), Data: text,
				SurfaceOp: &session.SurfaceOp{Replace: true, Start: r.Start, End: r.End}, SourceEventSeqs: plan.Seqs(), HasSources: true,
			})
			after, err := session.Surface(events)
			if err != nil {
				t.Fatalf("the log does not take the plan: %v", err)
			}
			calls, results := ids(after)
			for id, n := range results {
				if n != 1 || calls[id] != 1 {
					t.Fatalf("call %s has %d results and is there %d times", id, n, calls[id])
				}
			}
			if len(after) != len(plan.Kept)+1 || !after[0].Replaced {
				t.Fatalf("%d nodes are left of %d kept", len(after), len(plan.Kept))
			}
			before = after
		}
	})
}

func TestTheMeterNeverFallsWhenSomethingIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := histories.Draw(t, "history")
		if n := len(nodes); n > 0 && rapid.Bool().Draw(t, "said") {
			at := rapid.IntRange(0, n-1).Draw(t, "at")
			nodes[at].Usage = &session.Usage{InputTokens: rapid.IntRange(0, 5000).Draw(t, "tokens")}
			nodes = nodes[at:] // what is before it counts for nothing, and may not have been counted before
		}
		last := 0
		for i := range nodes {
			now := compaction.Measure(session.RequestHeaderBody{System: "Be brief."}, nodes[:i+1])
			if i > 0 && now.Tokens < last {
				t.Fatalf("%d tokens after %d, %d before", now.Tokens, i+1, last)
			}
			last = now.Tokens
		}
	})
}

func TestACountOfTheProviderEndsWithTheHistoryItIsOf(t *testing.T) {
	said := func(seq int64, tokens int) session.Node {
		return session.Node{Seq: seq, Type: session.TypeAssistantMessage, Usage: &session.Usage{InputTokens: tokens, OutputTokens: 30, ReasoningTokens: new(20)},
			Message: session.Message{Role: session.RoleAssistant, Content: []session.Block{{Type: session.BlockText, Text: "0123456789"}}}}
	}
	summary := session.Node{Seq: 9, Type: session.TypeUserMessage, Replaced: true, Message: compaction.Message("s", "gist")}
	for name, c := range map[string]struct {
		nodes []session.Node
		want  compaction.Reading
	}{
		"the last count and what came after": {[]session.Node{said(1, 500), said(2, 600), {Message: said(3, 0).Message}}, compaction.Reading{Tokens: 617, Said: true}},
		"a count of nothing is none":         {[]session.Node{said(1, 500), said(2, 0)}, compaction.Reading{Tokens: 517, Said: true}},
		"a count before the summary":         {[]session.Node{summary, said(2, 600)}, compaction.Reading{Tokens: compaction.MessageTokens(summary.Message) + 7}},
		"a count after the summary":          {[]session.Node{summary, said(10, 600)}, compaction.Reading{Tokens: 610, Said: true}},
	} {
		if got := compaction.Measure(session.RequestHeaderBody{}, c.nodes); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestTextCostsByItsScript(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "0123456789": 3, "你好": 2, strings.Repeat("你", 100): 60} {
		if got := compaction.Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

func TestPressureBeginsAtItsPartOfTheWindow(t *testing.T) {
	config := compaction.Defaults()
	nodes := []session.Node{
		{Seq: 0, Type: session.TypeUserMessage, Message: session.Message{Role: session.RoleUser, Content: []session.Block{{Type: session.BlockText, Text: strings.Repeat("x", 2000)}}}},
		{Seq: 1, Type: session.TypeAssistantMessage, Usage: &session.Usage{InputTokens: 1600}, Message: session.Message{Role: session.RoleAssistant, Content: []session.Block{{Type: session.BlockText, Text: "y"}}}},
	}
	for window, want := range map[int]bool{0: false, 2000: true, 2002: false, 1999: true} {
		if _, got := config.Pressed(session.RequestHeaderBody{}, nodes, window); got != want {
			t.Errorf("a window of %d: pressed %v", window, got)
		}
	}
	if _, pressed := config.Pressed(session.RequestHeaderBody{}, nodes[1:], 1000); pressed {
		t.Error("there is nothing to leave out")
	}
	nodes[0].Message.Content[0].Text = "short"
	if _, pressed := config.Pressed(session.RequestHeaderBody{}, nodes, 1000); pressed {
		t.Error("what would come free is not worth a call")
	}
}

func TestARequestFitsTheWindow(t *testing.T) {
	long := strings.Repeat("a line of output\n", 4000)
	var nodes []session.Node
	for i := range 20 {
		id := fmt.Sprint("c", i)
		nodes = append(nodes,
			session.Node{Type: session.TypeAssistantMessage, Message: session.Message{Role: session.RoleAssistant, Content: []session.Block{{Type: session.BlockToolCall, ID: id, Name: "bash", Arguments: `{"command":"x"}`}}}},
			session.Node{Type: session.TypeToolResult, Message: session.Message{Role: session.RoleUser, Source: session.Source{Kind: session.SourceTool}, Content: []session.Block{{Type: session.BlockToolResult, ToolCallID: id, IsError: i == 0, Content: []session.Block{{Type: session.BlockText, Text: long}}}}}})
	}
	config := compaction.Defaults()
	for _, window := range []int{128_000, 32_000, 16_000} {
		request := config.Request(llm.Request{SessionID: "s", Provider: "p", Model: "m"}, "id", compaction.Plan{Shadowed: nodes}, window)
		text := request.Messages[0].Text()
		if got := compaction.Tokens(text) + compaction.Tokens(request.System) + request.MaxTokens; got > window {
			t.Errorf("%d tokens for a window of %d", got, window)
		}
		if !strings.Contains(text, "[failed result]") || strings.Count(text, "[agent calls bash]") != 20 || !strings.Contains(text, "bytes left out") {
			t.Errorf("a window of %d: the model is shown %.300s", window, text)
		}
		if request.Purpose != llm.PurposeCompaction || request.SessionID != "s" || len(request.Tools) > 0 {
			t.Errorf("%+v", request.Purpose)
		}
	}
}

func TestEveryMistakeInAConfigIsNamed(t *testing.T) {
	for field, spoil := range map[string]func(*compaction.Config){
		"triggerPart":        func(c *compaction.Config) { c.TriggerPart = 1.5 },
		"keepPart":           func(c *compaction.Config) { c.KeepPart = 0.9 },
		"maxSummaryTokens":   func(c *compaction.Config) { c.MaxSummaryTokens = 0 },
		"retries":            func(c *compaction.Config) { c.Retries = -1 },
		"overflowRecoveries": func(c *compaction.Config) { c.OverflowRecoveries = -1 },
	} {
		config := compaction.Defaults()
		spoil(&config)
		if got, err := config.Check(); got != field || err == nil {
			t.Errorf("%s: %q, %v", field, got, err)
		}
	}
	if field, err := compaction.Defaults().Check(); err != nil {
		t.Errorf("%s: %v", field, err)
	}
}
