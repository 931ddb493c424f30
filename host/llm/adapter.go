package llm

import (
	"context"
	"encoding/json"

	"keylane/host/session"
)

// Purpose says what a model call is for. Replay keeps one script and one cursor per purpose.
type Purpose string

// The purposes of today.
const (
	PurposeTurn       Purpose = "turn"
	PurposeTitle      Purpose = "session-title"
	PurposeCompaction Purpose = "compaction"
)

// Request is one model call. The agent assembles it from the session log only: what the model sees is what was logged.
// The slices belong to the caller and must not change until the stream is closed; adapters do not write to them.
type Request struct {
	// SessionID is the session that asks, ParentSession its parent ("" for a root session).
	SessionID, ParentSession string
	Purpose                  Purpose
	// Provider is an adapter's id, Model one of its models.
	Provider, Model string
	// System is the system prompt; "" sends none.
	System string
	// Tools are what the model may call.
	Tools []ToolSchema
	// Messages is the history, oldest first, ending in what is to be answered.
	Messages []session.Message
	// MaxTokens bounds the answer; 0 leaves it to the provider.
	MaxTokens int
	// Temperature is left to the provider when nil.
	Temperature *float64
}

// ToolSchema describes a tool to a model.
type ToolSchema struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is the JSON Schema (2020-12) of the arguments, an object schema.
	Parameters json.RawMessage `json:"parameters"`
}

// ModelInfo is one entry of a provider's catalogue.
type ModelInfo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// ContextWindow is in tokens; 0 = unknown.
	ContextWindow int `json:"contextWindow,omitempty"`
}

// Info is what a provider tells about itself.
type Info struct {
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Models []ModelInfo `json:"models"`
	// Ready is whether a call has a chance; Reason is a text code that says why not, e.g. "missing-key".
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
	// Demo marks a provider that answers from a recording, whatever it is asked.
	Demo bool `json:"demo,omitempty"`
	// Prompts are what a demo suggests to ask, in order.
	Prompts []string `json:"prompts,omitempty"`
}

// Adapter answers model calls for one provider. It is safe for concurrent use.
// An adapter that holds connections is an io.Closer as well; whoever registered it closes it.
type Adapter interface {
	// Info is cheap and may change between calls (a key may appear).
	Info() Info
	// Stream starts a call. Cancelling ctx ends it promptly. An error here and one from Next mean the same to the registry's callers.
	Stream(ctx context.Context, r Request) (Stream, error)
}

// Stream is one running answer. It is read by one goroutine; Close may be called from any, more than once, and releases
// everything the call holds before it returns.
type Stream interface {
	// Next waits for the next chunk. It returns io.EOF after the finish chunk.
	Next() (Chunk, error)
	Close() error
}

// LastUserText is what a person said last in a history: the text of the last message that comes from a person, or, when there is
// none, of the last message with the role user that is not a tool's result. What plugins put into a history does not count, because
// it changes from machine to machine. Replay compares it with the recording.
func LastUserText(messages []session.Message) string {
	fallback, found := "", false
	for i := len(messages) - 1; i >= 0; i-- {
		message := messages[i]
		if message.Role == session.RoleAssistant || message.Source.Kind == session.SourceTool {
			continue
		}
		if message.Source.Kind == session.SourceUser {
			return message.Text()
		}
		if !found {
			fallback, found = message.Text(), true
		}
	}
	return fallback
}

// FirstUserText is what a person said first in a history, by the rules of [LastUserText]. Replay binds sessions by it.
func FirstUserText(messages []session.Message) string {
	fallback, found := "", false
	for _, message := range messages {
		if message.Role == session.RoleAssistant || message.Source.Kind == session.SourceTool {
			continue
		}
		if message.Source.Kind == session.SourceUser {
			return message.Text()
		}
		if !found {
			fallback, found = message.Text(), true
		}
	}
	return fallback
}
