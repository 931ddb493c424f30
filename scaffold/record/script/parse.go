package script

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"keylane/replay/strictyaml"
)

// Script is a parsed file.
type Script struct{ Replies []Reply }

// Reply is what one request is answered with.
type Reply struct {
	// Line is where the reply stands in its file.
	Line int
	// Expect must occur in the last message of the request, or in the one before the context messages that end it; "" fits everything.
	Expect          string
	Reasoning, Text string
	ToolCalls       []ToolCall
	Usage           *Usage
	// ChunkRunes is the size of a delta, in characters.
	ChunkRunes int
	// Delay is waited before each delta.
	Delay time.Duration
	// Finish is the vendor's finish reason; "" stands for tool_calls when there are calls, else stop.
	Finish string
	// CutAfter breaks the connection after that many deltas; -1 never does.
	CutAfter int
	// HangAfter lets nothing more come after that many deltas, until the client goes away; -1 never does.
	HangAfter int
	// Error answers with a status instead of a stream.
	Error *Error
}

// ToolCall is a call the model makes. Arguments is a JSON object.
type ToolCall struct {
	ID, Name  string
	Arguments string
}

// Usage counts tokens as the session log does: input without what was read from the cache.
type Usage struct{ InputTokens, OutputTokens, CacheReadTokens, ReasoningTokens int }

// Error is an answer of the vendor that is no stream.
type Error struct {
	Status            int
	Message           string
	RetryAfterSeconds int
}

// Parse reads a script. Name is the file's, for errors: "<name>:<line>:<column>: …".
func Parse(name string, data []byte) (*Script, error) {
	p := &parser{strictyaml.File{Room: "script", Name: name}}
	root, err := p.Root(data, "it needs `replies:`")
	if err != nil {
		return nil, err
	}
	return p.script(root)
}

type parser struct{ strictyaml.File }

func (p *parser) script(n *yaml.Node) (*Script, error) {
	var script Script
	err := p.Fields(n, "a script", strictyaml.Fields{"replies": func(list *yaml.Node) error {
		return p.Items(list, "replies", func(item *yaml.Node) error {
			reply, err := p.reply(item)
			script.Replies = append(script.Replies, reply)
			return err
		})
	}})
	if err == nil && len(script.Replies) == 0 {
		err = p.Fail(n, "a script needs at least one reply under `replies:`")
	}
	if err != nil {
		return nil, err
	}
	return &script, nil
}

func (p *parser) reply(n *yaml.Node) (Reply, error) {
	reply := Reply{Line: n.Line, ChunkRunes: 4, CutAfter: -1, HangAfter: -1}
	var delayMs int
	err := p.Fields(n, "a reply", strictyaml.Fields{
		"expect":          p.Text(&reply.Expect),
		"reasoning":       p.Text(&reply.Reasoning),
		"text":            p.Text(&reply.Text),
		"finish":          p.finish(&reply.Finish),
		"chunkRunes":      p.Number(&reply.ChunkRunes, 1, 1_000_000),
		"delayMs":         p.Number(&delayMs, 0, 60_000),
		"cutAfterChunks":  p.Number(&reply.CutAfter, 0, math.MaxInt32),
		"hangAfterChunks": p.Number(&reply.HangAfter, 0, math.MaxInt32),
		"toolCalls": func(list *yaml.Node) error {
			return p.Items(list, "toolCalls", func(item *yaml.Node) error {
				call, err := p.toolCall(item)
				reply.ToolCalls = append(reply.ToolCalls, call)
				return err
			})
		},
		"usage": func(value *yaml.Node) (err error) { reply.Usage, err = p.usage(value); return err },
		"error": func(value *yaml.Node) (err error) { reply.Error, err = p.error(value); return err },
	})
	reply.Delay = time.Duration(delayMs) * time.Millisecond
	said := reply.Reasoning != "" || reply.Text != "" || len(reply.ToolCalls) > 0
	switch {
	case err != nil:
	case reply.Error != nil && said:
		err = p.Fail(n, "a reply has either an error or something to say, not both")
	case reply.CutAfter >= 0 && reply.HangAfter >= 0:
		err = p.Fail(n, "a reply is either cut or hangs, not both")
	case reply.Error == nil && !said && reply.CutAfter < 0 && reply.HangAfter < 0 && reply.Finish == "":
		err = p.Fail(n, "a reply needs reasoning, text, toolCalls or error")
	}
	return reply, err
}

