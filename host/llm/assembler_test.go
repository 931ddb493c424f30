package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"keylane/host/llm"
	"keylane/host/session"
)

func add(t interface{ Fatalf(string, ...any) }, a *llm.Assembler, chunks ...llm.Chunk) {
	for i, chunk := range chunks {
		if err := a.Add(chunk); err != nil {
			t.Fatalf("chunk %d: %v", i, err)
		}
	}
}

func start(index int, typ string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkBlockStart, Index: index, BlockType: typ}
}

func text(index int, words string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkTextDelta, Index: index, Text: words}
}

func finish(kind string) llm.Chunk {
	reason := llm.FinishReason{Kind: kind}
	if reason.Failed() {
		reason.Failure = &session.Failure{Code: "SERVER", Message: "down"}
	}
	return llm.Chunk{Type: llm.ChunkFinish, Finish: &reason}
}

func call(index int, id, name, arguments string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkToolCallDelta, Index: index, ID: id, Name: name, HasName: name != "", ArgumentsDelta: arguments}
}

func end(index int, block session.Block) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkBlockEnd, Index: index, Block: &block}
}

func TestBlocksAreInTheOrderTheyWereFirstSeen(t *testing.T) {
	var a llm.Assembler
	add(t, &a, text(7, "one"), call(2, "id", "bash", "{"), text(7, " more"), call(2, "", "", "}"))
	want := []session.Block{{Type: "text", Text: "one more"}, {Type: "tool-call", ID: "id", Name: "bash", Arguments: "{}"}}
	if diff := cmp.Diff(want, a.Blocks()); diff != "" {
		t.Error(diff)
	}
	if a.Finish().Kind != llm.FinishStop {
		t.Errorf("a stream without a finish counts as %s", a.Finish().Kind)
	}
}

func TestTheFirstBlockEndWinsAndLaterDeltasAreIgnored(t *testing.T) {
	var a llm.Assembler
	closed := session.Block{Type: "text", Text: "authoritative"}
	add(t, &a, text(0, "draft"), end(0, closed), text(0, "stray"), call(0, "x", "y", "z"), end(0, session.Block{Type: "text", Text: "second"}))
	if diff := cmp.Diff([]session.Block{closed}, a.Blocks()); diff != "" {
		t.Error(diff)
	}
}

func TestMaxTokensDropsToolCalls(t *testing.T) {
	var a llm.Assembler
	add(t, &a, text(0, "words"), call(1, "id", "bash", `{"comm`), finish(llm.FinishMaxTokens))
	if len(a.Blocks()) != 1 || a.DroppedCalls() != 1 {
		t.Errorf("blocks %v, dropped %d", a.Blocks(), a.DroppedCalls())
	}
}

func TestAnInterruptedStreamKeepsWhatWasSaid(t *testing.T) {
	var a llm.Assembler
	add(t, &a, start(0, "reasoning"), llm.Chunk{Type: llm.ChunkReasoningDelta, Text: " \n"}, text(1, "half a sen"), call(2, "id", "bash", `{"comm`), finish(llm.FinishAborted))
	message := a.Message("m1", "deepseek", "model")
	want := []session.Block{{Type: "text", Text: "half a sen"}}
	if diff := cmp.Diff(want, message.Content); diff != "" {
		t.Error(diff)
	}
	if message.ID != "m1" || message.Role != "assistant" || message.Source.Kind != "model" || message.Source.Model != "model" {
		t.Errorf("message %+v", message)
	}
}

func TestAStreamThatBreaksTheRulesIsRefused(t *testing.T) {
	var a llm.Assembler
	add(t, &a, text(0, "words"))
	if err := a.Add(call(0, "id", "bash", "{")); err == nil || !strings.Contains(err.Error(), "block 0 is text") {
		t.Errorf("a delta of another kind: %v", err)
	}
	if err := a.Add(llm.Chunk{Type: "poem"}); err == nil {
		t.Error("an unknown chunk was taken")
	}
	add(t, &a, finish(llm.FinishStop))
	if err := a.Add(text(0, "more")); !errors.Is(err, llm.ErrAfterFinish) {
		t.Errorf("a chunk after the finish: %v", err)
	}
	if diff := cmp.Diff([]session.Block{{Type: "text", Text: "words"}}, a.Blocks()); diff != "" {
		t.Errorf("refused chunks left a trace: %s", diff)
	}
}

// However blocks are cut into deltas and interleaved, they are assembled to the same message, with and without block-ends.
func TestAssemblingDoesNotDependOnHowBlocksAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 5).Draw(t, "blocks")
		var blocks []session.Block
		var queues [][]llm.Chunk
		for index := range count {
			typ := rapid.SampledFrom([]string{"text", "reasoning", "tool-call"}).Draw(t, "type")
			body := rapid.SliceOfN(rapid.String(), 1, 6).Draw(t, "pieces")
			block := session.Block{Type: typ, Text: strings.Join(body, "")}
			if typ == "tool-call" {
				block = session.Block{Type: typ, ID: "id", Name: "bash", Arguments: strings.Join(body, "")}
			}
			queue := []llm.Chunk{start(index, typ)}
			for _, piece := range body {
				delta := llm.Chunk{Type: llm.ChunkTextDelta, Index: index, Text: piece}
				switch typ {
				case "reasoning":
					delta.Type = llm.ChunkReasoningDelta
				case "tool-call":
					delta = call(index, "id", "bash", piece)
				}
				queue = append(queue, delta)
			}
			if rapid.Bool().Draw(t, "ended") {
				queue = append(queue, end(index, block))
			}
			blocks, queues = append(blocks, block), append(queues, queue)
		}
		var a llm.Assembler
		for index := range queues { // open all in order, then interleave
			add(t, &a, queues[index][0])
			queues[index] = queues[index][1:]
		}
		for {
			var open []int
			for index, queue := range queues {
				if len(queue) > 0 {
					open = append(open, index)
				}
			}
			if len(open) == 0 {
				break
			}
			index := rapid.SampledFrom(open).Draw(t, "next")
			add(t, &a, queues[index][0])
			queues[index] = queues[index][1:]
		}
		add(t, &a, finish(llm.FinishStop))
		if diff := cmp.Diff(blocks, a.Blocks()); diff != "" {
			t.Fatal(diff)
		}
	})
}
