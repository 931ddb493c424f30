package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"keylane/host/session"
)

// ErrAfterFinish says that a chunk came after the stream's finish.
var ErrAfterFinish = errors.New("llm: assembling: a chunk follows the finish")

// Assembler builds the message a stream of chunks amounts to. The zero value is ready. The rules are the session log's:
//
//   - blocks are in the order in which their indexes first appeared; streams of deltas alone are fine;
//   - a block-end is authoritative: it replaces what the deltas built, the first one wins, and later deltas of its index are ignored;
//   - a stream without a finish counts as stopped; one that hit max-tokens loses its tool calls, which may be cut.
//
// It is used by one goroutine.
type Assembler struct {
	blocks   []*assembling
	byIndex  map[int]*assembling
	usage    *session.Usage
	finish   *FinishReason
	replay   json.RawMessage
	received int
}

type assembling struct {
	typ       string
	text      strings.Builder // text, or the arguments of a tool call
	id, name  string
	nameKnown bool
	closed    *session.Block
}

// Add takes the next chunk. An error means that the stream breaks the chunk rules; the assembler is then as it was before.
func (a *Assembler) Add(c Chunk) error {
	if a.finish != nil {
		return ErrAfterFinish
	}
	if err := c.validate(); err != nil {
		return fmt.Errorf("llm: assembling: %w", err)
	}
	switch c.Type {
	case ChunkUsage:
		usage := *c.Usage
		a.usage = &usage
	case ChunkFinish:
		finish := *c.Finish
		a.finish, a.replay = &finish, c.ReplayState
	case ChunkBlockEnd:
		block := a.at(c.Index, c.Block.Type)
		if block.closed == nil {
			closed := *c.Block
			block.closed = &closed
		}
	default:
		if err := a.addOpen(c); err != nil {
			return err
		}
	}
	a.received++
	return nil
}

func (a *Assembler) addOpen(c Chunk) error {
	typ := map[string]string{
		ChunkBlockStart: c.BlockType, ChunkTextDelta: session.BlockText, ChunkReasoningDelta: session.BlockReasoning, ChunkToolCallDelta: session.BlockToolCall,
	}[c.Type]
	if known := a.byIndex[c.Index]; known != nil {
		if known.closed != nil {
			return nil
		}
		if known.typ != typ {
			return fmt.Errorf("llm: assembling: block %d is %s, but a %s chunk for %s came", c.Index, known.typ, c.Type, typ)
		}
	}
	block := a.at(c.Index, typ)
	switch c.Type {
	case ChunkTextDelta, ChunkReasoningDelta:
		block.text.WriteString(c.Text)
	case ChunkToolCallDelta:
		block.text.WriteString(c.ArgumentsDelta)
		if block.id == "" {
			block.id = c.ID
		}
		if c.HasName && !block.nameKnown {
			block.name, block.nameKnown = c.Name, true
		}
	}
	return nil
}

func (a *Assembler) at(index int, typ string) *assembling {
	if block := a.byIndex[index]; block != nil {
		return block
	}
	block := &assembling{typ: typ}
	if a.byIndex == nil {
		a.byIndex = map[int]*assembling{}
	}
	a.byIndex[index] = block
	a.blocks = append(a.blocks, block)
	return block
}

func (b *assembling) block() session.Block {
	switch {
	case b.closed != nil:
		return *b.closed
	case b.typ == session.BlockToolCall:
		return session.Block{Type: session.BlockToolCall, ID: b.id, Name: b.name, Arguments: b.text.String()}
	}
	return session.Block{Type: b.typ, Text: b.text.String()}
}

// Received is how many chunks were taken.
func (a *Assembler) Received() int { return a.received }

// Blocks is what the stream amounts to so far; after a finish of kind max-tokens without its tool calls.
func (a *Assembler) Blocks() []session.Block {
	dropCalls := a.finish != nil && a.finish.Kind == FinishMaxTokens
	blocks := make([]session.Block, 0, len(a.blocks))
	for _, block := range a.blocks {
		assembled := block.block()
		if dropCalls && assembled.Type == session.BlockToolCall {
			continue
		}
		blocks = append(blocks, assembled)
	}
	return blocks
}

// DroppedCalls is how many tool calls Blocks leaves out because the answer hit its token limit.
func (a *Assembler) DroppedCalls() int {
	if a.finish == nil || a.finish.Kind != FinishMaxTokens {
		return 0
	}
	dropped := 0
	for _, block := range a.blocks {
		if block.block().Type == session.BlockToolCall {
			dropped++
		}
	}
	return dropped
}

// Interrupted is what is kept of a stream that was cut: text and reasoning that say something.
func (a *Assembler) Interrupted() []session.Block {
	var blocks []session.Block
	for _, block := range a.blocks {
		assembled := block.block()
		spoken := assembled.Type == session.BlockText || assembled.Type == session.BlockReasoning
		if spoken && strings.TrimSpace(assembled.Text) != "" {
			blocks = append(blocks, assembled)
		}
	}
	return blocks
}

// Usage is what the provider reported, nil when it did not.
func (a *Assembler) Usage() *session.Usage {
	if a.usage == nil {
		return nil
	}
	usage := *a.usage
	return &usage
}

// Finish is why the stream ended; stop when it has not.
func (a *Assembler) Finish() FinishReason {
	if a.finish == nil {
		return FinishReason{Kind: FinishStop}
	}
	return *a.finish
}

// Message is the assistant message of the stream: its Blocks, or the Interrupted ones when the stream failed or was cancelled.
// The id is the caller's, so that it comes from the host's clock.
func (a *Assembler) Message(id, provider, model string) session.Message {
	blocks := a.Blocks()
	if a.Finish().Failed() {
		blocks = a.Interrupted()
	}
	source := session.Source{Kind: "model", Provider: provider, Model: model}
	if len(a.replay) > 0 {
		source.Extra = map[string]json.RawMessage{"replayState": a.replay}
	}
	return session.Message{ID: id, Role: "assistant", Content: blocks, Source: source}
}