func (p *parser) toolCall(n *yaml.Node) (ToolCall, error) {
	call := ToolCall{Arguments: "{}"}
	err := p.Fields(n, "a tool call", strictyaml.Fields{
		"id": p.Text(&call.ID), "name": p.Text(&call.Name),
		"arguments": func(value *yaml.Node) (err error) { call.Arguments, err = p.arguments(value); return err },
	})
	if err == nil && call.Name == "" {
		err = p.Fail(n, "a tool call needs a name")
	}
	return call, err
}

// arguments gives a mapping as JSON; a text is taken as it is, so that a script can let the model make a mistake.
func (p *parser) arguments(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		return n.Value, nil
	}
	if n.Kind != yaml.MappingNode {
		return "", p.Fail(n, "arguments must be a mapping, or a text to be sent as it is")
	}
	return p.json(n, 0)
}

// json writes a node as JSON with the keys in the order of the file, which is how a model would write them.
func (p *parser) json(n *yaml.Node, depth int) (string, error) {
	if depth > 100 {
		return "", p.Fail(n, "arguments are nested too deeply")
	}
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || seen[key.Value] {
				return "", p.Fail(key, "a key of the arguments is not a text, or is there twice")
			}
			seen[key.Value] = true
			value, err := p.json(n.Content[i+1], depth+1)
			if err != nil {
				return "", err
			}
			parts = append(parts, quoteJSON(key.Value)+": "+value)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case yaml.SequenceNode:
		for _, item := range n.Content {
			value, err := p.json(item, depth+1)
			if err != nil {
				return "", err
			}
			parts = append(parts, value)
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case yaml.ScalarNode:
		return p.scalar(n)
	}
	return "", p.Fail(n, "anchors and aliases have no place in arguments")
}

func (p *parser) scalar(n *yaml.Node) (string, error) {
	if n.Tag == "!!str" {
		return quoteJSON(n.Value), nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "", p.Fail(n, "%v", err)
	}
	switch value.(type) {
	case nil, bool, int, int64, uint64, float64:
		text, err := json.Marshal(value)
		if err != nil {
			return "", p.Fail(n, "%q is not a JSON value", n.Value)
		}
		return string(text), nil
	}
	return quoteJSON(n.Value), nil // a date, say: YAML has more types than JSON
}

func quoteJSON(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return strings.TrimSuffix(out.String(), "\n")
}

func (p *parser) usage(n *yaml.Node) (*Usage, error) {
	var usage Usage
	return &usage, p.Fields(n, "usage", strictyaml.Fields{
		"inputTokens": p.Number(&usage.InputTokens, 0, math.MaxInt32), "outputTokens": p.Number(&usage.OutputTokens, 0, math.MaxInt32),
		"cacheReadTokens": p.Number(&usage.CacheReadTokens, 0, math.MaxInt32), "reasoningTokens": p.Number(&usage.ReasoningTokens, 0, math.MaxInt32),
	})
}

func (p *parser) error(n *yaml.Node) (*Error, error) {
	var answer Error
	err := p.Fields(n, "error", strictyaml.Fields{
		"status": p.Number(&answer.Status, 400, 599), "message": p.Text(&answer.Message),
		"retryAfterSeconds": p.Number(&answer.RetryAfterSeconds, 0, 86_400),
	})
	if err == nil && answer.Status == 0 {
		err = p.Fail(n, "error needs a status from 400 to 599")
	}
	return &answer, err
}

func (p *parser) finish(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		switch n.Value {
		case "stop", "tool_calls", "length", "content_filter", "insufficient_system_resource":
			*into = n.Value
			return nil
		}
		return p.Fail(n, "finish must be stop, tool_calls, length, content_filter or insufficient_system_resource")
	}
}
