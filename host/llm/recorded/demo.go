package recorded

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/session"
)

// DemoID is the id the demo registers under, and the id of its only model.
const DemoID = "demo"

// DemoChunkDelay is the longest wait before a chunk of the demo: it streams at the recorded pace, but nobody waits for a model to think.
const DemoChunkDelay = 40 * time.Millisecond

//go:embed demo.jsonl
var demoLog []byte

// NewDemo is the provider that answers from the session bundled with the program.
func NewDemo(clk clock.Clock) (llm.Adapter, error) {
	header, events, err := session.Read(bytes.NewReader(demoLog), session.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("recorded: reading the bundled demo: %w", err)
	}
	return New(header, events, clk)
}

// New is a demo provider that answers from a recorded session. A prompt that was recorded gets the answer that was recorded for it;
// any other prompt, the n-th of its session, gets recorded turn n, and after the last one the first again. The tools it calls run for real.
// A turn of which the model's part is not complete is an error.
func New(h session.Header, events []session.Event, clk clock.Clock) (llm.Adapter, error) {
	scripts, err := DeriveSession(h, events)
	if err != nil {
		return nil, fmt.Errorf("recorded: deriving the demo: %w", err)
	}
	d := &demo{clock: clk}
	for _, script := range scripts {
		if script.Purpose == llm.PurposeTurn {
			d.turns = turnsOf(script.Calls)
		}
	}
	if len(d.turns) == 0 {
		return nil, fmt.Errorf("recorded: deriving the demo: session %s has no model call", h.ID)
	}
	return d, nil
}

type demo struct {
	clock clock.Clock
	turns []demoTurn
}

type demoTurn struct {
	prompt string
	calls  []Call
}

func turnsOf(calls []Call) []demoTurn {
	var turns []demoTurn
	for i, call := range calls {
		if i == 0 || calls[i-1].Turn != call.Turn {
			turns = append(turns, demoTurn{prompt: call.LastUserText})
		}
		last := &turns[len(turns)-1]
		last.calls = append(last.calls, call)
	}
	return turns
}

// Info is the catalogue of one model, with the recorded prompts as suggestions.
func (d *demo) Info() llm.Info {
	info := llm.Info{
		ID: DemoID, Name: "Demo", Ready: true, Demo: true,
		Models: []llm.ModelInfo{{ID: DemoID, Name: "Recorded demo", ContextWindow: 128_000}},
	}
	for _, turn := range d.turns {
		info.Prompts = append(info.Prompts, turn.prompt)
	}
	return info
}

// Stream plays the recorded call that comes next in the request's history.
func (d *demo) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	if r.Purpose != llm.PurposeTurn {
		return nil, llm.NewError("DEMO_ONLY_TURNS", fmt.Sprintf("the demo answers prompts only, not calls for a %s", r.Purpose), nil)
	}
	prompts, steps := 0, 0
	for _, message := range r.Messages {
		switch {
		case message.Role == session.RoleAssistant:
			steps++
		case message.Source.Kind == session.SourceUser:
			prompts, steps = prompts+1, 0
		}
	}
	if prompts == 0 {
		return nil, llm.NewError(llm.CodeInvalidRequest, "the demo was asked without a prompt", nil)
	}
	turn := d.turnFor(llm.LastUserText(r.Messages), prompts)
	// A history with more steps than the recording (a message sent while the turn ran) gets the last answer again, which calls no tool.
	call := turn.calls[min(steps, len(turn.calls)-1)]
	return Play(ctx, d.clock, withCallSuffix(call.Chunks, fmt.Sprintf("-%d", prompts)), func(k int) time.Duration {
		return min(call.Delays[k], DemoChunkDelay)
	}), nil
}

func (d *demo) turnFor(prompt string, number int) demoTurn {
	for _, turn := range d.turns {
		if strings.TrimSpace(turn.prompt) == strings.TrimSpace(prompt) {
			return turn
		}
	}
	return d.turns[(number-1)%len(d.turns)]
}

// withCallSuffix makes the ids of tool calls the prompt's own, since a turn may be played more than once in a session.
func withCallSuffix(chunks []llm.Chunk, suffix string) []llm.Chunk {
	out := append([]llm.Chunk(nil), chunks...)
	for i := range out {
		switch {
		case out[i].Type == llm.ChunkToolCallDelta:
			out[i].ID += suffix
		case out[i].Type == llm.ChunkBlockEnd && out[i].Block.Type == session.BlockToolCall:
			block := *out[i].Block
			block.ID += suffix
			out[i].Block = &block
		}
	}
	return out
}
