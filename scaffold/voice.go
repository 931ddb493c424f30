package scaffold

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/session"
)

// The model that a Voice is, which is also the one that generated histories (seed.Generate) were made with, so that a Voice goes on with them.
const (
	voiceProvider = "seed"
	voiceModel    = "generated"
)

// A Voice is a model that says what the test lets it say, piece by piece, when the test lets it. It is for scenarios about what the page does
// in the middle of an answer to a long generated history, whose fixture would hold that history once more. It proves nothing about providers.
//
//	voice := scenario.Voiced()
//	…
//	s.Send("Go on.")
//	voice.Say(s, "Lock ")                    // the page shows it when Say returns
//	voice.Call(s, "bash", map[string]any{…}) // ends this answer; the next Say belongs to the request that follows
//	voice.End(s)                             // ends the turn
//
// One request is answered at a time. A request that nobody answers keeps its turn open, and Settle says so.
type Voice struct {
	chunks chan llm.Chunk // to the stream that listens; unbuffered, so that what was said is under way
	// of the answer that is being said
	open bool
	text strings.Builder
	// said is how many pieces the open session's log has to hold beyond those that it had at seq from.
	from int64
	said int
}

// Voiced gives the scenario a Voice in the place of a fixture.
func (s *Scenario) Voiced() *Voice {
	v := &Voice{chunks: make(chan llm.Chunk)}
	s.Plugins = append(s.Plugins, composition.Define("voice", "a model that the test speaks for", composition.Definition[struct{}]{
		Needs: []composition.Key{llm.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			dispose, err := composition.Need(scope, llm.Service).Register(v)
			if err != nil {
				return fmt.Errorf("scaffold: registering the voice: %w", err)
			}
			scope.OnDispose("voice", func(context.Context) error { dispose(); return nil })
			return nil
		},
	}))
	s.Patches = append(s.Patches, Patch("a model that the test speaks for", "- insert: [{id: voice, plugin: voice}]\n")...)
	return v
}

// Info is the catalogue: one model, with room enough that no history is ever too long for it.
func (v *Voice) Info() llm.Info {
	return llm.Info{ID: voiceProvider, Name: "Voice", Models: []llm.ModelInfo{{ID: voiceModel, Name: "Voice", ContextWindow: 10_000_000}}, Ready: true}
}

// Stream listens for what the test says next.
func (v *Voice) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	return &listening{ctx: ctx, chunks: v.chunks}, nil
}

// listening is one request that is being answered.
type listening struct {
	ctx      context.Context
	chunks   <-chan llm.Chunk
	finished bool
}

// Next waits for the next chunk.
func (l *listening) Next() (llm.Chunk, error) {
	if l.finished {
		return llm.Chunk{}, io.EOF
	}
	select {
	case chunk := <-l.chunks:
		l.finished = chunk.Type == llm.ChunkFinish
		return chunk, nil
	case <-l.ctx.Done():
		return llm.Chunk{}, l.ctx.Err()
	}
}

// Close has nothing to release.
func (l *listening) Close() error { return nil }

// Say says a piece of the answer and waits until the page shows it.
func (v *Voice) Say(s *Stage, text string) {
	s.Helper()
	if !v.open {
		v.open, v.from, v.said = true, int64(len(s.Events())), 0
		v.text.Reset()
		v.utter(s, llm.Chunk{Type: llm.ChunkBlockStart, BlockType: session.BlockText})
	}
	v.text.WriteString(text)
	v.said++
	v.utter(s, llm.Chunk{Type: llm.ChunkTextDelta, Text: text})
	s.AwaitEvent(fmt.Sprintf("piece %d of the answer", v.said), v.piece())
}

// piece finds the event of the last piece; it is asked of each event of a log in order.
func (v *Voice) piece() func(session.Event) bool {
	want, from := v.said, v.from
	seen := map[int64]bool{}
	return func(e session.Event) bool {
		if e.Seq >= from && e.Type == session.TypeAssistantChunk && strings.Contains(string(e.Data), `"text-delta"`) {
			seen[e.Seq] = true
		}
		return len(seen) >= want
	}
}

// Call ends the answer with a call of a tool, and returns when the host has it. What follows the tool's result is the next Say.
func (v *Voice) Call(s *Stage, id, name string, arguments map[string]any) {
	s.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		s.Fatalf("scaffold: the arguments of %s: %v", name, err)
	}
	index := v.close(s)
	block := session.Block{Type: session.BlockToolCall, ID: id, Name: name, Arguments: string(text)}
	v.utter(s, llm.Chunk{Type: llm.ChunkBlockStart, Index: index, BlockType: session.BlockToolCall})
	v.utter(s, llm.Chunk{Type: llm.ChunkToolCallDelta, Index: index, ID: id, Name: name, HasName: true, ArgumentsDelta: string(text)})
	v.utter(s, llm.Chunk{Type: llm.ChunkBlockEnd, Index: index, Block: &block})
	v.utter(s, llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishToolCalls}})
	s.AwaitEvent("the call "+id, func(e session.Event) bool {
		return e.Type == session.TypeToolCall && strings.Contains(string(e.Data), `"`+id+`"`)
	})
}

// End ends the answer, and with it the turn. Settle waits for what follows.
func (v *Voice) End(s *Stage) {
	s.Helper()
	v.close(s)
	v.utter(s, llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishStop}})
}

// close ends the block of text, if one is open, and returns the index of the next block.
func (v *Voice) close(s *Stage) int {
	s.Helper()
	if !v.open {
		return 0
	}
	v.open = false
	v.utter(s, llm.Chunk{Type: llm.ChunkBlockEnd, Block: &session.Block{Type: session.BlockText, Text: v.text.String()}})
	return 1
}

// utter hands one chunk to the request that is being answered, or to the next one.
func (v *Voice) utter(s *Stage, chunk llm.Chunk) {
	s.Helper()
	select {
	case v.chunks <- chunk:
	case <-s.Context.Done():
		s.Fatalf("scaffold: no request takes a %s of the voice: %v", chunk.Type, context.Cause(s.Context))
	}
}
