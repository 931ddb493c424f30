package deepseek

import (
	"encoding/json"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
)

// doneMarker is the data of the event that ends every stream.
const doneMarker = "[DONE]"

type chatChunk struct {
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage"`
	Error   *chatError   `json:"error"`
}

type chatChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	FinishReason *string   `json:"finish_reason"`
}

type chatDelta struct {
	Content          *string         `json:"content"`
	ReasoningContent *string         `json:"reasoning_content"`
	ToolCalls        []chatCallDelta `json:"tool_calls"`
}

type chatCallDelta struct {
	Index    *int    `json:"index"`
	ID       *string `json:"id"`
	Function struct {
		Name      *string `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

type chatUsage struct {
	PromptTokens        int  `json:"prompt_tokens"`
	CompletionTokens    int  `json:"completion_tokens"`
	CacheHitTokens      *int `json:"prompt_cache_hit_tokens"`
	PromptTokensDetails *struct {
		CachedTokens *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails *struct {
		ReasoningTokens *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// decoder turns the events of one answer into chunks.
type decoder struct {
	emit   func(llm.Chunk)
	blocks []*openBlock       // in the order of their index, which is the order they were opened in
	calls  map[int]*openBlock // by the vendor's tool call index
	usage  *session.Usage
	finish string // the vendor's finish reason, "" before it came
	done   bool   // the end marker came
}

type openBlock struct {
	index    int
	typ      string
	text     strings.Builder // or arguments
	id, name string
	hasName  bool
}

func newDecoder(emit func(llm.Chunk)) *decoder {
	return &decoder{emit: emit, calls: map[int]*openBlock{}}
}

// event takes the data of one event. The deltas of the answer are emitted at once.
func (d *decoder) event(data []byte) error {
	if d.done {
		return nil
	}
	if string(data) == doneMarker {
		d.done = true
		return nil
	}
	var chunk chatChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return llm.NewError(llm.CodeProtocol, fmt.Sprintf("the provider sent an event that cannot be read: %v: %s", err, excerpt(data)), nil)
	}
	if chunk.Error != nil {
		return chunk.Error.inStream()
	}
	if chunk.Usage != nil {
		d.usage = chunk.Usage.mapped()
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		d.delta(choice.Delta)
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			d.finish = *choice.FinishReason
		}
	}
	return nil
}

func (d *decoder) delta(delta chatDelta) {
	if delta.ReasoningContent != nil && *delta.ReasoningContent != "" {
		d.words(session.BlockReasoning, llm.ChunkReasoningDelta, *delta.ReasoningContent)
	}
	if delta.Content != nil && *delta.Content != "" {
		d.words(session.BlockText, llm.ChunkTextDelta, *delta.Content)
	}
	for position, call := range delta.ToolCalls {
		d.call(position, call)
	}
}

// words adds to the running block of a type. Another kind of block in between starts a new one, as it was spoken.
func (d *decoder) words(blockType, chunkType, text string) {
	var block *openBlock
	if last := len(d.blocks) - 1; last >= 0 && d.blocks[last].typ == blockType {
		block = d.blocks[last]
	} else {
		block = d.open(blockType)
	}
	block.text.WriteString(text)
	d.emit(llm.Chunk{Type: chunkType, Index: block.index, Text: text})
}

func (d *decoder) call(position int, delta chatCallDelta) {
	index := position
	if delta.Index != nil {
		index = *delta.Index
	}
	block := d.calls[index]
	if block == nil {
		block = d.open(session.BlockToolCall)
		block.id = fmt.Sprintf("call_%d", index) // some servers leave it out: a call is its place in the answer then
		if delta.ID != nil && *delta.ID != "" {
			block.id = *delta.ID
		}
		d.calls[index] = block
	}
	if delta.Function.Name != nil && *delta.Function.Name != "" && !block.hasName {
		block.name, block.hasName = *delta.Function.Name, true
	}
	arguments := ""
	if delta.Function.Arguments != nil {
		arguments = *delta.Function.Arguments
	}
	block.text.WriteString(arguments)
	d.emit(llm.Chunk{Type: llm.ChunkToolCallDelta, Index: block.index, ID: block.id, Name: block.name, HasName: block.hasName, ArgumentsDelta: arguments})
}

func (d *decoder) open(typ string) *openBlock {
	block := &openBlock{index: len(d.blocks), typ: typ}
	d.blocks = append(d.blocks, block)
	d.emit(llm.Chunk{Type: llm.ChunkBlockStart, Index: block.index, BlockType: typ})
	return block
}

// end takes the end of the body (nil for a clean one) and emits the block-ends, the usage and the finish. An answer counts only when
// its finish reason came and the body was not torn.
func (d *decoder) end(cause error) error {
	if !d.done && (d.finish == "" || cause != nil) {
		return llm.NewError(llm.CodeTransport, "the provider's answer was cut off before its end", cause)
	}
	finish, err := d.reason()
	if err != nil {
		return err
	}
	for _, block := range d.blocks {
		closed := session.Block{Type: block.typ, Text: block.text.String()}
		if block.typ == session.BlockToolCall {
			closed = session.Block{Type: block.typ, ID: block.id, Name: block.name, Arguments: block.text.String()}
		}
		d.emit(llm.Chunk{Type: llm.ChunkBlockEnd, Index: block.index, Block: &closed})
	}
	if d.usage != nil {
		d.emit(llm.Chunk{Type: llm.ChunkUsage, Usage: d.usage})
	}
	d.emit(llm.Chunk{Type: llm.ChunkFinish, Finish: &finish})
	return nil
}

func (d *decoder) reason() (llm.FinishReason, error) {
	switch d.finish {
	case "stop", "tool_calls", "function_call":
		for _, call := range d.calls {
			if !call.hasName {
				return llm.FinishReason{}, llm.NewError(llm.CodeProtocol, fmt.Sprintf("the provider gave tool call %s no name", call.id), nil)
			}
		}
		if len(d.calls) > 0 {
			return llm.FinishReason{Kind: llm.FinishToolCalls}, nil
		}
		if len(d.blocks) == 0 {
			return llm.FinishReason{}, llm.NewError(llm.CodeEmptyResponse, "the model returned a completed answer without any content", nil)
		}
		return llm.FinishReason{Kind: llm.FinishStop}, nil
	case "length":
		return llm.FinishReason{Kind: llm.FinishMaxTokens}, nil
	case "content_filter":
		return llm.FinishReason{}, llm.NewError("CONTENT_FILTER", "the provider's content filter ended the answer", nil)
	case "insufficient_system_resource":
		return llm.FinishReason{}, llm.NewError(llm.CodeServer, "the provider ran out of resources in the middle of the answer", nil)
	case "":
		return llm.FinishReason{}, llm.NewError(llm.CodeTransport, "the provider ended its answer without a finish reason", nil)
	}
	return llm.FinishReason{}, llm.NewError(llm.CodeProtocol, fmt.Sprintf("the provider ended its answer with the unknown reason %q", d.finish), nil)
}

// mapped makes the counts disjoint: the vendor's prompt tokens include those read from its cache.
func (u chatUsage) mapped() *session.Usage {
	usage := &session.Usage{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, CacheReadTokens: u.CacheHitTokens}
	if usage.CacheReadTokens == nil && u.PromptTokensDetails != nil {
		usage.CacheReadTokens = u.PromptTokensDetails.CachedTokens
	}
	if usage.CacheReadTokens != nil {
		usage.InputTokens = max(0, u.PromptTokens-*usage.CacheReadTokens)
	}
	if u.CompletionTokensDetails != nil {
		usage.ReasoningTokens = u.CompletionTokensDetails.ReasoningTokens
	}
	return usage
}

func excerpt(data []byte) string {
	const limit = 200
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
