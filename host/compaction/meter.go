package compaction

import (
	"encoding/json"

	"keylane/host/llm"
	"keylane/host/session"
)

// The price of text, in tenths of a token per character: 0.3 for ASCII, 0.6 for everything else. That is the rule of thumb in DeepSeek's
// public documentation of its API ("Token & Token Usage"; English 0.3, Chinese 0.6); other vendors' tokenisers are of the same order.
const (
	asciiTenths = 3
	otherTenths = 6
)

const (
	messageTokens = 4    // the frame of a message: its role and separators
	imageTokens   = 1024 // an attachment, whatever it holds
)

// Tokens estimates what a text costs.
func Tokens(text string) int {
	tenths := 0
	for _, r := range text {
		if r < 128 {
			tenths += asciiTenths
		} else {
			tenths += otherTenths
		}
	}
	return (tenths + 9) / 10
}

// MessageTokens estimates what a message costs in a request. Reasoning costs nothing, because it is not sent back.
func MessageTokens(m session.Message) int {
	if len(m.Content) == 0 {
		return 0
	}
	return messageTokens + blockTokens(m.Content)
}

func blockTokens(blocks []session.Block) int {
	sum := 0
	for _, b := range blocks {
		switch b.Type {
		case session.BlockText:
			sum += Tokens(b.Text)
		case session.BlockToolCall:
			sum += Tokens(b.Name) + Tokens(b.Arguments)
		case session.BlockToolResult:
			sum += blockTokens(b.Content)
		case session.BlockImage:
			sum += imageTokens
		}
	}
	return sum
}

// SurfaceTokens estimates what a part of the history costs.
func SurfaceTokens(nodes []session.Node) int {
	sum := 0
	for _, n := range nodes {
		sum += MessageTokens(n.Message)
	}
	return sum
}

// HeaderTokens estimates what every request begins with: the system prompt and the tools' schemas.
func HeaderTokens(h session.RequestHeaderBody) int {
	sum := Tokens(h.System)
	var tools []llm.ToolSchema
	if json.Unmarshal(h.Tools, &tools) != nil {
		return sum + Tokens(string(h.Tools))
	}
	for _, tool := range tools {
		sum += messageTokens + Tokens(tool.Name) + Tokens(tool.Description) + Tokens(string(tool.Parameters))
	}
	return sum
}

// Reading is what a request costs. Said tells that it rests on what the provider counted at the last answer, and that only what came after
// is estimated; such a count covers the header too. A count that is older than the last replacement is of a history that is no more.
type Reading struct {
	Tokens int
	Said   bool
}

// Measure prices the next request.
func Measure(h session.RequestHeaderBody, nodes []session.Node) Reading {
	replacedAt := int64(-1)
	for _, n := range nodes {
		if n.Replaced {
			replacedAt = max(replacedAt, n.Seq)
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if usage := nodes[i].Usage; usage != nil && nodes[i].Seq > replacedAt && usage.Context() > 0 {
			return Reading{Tokens: usage.Context() + SurfaceTokens(nodes[i+1:]), Said: true}
		}
	}
	return Reading{Tokens: HeaderTokens(h) + SurfaceTokens(nodes)}
}
