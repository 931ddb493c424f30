package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"keylane/host/session"
)

// Chunk types, as the session log spells them.
const (
	ChunkBlockStart     = "block-start"
	ChunkTextDelta      = "text-delta"
	ChunkReasoningDelta = "reasoning-delta"
	ChunkToolCallDelta  = "tool-call-delta"
	ChunkBlockEnd       = "block-end"
	ChunkUsage          = "usage"
	ChunkFinish         = "finish"
)

// Finish kinds.
const (
	FinishStop      = "stop"
	FinishToolCalls = "tool-calls"
	FinishMaxTokens = "max-tokens"
	FinishAborted   = "aborted"
	FinishError     = "error"
)

// Chunk is one piece of a model's answer. Its JSON is the data of an assistant/chunk event of the session log (format version 0):
// exactly the keys its type has, and no others.
//
//	block-start      index, blockType
//	text-delta       index, text
//	reasoning-delta  index, text
//	tool-call-delta  index, id, name?, argumentsDelta
//	block-end        index, block       the authoritative, assembled block
//	usage            usage
//	finish           reason, replayState?
//
// Usage precedes finish and nothing follows finish. A Chunk is immutable once it was handed over.
type Chunk struct {
	// Type is one of the Chunk… constants.
	Type string
	// Index names the block a chunk belongs to; 0 for usage and finish.
	Index int
	// BlockType is what a block-start opens.
	BlockType string
	// Text is the fragment of a text-delta or reasoning-delta.
	Text string
	// ID is the tool call's id; every tool-call-delta repeats it.
	ID string
	// Name is the tool's name. HasName tells an absent name from an empty one.
	Name    string
	HasName bool
	// ArgumentsDelta is a raw fragment of the call's argument JSON; the first one is commonly empty.
	ArgumentsDelta string
	// Block is the assembled block of a block-end.
	Block *session.Block
	// Usage is what a usage chunk reports.
	Usage *session.Usage
	// Finish is why a finish chunk ends the stream.
	Finish *FinishReason
	// ReplayState is what a provider wants back with the next request, on a finish chunk; opaque, kept as it was.
	ReplayState json.RawMessage
}

// FinishReason says why a stream ended. Failure is set exactly for the kinds aborted and error.
type FinishReason struct {
	Kind    string           `json:"kind"`
	Failure *session.Failure `json:"failure,omitempty"`
}

// Failed reports whether the stream ended without a usable answer.
func (f FinishReason) Failed() bool { return f.Kind == FinishError || f.Kind == FinishAborted }

type chunkWire struct {
	Type           string          `json:"type"`
	Index          *int            `json:"index,omitempty"`
	BlockType      *string         `json:"blockType,omitempty"`
	Text           *string         `json:"text,omitempty"`
	ID             *string         `json:"id,omitempty"`
	Name           *string         `json:"name,omitempty"`
	ArgumentsDelta *string         `json:"argumentsDelta,omitempty"`
	Block          *session.Block  `json:"block,omitempty"`
	Usage          *session.Usage  `json:"usage,omitempty"`
	Reason         *FinishReason   `json:"reason,omitempty"`
	ReplayState    json.RawMessage `json:"replayState,omitempty"`
}

// MarshalJSON writes exactly the keys the chunk's type has. A chunk that lacks what its type needs is an error.
func (c Chunk) MarshalJSON() ([]byte, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	w := chunkWire{Type: c.Type}
	switch c.Type {
	case ChunkBlockStart:
		w.Index, w.BlockType = &c.Index, &c.BlockType
	case ChunkTextDelta, ChunkReasoningDelta:
		w.Index, w.Text = &c.Index, &c.Text
	case ChunkToolCallDelta:
		w.Index, w.ID, w.ArgumentsDelta = &c.Index, &c.ID, &c.ArgumentsDelta
		if c.HasName {
			w.Name = &c.Name
		}
	case ChunkBlockEnd:
		w.Index, w.Block = &c.Index, c.Block
	case ChunkUsage:
		w.Usage = c.Usage
	case ChunkFinish:
		w.Reason, w.ReplayState = c.Finish, c.ReplayState
	}
	return marshalPlain(w)
}

// marshalPlain writes JSON as the logs have it: with <, > and & as they are. (json.Marshal of a value that holds chunks escapes them again.)
func marshalPlain(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("llm: writing chunk: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads a chunk of a known type. Keys its type does not have are ignored (other versions of the format may add some);
// a missing one, an unknown type or finish kind is an error.
func (c *Chunk) UnmarshalJSON(data []byte) error {
	var w chunkWire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("llm: reading chunk: %w", err)
	}
	missing := func(key string) error { return fmt.Errorf("llm: reading chunk: a %s chunk needs %q", w.Type, key) }
	got := Chunk{Type: w.Type}
	needsIndex := w.Type != ChunkUsage && w.Type != ChunkFinish && w.Type != ""
	if needsIndex && knownChunk(w.Type) {
		if w.Index == nil {
			return missing("index")
		}
		got.Index = *w.Index
	}
	switch w.Type {
	case ChunkBlockStart:
		if w.BlockType == nil {
			return missing("blockType")
		}
		got.BlockType = *w.BlockType
	case ChunkTextDelta, ChunkReasoningDelta:
		if w.Text == nil {
			return missing("text")
		}
		got.Text = *w.Text
	case ChunkToolCallDelta:
		if w.ID == nil {
			return missing("id")
		}
		if w.ArgumentsDelta == nil {
			return missing("argumentsDelta")
		}
		got.ID, got.ArgumentsDelta = *w.ID, *w.ArgumentsDelta
		if w.Name != nil {
			got.Name, got.HasName = *w.Name, true
		}
	case ChunkBlockEnd:
		got.Block = w.Block
	case ChunkUsage:
		got.Usage = w.Usage
	case ChunkFinish:
		got.Finish, got.ReplayState = w.Reason, w.ReplayState
	}
	if err := got.validate(); err != nil {
		return fmt.Errorf("llm: reading chunk: %w", err)
	}
	*c = got
	return nil
}

func knownChunk(typ string) bool {
	switch typ {
	case ChunkBlockStart, ChunkTextDelta, ChunkReasoningDelta, ChunkToolCallDelta, ChunkBlockEnd, ChunkUsage, ChunkFinish:
		return true
	}
	return false
}

func (c Chunk) validate() error {
	if !knownChunk(c.Type) {
		return fmt.Errorf("unknown chunk type %q", c.Type)
	}
	if c.Index < 0 {
		return fmt.Errorf("a %s chunk has the negative index %d", c.Type, c.Index)
	}
	switch c.Type {
	case ChunkBlockStart:
		if c.BlockType == "" {
			return errors.New(`a block-start chunk needs "blockType"`)
		}
	case ChunkBlockEnd:
		if c.Block == nil || c.Block.Type == "" {
			return errors.New(`a block-end chunk needs "block" with a type`)
		}
	case ChunkUsage:
		if c.Usage == nil {
			return errors.New(`a usage chunk needs "usage"`)
		}
	case ChunkFinish:
		return c.validateFinish()
	}
	return nil
}

func (c Chunk) validateFinish() error {
	if c.Finish == nil {
		return errors.New(`a finish chunk needs "reason"`)
	}
	switch c.Finish.Kind {
	case FinishStop, FinishToolCalls, FinishMaxTokens:
		return nil
	case FinishAborted, FinishError:
		if c.Finish.Failure == nil {
			return fmt.Errorf(`a finish chunk of kind %s needs "failure"`, c.Finish.Kind)
		}
		return nil
	}
	return fmt.Errorf("unknown finish kind %q", c.Finish.Kind)
}
