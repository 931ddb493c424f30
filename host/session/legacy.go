package session

import (
	"encoding/json"
	"errors"
	"fmt"
)

// surfaceData is the data of a surface node in any vintage: the message itself, the message nested, or the older flat shapes without
// message ids.
type surfaceData struct {
	Message json.RawMessage `json:"message"`
	Content json.RawMessage `json:"content"`
	Source  *Source         `json:"source"`
	ID      *string         `json:"id"`
	Role    *string         `json:"role"`
	// Older flat shapes.
	Provenance *ModelTarget `json:"provenance"`
	CallID     *string      `json:"callId"`
	IsError    bool         `json:"isError"`
}

// MessageOf is the model message of a surface node; ok is false for any other event. Older flat shapes are upgraded to today's; a message
// that has no id there gets "legacy-message:<seq>". The error says what is wrong with the node's data.
func MessageOf(e Event) (message Message, ok bool, err error) {
	if !IsSurface(e.Type) {
		return Message{}, false, nil
	}
	message, err = messageOf(e)
	if err == nil {
		err = checkMessage(e.Type, message)
	}
	if err != nil {
		return Message{}, true, fmt.Errorf("session: event %d (%s): %w", e.Seq, e.Type, err)
	}
	return message, true, nil
}

func messageOf(e Event) (Message, error) {
	var data surfaceData
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return Message{}, err
	}
	legacyID := fmt.Sprintf("legacy-message:%d", e.Seq)
	var message Message
	switch {
	case e.Type == TypeUserMessage && data.ID != nil:
		err := json.Unmarshal(e.Data, &message)
		return message, err
	case e.Type != TypeUserMessage && data.Message != nil:
		if err := json.Unmarshal(data.Message, &message); err != nil {
			return Message{}, err
		}
		if e.Type == TypeSteeringMessage && message.ID == "" {
			message.ID, message.Role = legacyID, RoleUser
		}
		return message, nil
	case data.Content == nil:
		return Message{}, errors.New("has neither a message nor content")
	}
	message.ID, message.Role = legacyID, RoleUser
	if err := json.Unmarshal(data.Content, &message.Content); err != nil {
		return Message{}, fmt.Errorf("content: %w", err)
	}
	switch e.Type {
	case TypeAssistantMessage:
		if data.Provenance == nil {
			return Message{}, errors.New("has neither a message nor a provenance")
		}
		message.Role = RoleAssistant
		message.Source = Source{Kind: SourceModel, Provider: data.Provenance.Provider, Model: data.Provenance.Model}
	case TypeToolResult:
		if data.CallID == nil {
			return Message{}, errors.New("has neither a message nor a callId")
		}
		message.Source = Source{Kind: SourceTool, CallID: *data.CallID}
		message.Content = []Block{{Type: BlockToolResult, ToolCallID: *data.CallID, Content: message.Content, IsError: data.IsError}}
	default:
		if data.Source == nil {
			return Message{}, errors.New("has no source")
		}
		message.Source = *data.Source
	}
	return message, nil
}

// checkMessage says whether a message fits the type of its event.
func checkMessage(typ string, m Message) error {
	role := RoleUser
	if typ == TypeAssistantMessage {
		role = RoleAssistant
	}
	switch {
	case m.ID == "":
		return errors.New("message has no id")
	case m.Role != role:
		return fmt.Errorf("message has role %q, not %q", m.Role, role)
	case m.Content == nil:
		return errors.New("message has no content")
	case m.Source.Kind == "":
		return errors.New("message has no source")
	}
	switch typ {
	case TypeAssistantMessage:
		if m.Source.Kind != SourceModel || m.Source.Provider == "" || m.Source.Model == "" {
			return errors.New("source of an assistant message is not a model with its provider")
		}
	case TypeToolResult:
		if len(m.Content) != 1 || m.Content[0].Type != BlockToolResult {
			return errors.New("tool result is not exactly one tool-result block")
		}
		if m.Source.CallID != m.Content[0].ToolCallID {
			return fmt.Errorf("tool result answers call %q, its source names %q", m.Content[0].ToolCallID, m.Source.CallID)
		}
	}
	return nil
}
