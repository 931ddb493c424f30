package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Script is a parsed file.
type Script struct{ Replies []Reply }

// Reply is what one request is answered with.
type Reply struct {
	// Line is where the reply stands in its file.
	Line int
	// Expect must occur in the last message of the request; "" fits everything.
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
	p := &parser{name: name}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("script: %s:1:1: the file is empty: it needs `replies:`", name)
	case err != nil:
		return nil, syntaxError(name, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("script: %s: there is more than one YAML document, or text behind the first", name)
	}
	script, err := p.script(document.Content[0])
	if err != nil {
		return nil, err
	}
	return script, nil
}

// syntaxError words an error of the YAML parser, which knows the line at most.
func syntaxError(name string, err error) error {
	line := 1
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return fmt.Errorf("script: %s:%d:1: not YAML: %s", name, line, text)
}

type parser struct{ name string }

func (p *parser) fail(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("script: %s:%d:%d: %s", p.name, n.Line, n.Column, fmt.Sprintf(format, args...))
}

// fields walks a mapping with a closed set of keys.
func (p *parser) fields(n *yaml.Node, what string, take map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "%s must be a mapping", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		known := take[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || known == nil:
			return p.fail(key, "%s has no key %q", what, key.Value)
		case seen[key.Value]:
			return p.fail(key, "%s has the key %q twice", what, key.Value)
		}
		seen[key.Value] = true
		if err := known(value); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) script(n *yaml.Node) (*Script, error) {
	var script Script
	err := p.fields(n, "a script", map[string]func(*yaml.Node) error{"replies": func(list *yaml.Node) error {
		return p.items(list, "replies", func(item *yaml.Node) error {
			reply, err := p.reply(item)
			script.Replies = append(script.Replies, reply)
			return err
		})
	}})
	if err == nil && len(script.Replies) == 0 {
		err = p.fail(n, "a script needs at least one reply under `replies:`")
	}
	return &script, err
}

func (p *parser) items(n *yaml.Node, what string, take func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return p.fail(n, "%s must be a list", what)
	}
	for _, item := range n.Content {
		if err := take(item); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) reply(n *yaml.Node) (Reply, error) {
	reply := Reply{Line: n.Line, ChunkRunes: 4, CutAfter: -1, HangAfter: -1}
	var delayMs int
	err := p.fields(n, "a reply", map[string]func(*yaml.Node) error{
		"expect":          p.text(&reply.Expect),
		"reasoning":       p.text(&reply.Reasoning),
		"text":            p.text(&reply.Text),
		"finish":          p.finish(&reply.Finish),
		"chunkRunes":      p.number(&reply.ChunkRunes, 1, 1_000_000),
		"delayMs":         p.number(&delayMs, 0, 60_000),
		"cutAfterChunks":  p.number(&reply.CutAfter, 0, math.MaxInt32),
		"hangAfterChunks": p.number(&reply.HangAfter, 0, math.MaxInt32),
		"toolCalls": func(list *yaml.Node) error {
			return p.items(list, "toolCalls", func(item *yaml.Node) error {
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
		err = p.fail(n, "a reply has either an error or something to say, not both")
	case reply.CutAfter >= 0 && reply.HangAfter >= 0:
		err = p.fail(n, "a reply is either cut or hangs, not both")
	case reply.Error == nil && !said && reply.CutAfter < 0 && reply.HangAfter < 0 && reply.Finish == "":
		err = p.fail(n, "a reply needs reasoning, text, toolCalls or error")
	}
	return reply, err
}

func (p *parser) toolCall(n *yaml.Node) (ToolCall, error) {
	call := ToolCall{Arguments: "{}"}
	err := p.fields(n, "a tool call", map[string]func(*yaml.Node) error{
		"id": p.text(&call.ID), "name": p.text(&call.Name),
		"arguments": func(value *yaml.Node) (err error) { call.Arguments, err = p.arguments(value); return err },
	})
	if err == nil && call.Name == "" {
		err = p.fail(n, "a tool call needs a name")
	}
	return call, err
}

// arguments gives a mapping as JSON; a text is taken as it is, so that a script can let the model make a mistake.
func (p *parser) arguments(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		return n.Value, nil
	}
	if n.Kind != yaml.MappingNode {
		return "", p.fail(n, "arguments must be a mapping, or a text to be sent as it is")
	}
	return p.json(n, 0)
}

// json writes a node as JSON with the keys in the order of the file, which is how a model would write them.
func (p *parser) json(n *yaml.Node, depth int) (string, error) {
	if depth > 100 {
		return "", p.fail(n, "arguments are nested too deeply")
	}
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || seen[key.Value] {
				return "", p.fail(key, "a key of the arguments is not a text, or is there twice")
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
	return "", p.fail(n, "anchors and aliases have no place in arguments")
}

func (p *parser) scalar(n *yaml.Node) (string, error) {
	if n.Tag == "!!str" {
		return quoteJSON(n.Value), nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "", p.fail(n, "%v", err)
	}
	switch value.(type) {
	case nil, bool, int, int64, uint64, float64:
		text, err := json.Marshal(value)
		if err != nil {
			return "", p.fail(n, "%q is not a JSON value", n.Value)
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
	return &usage, p.fields(n, "usage", map[string]func(*yaml.Node) error{
		"inputTokens": p.number(&usage.InputTokens, 0, math.MaxInt32), "outputTokens": p.number(&usage.OutputTokens, 0, math.MaxInt32),
		"cacheReadTokens": p.number(&usage.CacheReadTokens, 0, math.MaxInt32), "reasoningTokens": p.number(&usage.ReasoningTokens, 0, math.MaxInt32),
	})
}

func (p *parser) error(n *yaml.Node) (*Error, error) {
	var answer Error
	err := p.fields(n, "error", map[string]func(*yaml.Node) error{
		"status": p.number(&answer.Status, 400, 599), "message": p.text(&answer.Message),
		"retryAfterSeconds": p.number(&answer.RetryAfterSeconds, 0, 86_400),
	})
	if err == nil && answer.Status == 0 {
		err = p.fail(n, "error needs a status from 400 to 599")
	}
	return &answer, err
}

func (p *parser) text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			return p.fail(n, "this must be a text: put it in quotes")
		}
		*into = n.Value
		return nil
	}
}

func (p *parser) finish(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		switch n.Value {
		case "stop", "tool_calls", "length", "content_filter", "insufficient_system_resource":
			*into = n.Value
			return nil
		}
		return p.fail(n, "finish must be stop, tool_calls, length, content_filter or insufficient_system_resource")
	}
}

func (p *parser) number(into *int, low, high int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var value int
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&value) != nil || value < low || value > high {
			return p.fail(n, "this must be a whole number from %d to %d", low, high)
		}
		*into = value
		return nil
	}
}
