package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gopkg.in/yaml.v3"

	"keylane/host/llm"
	"keylane/host/session"
)

// overrideParser reads an override.yml; see the package comment for the format. Every mistake is an error with line and column.
type overrideParser struct{ name string }

func (p *overrideParser) fail(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("replay: %s:%d:%d: %s", p.name, n.Line, n.Column, fmt.Sprintf(format, args...))
}

// parseOverride reads the text of an override file; name is what errors call it.
func parseOverride(name string, data []byte) (*overriding, error) {
	p := &overrideParser{name: name}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("replay: %s:1:1: the file is empty: it needs `calls:` or `bind:`, or must not be there", p.name)
	case err != nil:
		return nil, p.syntaxError(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("replay: %s: there is more than one YAML document, or text behind the first", p.name)
	}
	root := document.Content[0]
	o := &overriding{parser: p}
	seen := map[int]int{}
	err := p.fields(root, "an override", fields{"calls": func(list *yaml.Node) error {
		return p.items(list, "calls", func(item *yaml.Node) error {
			e, err := p.entry(item)
			if err != nil {
				return err
			}
			if line, twice := seen[e.at]; twice {
				return p.fail(e.node, "call %d is overridden twice: first in line %d", e.at, line)
			}
			seen[e.at] = e.node.Line
			o.entries = append(o.entries, e)
			return nil
		})
	}, "bind": func(list *yaml.Node) error {
		if err := p.items(list, "bind", func(item *yaml.Node) error {
			var name string
			o.order = append(o.order, item)
			return p.text(&name)(item)
		}); err != nil {
			return err
		}
		if len(o.order) < 2 {
			return p.fail(list, "bind needs the names of at least two sessions that begin alike, in the order in which they first ask")
		}
		return nil
	}})
	if err == nil && len(o.entries) == 0 && len(o.order) == 0 {
		err = p.fail(root, "an override needs at least one entry under `calls:`, or a `bind:`")
	}
	return o, err
}

// syntaxError words an error of the YAML parser, which knows the line at most.
func (p *overrideParser) syntaxError(err error) error {
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return fmt.Errorf("replay: %s:%d:1: not YAML: %s", p.name, line, text)
}

// entry reads {at, chunks [cut]}, {at, throw} or {at, hang}.
func (p *overrideParser) entry(n *yaml.Node) (entry, error) {
	e := entry{take: -1}
	cut := -1
	var kinds []string
	var cutNode *yaml.Node
	kind := func(name string, read func(*yaml.Node) error) func(*yaml.Node) error {
		return func(value *yaml.Node) error {
			kinds = append(kinds, name)
			return read(value)
		}
	}
	err := p.fields(n, "an entry", fields{
		"at":     func(value *yaml.Node) error { e.node = value; return p.number(&e.at, 0, math.MaxInt32)(value) },
		"cut":    func(value *yaml.Node) error { cutNode = value; return p.number(&cut, 0, math.MaxInt32)(value) },
		"chunks": kind("chunks", func(value *yaml.Node) error { return p.said(value, &e) }),
		"throw":  kind("throw", func(value *yaml.Node) error { return p.throw(value, &e) }),
		"hang":   kind("hang", func(value *yaml.Node) error { return p.hang(value, &e) }),
	})
	switch {
	case err != nil:
		return e, err
	case e.node == nil:
		return e, p.fail(n, "an entry needs `at`: the call it stands for, counted from 0")
	case len(kinds) != 1:
		return e, p.fail(n, "an entry needs exactly one of chunks, throw and hang, this one has %d", len(kinds))
	case cutNode != nil && kinds[0] != "chunks":
		return e, p.fail(cutNode, "cut goes with chunks only; throw and hang have a prefix")
	case cutNode != nil:
		return e, p.cut(cutNode, cut, &e)
	}
	if kinds[0] == "chunks" && !e.recorded && (len(e.chunks) == 0 || e.chunks[len(e.chunks)-1].Type != llm.ChunkFinish) {
		return e, p.fail(e.place, "the chunks do not end in a finish: add one, or say after how many the stream is cut")
	}
	return e, nil
}

// cut keeps the first chunks; a stream that is cut has no finish.
func (p *overrideParser) cut(n *yaml.Node, after int, e *entry) error {
	e.end = ending{cut: true}
	if e.recorded {
		e.take, e.place = after, n
		return nil
	}
	said := withoutFinish(e.chunks)
	if after > len(said) {
		return p.fail(n, "there are only %d chunk(s) before the finish to cut after", len(said))
	}
	e.chunks = said[:after]
	return nil
}

