package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Roles of a Message. A tool's result has RoleUser.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Kinds of Source that the host itself makes. Others occur in logs and are kept.
const (
	SourceUser   = "user"   // a person; RPCID is the id of the prompt call, so that a page finds its own echo
	SourceModel  = "model"  // Provider and Model
	SourceTool   = "tool"   // CallID
	SourcePlugin = "plugin" // Plugin

	// Context that the host gives a model in the person's place; see host/prompt.
	SourceInstructions = "workspace-instructions" // from files for agents
	SourceSkills       = "skill-catalog"          // the skills there are
	SourceRuntime      = "runtime-context"        // where the session runs
)

// Types of Block.
const (
	BlockText       = "text"
	BlockReasoning  = "reasoning"
	BlockToolCall   = "tool-call"
	BlockToolResult = "tool-result"
	BlockImage      = "image"
)

// Message is one message as models see it. Treat it as frozen once it is in a log: its slices are shared.
type Message struct {
	ID      string  `json:"id"`
	Role    string  `json:"role"`
	Content []Block `json:"content"`
	Source  Source  `json:"source"`
}

// MarshalJSON writes content as an array also when it is empty.
func (m Message) MarshalJSON() ([]byte, error) {
	type plain Message
	if m.Content == nil {
		m.Content = []Block{}
	}
	return marshalPlain(plain(m))
}

// Text is the message's text blocks, joined by blank lines. It is what a title or a comparison looks at.
func (m Message) Text() string {
	var out bytes.Buffer
	for _, block := range m.Content {
		if block.Type != BlockText {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n")
		}
		out.WriteString(block.Text)
	}
	return out.String()
}

// Block is one piece of a message. Which fields count depends on Type: text and reasoning have Text; tool-call has ID, Name and Arguments
// (the text the model produced, not parsed); tool-result has ToolCallID, Content and IsError; image has Attachment.
// Extra keeps the fields nobody here knows, so that writing a block again loses nothing.
type Block struct {
	Type       string
	Text       string
	ID         string
	Name       string
	Arguments  string
	ToolCallID string
	Content    []Block
	IsError    bool
	Attachment json.RawMessage
	Extra      map[string]json.RawMessage
}

// MarshalJSON writes exactly the fields of the block's type, then Extra.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Type == "" {
		return nil, errors.New("session: block has no type")
	}
	out := newObject()
	out.add("type", b.Type)
	switch b.Type {
	case BlockText, BlockReasoning:
		out.add("text", b.Text)
	case BlockToolCall:
		out.add("id", b.ID)
		out.add("name", b.Name)
		out.add("arguments", b.Arguments)
	case BlockToolResult:
		content := b.Content
		if content == nil {
			content = []Block{}
		}
		out.add("toolCallId", b.ToolCallID)
		out.add("content", content)
		out.add("isError", b.IsError)
	case BlockImage:
		out.add("attachment", b.Attachment)
	}
	out.addExtra(b.Extra)
	return out.finish()
}

// UnmarshalJSON reads a block of any type. A known type must have its fields, of the right JSON type.
func (b *Block) UnmarshalJSON(text []byte) error {
	fields, err := decodeFields(text)
	if err != nil {
		return fmt.Errorf("session: block: %w", err)
	}
	*b = Block{}
	if err := fields.take("type", &b.Type, true); err != nil || b.Type == "" {
		return fmt.Errorf("session: block: type is missing or no text: %w", orUnnamed(err))
	}
	switch b.Type {
	case BlockText, BlockReasoning:
		err = fields.take("text", &b.Text, true)
	case BlockToolCall:
		err = errors.Join(fields.take("id", &b.ID, true), fields.take("name", &b.Name, true), fields.take("arguments", &b.Arguments, true))
	case BlockToolResult:
		err = errors.Join(fields.take("toolCallId", &b.ToolCallID, true), fields.take("content", &b.Content, true), fields.take("isError", &b.IsError, false))
	case BlockImage:
		err = fields.take("attachment", &b.Attachment, true)
	}
	if err != nil {
		return fmt.Errorf("session: %s block: %w", b.Type, err)
	}
	b.Extra = fields.rest()
	return nil
}

// Source says where a message comes from. Extra keeps the fields nobody here knows.
type Source struct {
	Kind     string
	RPCID    string
	Provider string
	Model    string
	CallID   string
	Plugin   string
	Extra    map[string]json.RawMessage
}

// MarshalJSON writes kind, the fields that are set, then Extra.
func (s Source) MarshalJSON() ([]byte, error) {
	if s.Kind == "" {
		return nil, errors.New("session: message source has no kind")
	}
	out := newObject()
	out.add("kind", s.Kind)
	for _, field := range s.named() {
		if *field.value != "" {
			out.add(field.name, *field.value)
		}
	}
	out.addExtra(s.Extra)
	return out.finish()
}

// UnmarshalJSON reads a source of any kind.
func (s *Source) UnmarshalJSON(text []byte) error {
	fields, err := decodeFields(text)
	if err != nil {
		return fmt.Errorf("session: message source: %w", err)
	}
	*s = Source{}
	if err := fields.take("kind", &s.Kind, true); err != nil || s.Kind == "" {
		return fmt.Errorf("session: message source: kind is missing or no text: %w", orUnnamed(err))
	}
	for _, field := range s.named() {
		if err := fields.take(field.name, field.value, false); err != nil {
			return fmt.Errorf("session: message source: %w", err)
		}
	}
	s.Extra = fields.rest()
	return nil
}

type namedText struct {
	name  string
	value *string
}

func (s *Source) named() []namedText {
	return []namedText{{"rpcId", &s.RPCID}, {"provider", &s.Provider}, {"model", &s.Model}, {"callId", &s.CallID}, {"plugin", &s.Plugin}}
}

func orUnnamed(err error) error {
	if err == nil {
		return errors.New("empty")
	}
	return err
}
