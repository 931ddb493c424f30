package title_and_compaction_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/scaffold"
)

// callsFor are the model requests of a purpose so far, in order.
func callsFor(s *scaffold.Stage, purpose llm.Purpose) []llm.Request {
	s.Helper()
	var found []llm.Request
	for _, request := range s.Requests() {
		if request.Purpose == purpose {
			found = append(found, request)
		}
	}
	return found
}

func wantCalls(s *scaffold.Stage, purpose llm.Purpose, want int) {
	s.Helper()
	if got := len(callsFor(s, purpose)); got != want {
		s.Errorf("%d calls were made for a %s, want %d", got, purpose, want)
	}
}

// words are requests as a model reads them, apart from the header of turns, which the scenario composition pins, and the middle of long texts.
func words(requests []llm.Request) string {
	var out strings.Builder
	for _, request := range requests {
		fmt.Fprintf(&out, "purpose: %s\n", request.Purpose)
		if request.Purpose != llm.PurposeTurn {
			fmt.Fprintf(&out, "at most %d tokens, %d tools\n\n--- system\n%s\n", request.MaxTokens, len(request.Tools), request.System)
		}
		for _, message := range request.Messages {
			fmt.Fprintf(&out, "\n--- %s, from %s\n", message.Role, message.Source.Kind)
			for _, block := range message.Content {
				text := block.Text
				switch block.Type {
				case session.BlockToolCall:
					text = fmt.Sprintf("calls %s %s", block.Name, block.Arguments)
				case session.BlockToolResult:
					text = "result: " + session.Message{Content: block.Content}.Text()
				}
				out.WriteString(clipped(text) + "\n")
			}
		}
	}
	return out.String()
}

// clipped leaves out the middle of a text that is longer than anybody reads.
func clipped(text string) string {
	const head, tail = 200, 100
	if len(text) <= head+tail {
		return text
	}
	return text[:head] + "\n⋯\n" + text[len(text)-tail:]
}

// wantTitles checks the titles that the log has, in order.
func wantTitles(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, event := range ofType(s, session.TypeTitle) {
		title := decoded[session.Title](s, event)
		got = append(got, title.Source.Kind+" "+title.Title)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the session was named otherwise (-want +got):\n%s", diff)
	}
}

func wantInSidebar(s *scaffold.Stage, title string) {
	s.Helper()
	if got := s.Text("[role=tree]"); !strings.Contains(got, title) {
		s.Errorf("the sidebar does not show the title %q, it shows %q", title, got)
	}
}

// wantShortened checks the log of one compaction: its events stand in one turn in their order, the history is the summary and what is newest,
// and the next request is exactly that.
func wantShortened(s *scaffold.Stage) {
	s.Helper()
	var kinds []string
	shadowed := map[int64]bool{}
	for _, event := range s.Events() {
		replaces := event.SurfaceOp != nil && event.SurfaceOp.Replace
		if !strings.HasPrefix(event.Type, "compaction/") && !replaces {
			continue
		}
		kinds = append(kinds, event.Type)
		switch event.Type {
		case session.TypeCompactionStart:
			if start := decoded[session.CompactionStart](s, event); start.Turn == nil || *start.Turn != 3 {
				s.Errorf("the compaction is not in turn 3: %s", event.Data)
			}
		case session.TypeCompaction:
			for _, seq := range decoded[session.CompactionSummary](s, event).ShadowedSeqs {
				shadowed[seq] = true
			}
		case session.TypeCompactionEnd:
			if end := decoded[session.CompactionEnd](s, event); end.Error != nil || end.ContextTokens == 0 {
				s.Errorf("the compaction did not work: %s", event.Data)
			}
		}
	}
	want := []string{session.TypeCompactionStart, session.TypeCompaction, session.TypeUserMessage, session.TypeCompactionEnd}
	if diff := cmp.Diff(want, kinds); diff != "" {
		s.Errorf("the compaction wrote other events (-want +got):\n%s", diff)
	}
	nodes, err := session.Surface(s.Events())
	if err != nil {
		s.Fatalf("reading the history: %v", err)
	}
	if len(shadowed) == 0 || len(nodes) == 0 || !nodes[0].Replaced {
		s.Errorf("the history does not begin with a summary: it is not shortened")
	}
	for _, node := range nodes {
		if shadowed[node.Seq] {
			s.Errorf("the history still has event %d, which the summary stands for", node.Seq)
		}
	}
	turns := callsFor(s, llm.PurposeTurn)
	if len(turns) == 0 || len(nodes) == 0 {
		return
	}
	var asked, kept []string
	for _, message := range turns[len(turns)-1].Messages {
		asked = append(asked, message.ID)
	}
	for _, node := range nodes[:len(nodes)-1] { // the last is the answer
		kept = append(kept, node.Message.ID)
	}
	if diff := cmp.Diff(kept, asked); diff != "" {
		s.Errorf("the next request does not show the shortened history (-history +request):\n%s", diff)
	}
	if text := words(turns[len(turns)-1:]); strings.Contains(text, "5999") || !strings.Contains(text, "The last number is 6000.** Nothing was changed") {
		s.Errorf("the next request shows what was summarised, or not the summary:\n%s", text)
	}
}

// wantOneResultEach checks that every call of a request has exactly one result in it, and the other way round.
func wantOneResultEach(s *scaffold.Stage) {
	s.Helper()
	for i, request := range s.Requests() {
		open := map[string]int{}
		for _, message := range request.Messages {
			for _, block := range message.Content {
				switch block.Type {
				case session.BlockToolCall:
					open[block.ID]++
				case session.BlockToolResult:
					open[block.ToolCallID]--
				}
			}
		}
		for id, n := range open {
			if n != 0 {
				s.Errorf("request %d parts the call %s from its result", i+1, id)
			}
		}
	}
}

func decoded[T any](s *scaffold.Stage, event session.Event) T {
	s.Helper()
	var data T
	if err := json.Unmarshal(event.Data, &data); err != nil {
		s.Fatalf("reading event %d, a %s: %v", event.Seq, event.Type, err)
	}
	return data
}
