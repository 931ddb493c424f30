package deepseek

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
)

type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools,omitempty"`
	MaxTokens     int           `json:"max_tokens,omitempty"`
	Temperature   *float64      `json:"temperature,omitempty"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null beside tool calls without words
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string         `json:"type"`
	Function llm.ToolSchema `json:"function"`
}

// encodeRequest maps a request to the vendor's JSON. Reasoning is not sent back: the vendor refuses it.
func encodeRequest(r llm.Request) ([]byte, error) {
	out := chatRequest{
		Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
		Messages: make([]chatMessage, 0, len(r.Messages)+1),
	}
	if r.System != "" {
		out.Messages = append(out.Messages, chatMessage{Role: "system", Content: &r.System})
	}
	for i, message := range r.Messages {
		mapped, err := mapMessage(message)
		if err != nil {
			return nil, llm.NewError(llm.CodeInvalidRequest, fmt.Sprintf("message %d (%s) cannot be sent: %v", i+1, message.ID, err), nil)
		}
		out.Messages = append(out.Messages, mapped...)
	}
	for _, schema := range r.Tools {
		out.Tools = append(out.Tools, chatTool{Type: "function", Function: schema})
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return nil, llm.NewError(llm.CodeInvalidRequest, "the request cannot be written as JSON", err)
	}
	return body.Bytes(), nil
}

func mapMessage(m session.Message) ([]chatMessage, error) {
	if m.Role == session.RoleAssistant {
		return mapAssistant(m)
	}
	var texts []string
	var results []chatMessage
	for _, block := range m.Content {
		switch block.Type {
		case session.BlockText:
			texts = append(texts, block.Text)
		case session.BlockToolResult:
			text, err := resultText(block)
			if err != nil {
				return nil, err
			}
			results = append(results, chatMessage{Role: "tool", Content: &text, ToolCallID: block.ToolCallID})
		default:
			return nil, fmt.Errorf("DeepSeek takes text only, and there is a block of type %q", block.Type)
		}
	}
	if len(texts) > 0 || len(results) == 0 {
		text := strings.Join(texts, "\n\n")
		// Results come first: the vendor wants them right behind the calls they answer.
		results = append(results, chatMessage{Role: "user", Content: &text})
	}
	return results, nil
}

func mapAssistant(m session.Message) ([]chatMessage, error) {
	out := chatMessage{Role: "assistant"}
	var text strings.Builder
	for _, block := range m.Content {
		switch block.Type {
		case session.BlockText:
			text.WriteString(block.Text)
		case session.BlockReasoning:
		case session.BlockToolCall:
			call := chatCall{ID: block.ID, Type: "function", Function: chatFunction{Name: block.Name, Arguments: block.Arguments}}
			out.ToolCalls = append(out.ToolCalls, call)
		default:
			return nil, fmt.Errorf("an assistant message has a block of type %q", block.Type)
		}
	}
	if text.Len() == 0 && len(out.ToolCalls) == 0 {
		return nil, nil // reasoning alone, from a turn that was cut: there is nothing to send
	}
	if words := text.String(); words != "" {
		out.Content = &words
	}
	return []chatMessage{out}, nil
}

func resultText(block session.Block) (string, error) {
	var texts []string
	for _, part := range block.Content {
		if part.Type != session.BlockText {
			return "", fmt.Errorf("DeepSeek takes text only, and a tool result has a block of type %q", part.Type)
		}
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n"), nil
}
