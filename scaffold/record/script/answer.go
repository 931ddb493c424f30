package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// event is one object of the vendor's event stream.
type event struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role             string      `json:"role,omitempty"`
	Content          *string     `json:"content,omitempty"`
	ReasoningContent *string     `json:"reasoning_content,omitempty"`
	ToolCalls        []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type usage struct {
	PromptTokens            int     `json:"prompt_tokens"`
	CompletionTokens        int     `json:"completion_tokens"`
	TotalTokens             int     `json:"total_tokens"`
	PromptCacheHitTokens    int     `json:"prompt_cache_hit_tokens"`
	PromptCacheMissTokens   int     `json:"prompt_cache_miss_tokens"`
	CompletionTokensDetails details `json:"completion_tokens_details"`
}

type details struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// answer writes a reply as the vendor would, and says how that ended. Breaking the connection, if scripted, is left to the caller.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, asked request, reply Reply, index int) End {
	w.Header().Set("X-Request-Id", fmt.Sprintf("scripted-%d", index+1))
	if reply.Error != nil {
		if reply.Error.RetryAfterSeconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(reply.Error.RetryAfterSeconds))
		}
		writeError(w, reply.Error.Status, "scripted_error", reply.Error.Message)
		return Answered
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	out := http.NewResponseController(w)
	send := func(e event) bool {
		e.ID, e.Object, e.Created, e.Model = fmt.Sprintf("scripted-%d", index+1), "chat.completion.chunk", s.clock.Now().Unix(), asked.Model
		return writeEvent(w, out, e)
	}
	deltas := reply.deltas(index)
	for k, d := range deltas {
		if reply.CutAfter == k {
			return Cut
		}
		if reply.HangAfter == k {
			<-r.Context().Done()
			return s.gone()
		}
		if !s.pause(r, reply) || !send(event{Choices: []choice{{Delta: d}}}) {
			return s.gone()
		}
	}
	if reply.CutAfter >= 0 && reply.CutAfter <= len(deltas) {
		return Cut
	}
	if reply.HangAfter >= 0 {
		<-r.Context().Done()
		return s.gone()
	}
	finish := reply.Finish
	if finish == "" {
		finish = "stop"
		if len(reply.ToolCalls) > 0 {
			finish = "tool_calls"
		}
	}
	empty := ""
	if !send(event{Choices: []choice{{Delta: delta{Content: &empty}, FinishReason: &finish}}}) {
		return s.gone()
	}
	if asked.StreamOptions.IncludeUsage && !send(event{Choices: []choice{}, Usage: reply.vendorUsage()}) {
		return s.gone()
	}
	if _, err := w.Write([]byte("data: [DONE]\n\n")); err != nil {
		return s.gone()
	}
	return Answered
}

func writeEvent(w http.ResponseWriter, out *http.ResponseController, e event) bool {
	var line bytes.Buffer
	line.WriteString("data: ")
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return false
	}
	line.WriteByte('\n')
	if _, err := w.Write(line.Bytes()); err != nil {
		return false // the reader has gone
	}
	return out.Flush() == nil
}

func (s *Server) pause(r *http.Request, reply Reply) bool {
	if reply.Delay <= 0 {
		return r.Context().Err() == nil
	}
	due, stop := s.clock.After(reply.Delay)
	defer stop()
	select {
	case <-due:
		return true
	case <-r.Context().Done():
		return false
	}
}

// deltas are the pieces of a reply: the role first, then reasoning, text, and each call.
func (reply Reply) deltas(index int) []delta {
	empty := ""
	out := []delta{{Role: "assistant", Content: &empty}}
	for _, piece := range pieces(reply.Reasoning, reply.ChunkRunes) {
		out = append(out, delta{ReasoningContent: &piece})
	}
	for _, piece := range pieces(reply.Text, reply.ChunkRunes) {
		out = append(out, delta{Content: &piece})
	}
	for k, call := range reply.ToolCalls {
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("call_%02d_%02d", index+1, k+1)
		}
		out = append(out, delta{ToolCalls: []callDelta{{Index: k, ID: id, Type: "function", Function: functionDelta{Name: call.Name}}}})
		for _, piece := range pieces(call.Arguments, reply.ChunkRunes) {
			out = append(out, delta{ToolCalls: []callDelta{{Index: k, Function: functionDelta{Arguments: piece}}}})
		}
	}
	return out
}

func pieces(text string, size int) []string {
	runes := []rune(text)
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

func (reply Reply) vendorUsage() *usage {
	given := Usage{}
	if reply.Usage != nil {
		given = *reply.Usage
	}
	prompt := given.InputTokens + given.CacheReadTokens
	return &usage{
		PromptTokens: prompt, CompletionTokens: given.OutputTokens, TotalTokens: prompt + given.OutputTokens,
		PromptCacheHitTokens: given.CacheReadTokens, PromptCacheMissTokens: given.InputTokens,
		CompletionTokensDetails: details{ReasoningTokens: given.ReasoningTokens},
	}
}