// said reads a list of chunks, or the word recorded.
func (p *overrideParser) said(n *yaml.Node, e *entry) error {
	e.place = n
	if n.Kind == yaml.ScalarNode && n.Value == "recorded" {
		e.recorded = true
		return nil
	}
	return p.chunks(n, e)
}

// prefix reads a list of chunks, or how many of the recorded ones.
func (p *overrideParser) prefix(e *entry) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		e.place = n
		if n.Kind == yaml.ScalarNode {
			e.recorded = true
			return p.number(&e.take, 0, math.MaxInt32)(n)
		}
		if err := p.chunks(n, e); err != nil {
			return err
		}
		if len(withoutFinish(e.chunks)) < len(e.chunks) {
			return p.fail(n.Content[len(n.Content)-1], "a prefix has no finish")
		}
		return nil
	}
}

func (p *overrideParser) throw(n *yaml.Node, e *entry) error {
	failure := session.Failure{}
	var wait int
	e.end.failure = &failure
	err := p.fields(n, "throw", fields{
		"code": p.text(&failure.Code), "message": p.text(&failure.Message), "requestId": p.text(&failure.RequestID),
		"status":       p.number(&failure.Status, 100, 599),
		"retryAfterMs": p.number(&wait, 1, math.MaxInt32),
		"prefix":       p.prefix(e),
	})
	failure.RetryAfterMs = int64(wait)
	if err == nil && (failure.Code == "" || failure.Message == "") {
		err = p.fail(n, "throw needs a code and a message")
	}
	return err
}

func (p *overrideParser) hang(n *yaml.Node, e *entry) error {
	e.end.hang = true
	err := p.fields(n, "hang", fields{"marker": p.text(&e.end.marker), "prefix": p.prefix(e)})
	if err == nil && e.end.marker == "" {
		err = p.fail(n, "hang needs a marker: the name by which the scenario waits for it")
	}
	return err
}

func (p *overrideParser) chunks(n *yaml.Node, e *entry) error {
	e.chunks = []llm.Chunk{}
	return p.items(n, "a list of chunks", func(item *yaml.Node) error {
		if len(withoutFinish(e.chunks)) < len(e.chunks) {
			return p.fail(item, "nothing follows a finish")
		}
		chunk, err := p.chunk(item)
		e.chunks = append(e.chunks, chunk)
		return err
	})
}

// chunk reads one chunk, in the words of the session log. A key that its type does not have is a mistake here.
func (p *overrideParser) chunk(n *yaml.Node) (llm.Chunk, error) {
	var chunk llm.Chunk
	if n.Kind != yaml.MappingNode {
		return chunk, p.fail(n, "a chunk must be a mapping with a type")
	}
	var value map[string]any
	if err := n.Decode(&value); err != nil {
		return chunk, p.fail(n, "a chunk cannot be read: %v", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return chunk, p.fail(n, "a chunk is no JSON: %v", err)
	}
	if err := json.Unmarshal(text, &chunk); err != nil {
		return chunk, p.fail(n, "%v", err)
	}
	var known map[string]json.RawMessage
	if text, err = chunk.MarshalJSON(); err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil {
		return chunk, p.fail(n, "%v", err)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if _, ok := known[n.Content[i].Value]; !ok {
			return chunk, p.fail(n.Content[i], "a %s chunk has no key %q", chunk.Type, n.Content[i].Value)
		}
	}
	return chunk, nil
}

// fields are the keys a mapping may have, and what reads each.
type fields map[string]func(*yaml.Node) error

func (p *overrideParser) fields(n *yaml.Node, what string, take fields) error {
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "%s must be a mapping", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := take[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || read == nil:
			return p.fail(key, "%s has no key %q", what, key.Value)
		case seen[key.Value]:
			return p.fail(key, "%s has the key %q twice", what, key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func (p *overrideParser) items(n *yaml.Node, what string, take func(*yaml.Node) error) error {
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

func (p *overrideParser) text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
			return p.fail(n, "this must be a text that is not empty: put it in quotes")
		}
		*into = n.Value
		return nil
	}
}

func (p *overrideParser) number(into *int, low, high int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var value int
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&value) != nil || value < low || value > high {
			return p.fail(n, "this must be a whole number from %d to %d", low, high)
		}
		*into = value
		return nil
	}
}
