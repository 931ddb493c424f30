package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Node is one message of the model's history, with the event it comes from.
type Node struct {
	Seq     int64
	Type    string
	Message Message
	// Replaced says that the node stands for others: it is a copy for the model, or a summary.
	Replaced bool
	// Usage is what the provider said about the call that gave an assistant message; nil when it said nothing.
	Usage *Usage
}

// node is a surface node with its message.
type node struct {
	seq      int64
	typ      string
	data     json.RawMessage
	message  Message
	replaced bool
	usage    *Usage

	forgotten *[sha256.Size]byte // the rest of a tool result that was forgotten
}

// usageOf is what an answer cost, as far as its event says it.
func usageOf(e Event) *Usage {
	var data struct {
		Usage *Usage `json:"usage"`
	}
	if e.Type != TypeAssistantMessage || !bytes.Contains(e.Data, []byte(`"usage"`)) || json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Usage
}

// surface is the sequence of nodes that make up the model's history. Each event goes through add, which refuses what would break it.
type surface struct {
	nodes    []node
	position map[int64]int // seq of a node → index in nodes; valid below the last replacement's rebuild
}

func newSurface() *surface { return &surface{position: map[int64]int{}} }

// check says whether e may follow, and gives the node it will be (nil for an event off the surface).
func (s *surface) check(e Event) (*node, error) {
	if !IsSurface(e.Type) {
		if e.SurfaceOp != nil || e.HasSources || len(e.SourceEventSeqs) > 0 {
			return nil, fmt.Errorf("session: event %d (%s): only messages may carry surfaceOp or sourceEventSeqs", e.Seq, e.Type)
		}
		return nil, nil
	}
	if e.SurfaceOp == nil {
		return nil, fmt.Errorf("session: event %d (%s): surfaceOp is missing", e.Seq, e.Type)
	}
	message, _, err := MessageOf(e)
	if err != nil {
		return nil, err
	}
	if err := checkSources(e); err != nil {
		return nil, fmt.Errorf("session: event %d (%s): %w", e.Seq, e.Type, err)
	}
	made := &node{seq: e.Seq, typ: e.Type, data: e.Data, message: message, replaced: e.SurfaceOp.Replace, usage: usageOf(e)}
	if e.SurfaceOp.Replace {
		if err := s.checkReplace(e, made); err != nil {
			return nil, fmt.Errorf("session: event %d (%s): %w", e.Seq, e.Type, err)
		}
	}
	return made, nil
}

func checkSources(e Event) error {
	if e.HasSources && len(e.SourceEventSeqs) == 0 && e.Type != TypeAssistantMessage {
		return errors.New("sourceEventSeqs is empty, which only an assistant message may have")
	}
	seen := make(map[int64]struct{}, len(e.SourceEventSeqs))
	for _, seq := range e.SourceEventSeqs {
		if seq < 0 || seq >= e.Seq {
			return fmt.Errorf("sourceEventSeqs names %d, which is not an earlier event", seq)
		}
		if _, there := seen[seq]; there {
			return fmt.Errorf("sourceEventSeqs names %d twice", seq)
		}
		seen[seq] = struct{}{}
	}
	return nil
}

func (s *surface) checkReplace(e Event, made *node) error {
	first, last, err := s.span(*e.SurfaceOp)
	if err != nil {
		return err
	}
	cited := make(map[int64]struct{}, len(e.SourceEventSeqs))
	for _, seq := range e.SourceEventSeqs {
		cited[seq] = struct{}{}
	}
	for _, shadowed := range s.nodes[first : last+1] {
		if _, there := cited[shadowed.seq]; !there {
			return fmt.Errorf("replaces event %d without naming it in sourceEventSeqs", shadowed.seq)
		}
	}
	if e.Type != TypeToolResult {
		return nil
	}
	if first != last || s.nodes[first].typ != TypeToolResult {
		return errors.New("a tool result may replace exactly one tool result")
	}
	before, err := s.nodes[first].rest()
	if err != nil {
		return err
	}
	after, err := made.rest()
	if err == nil && before != after {
		err = errors.New("replaces a tool result and changes more than its content")
	}
	return err
}

func (s *surface) span(op SurfaceOp) (first, last int, err error) {
	first, there := s.position[op.Start]
	if !there {
		return 0, 0, fmt.Errorf("replaces from event %d, which is not in the history", op.Start)
	}
	last, there = s.position[op.End]
	if !there {
		return 0, 0, fmt.Errorf("replaces up to event %d, which is not in the history", op.End)
	}
	if first > last {
		return 0, 0, fmt.Errorf("replaces from event %d up to %d, which comes before it", op.Start, op.End)
	}
	return first, last, nil
}

// withoutContent is a tool result without the content of its block, with its keys in order.
func withoutContent(data json.RawMessage) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if message, ok := value["message"].(map[string]any); ok {
		if blocks, ok := message["content"].([]any); ok && len(blocks) == 1 {
			if block, ok := blocks[0].(map[string]any); ok {
				delete(block, "content")
			}
		}
	} else {
		delete(value, "content")
	}
	return json.Marshal(value) // sorts the keys
}

// rest is a checksum of a tool result without its content: of two that differ in their content only it is the same.
func (n *node) rest() ([sha256.Size]byte, error) {
	if n.forgotten != nil {
		return *n.forgotten, nil
	}
	text, err := withoutContent(n.data)
	return sha256.Sum256(text), err
}

// forget drops what the message says.
func (n *node) forget() error {
	if n.typ == TypeToolResult {
		rest, err := n.rest()
		if err != nil {
			return err
		}
		n.forgotten = &rest
	}
	n.data, n.message, n.usage = nil, Message{}, nil
	return nil
}

// add applies an event that check has accepted.
func (s *surface) add(e Event, made *node) {
	if made == nil {
		return
	}
	if !e.SurfaceOp.Replace {
		s.position[made.seq] = len(s.nodes)
		s.nodes = append(s.nodes, *made)
		return
	}
	first, last, err := s.span(*e.SurfaceOp)
	if err != nil {
		return // check has accepted it: cannot happen
	}
	nodes := make([]node, 0, len(s.nodes)-(last-first))
	nodes = append(append(append(nodes, s.nodes[:first]...), *made), s.nodes[last+1:]...)
	s.nodes, s.position = nodes, make(map[int64]int, len(nodes))
	for i, n := range nodes {
		s.position[n.seq] = i
	}
}

// history is the model's view: every node's message in order, without assistant messages that say nothing.
func (s *surface) history() []Message {
	out := make([]Message, 0, len(s.nodes))
	for _, n := range s.nodes {
		if n.typ == TypeAssistantMessage && len(n.message.Content) == 0 {
			continue
		}
		out = append(out, n.message)
	}
	return out
}

// public are all nodes in order.
func (s *surface) public() []Node {
	out := make([]Node, len(s.nodes))
	for i, n := range s.nodes {
		out[i] = Node{Seq: n.seq, Type: n.typ, Message: n.message, Replaced: n.replaced, Usage: n.usage}
	}
	return out
}

// Validate says whether events form a log: seqs from 0 without gaps, envelopes in range, surface rules kept. Types nobody here knows are
// fine, and so is any order of turns and steps.
func Validate(events []Event) error {
	_, err := replaySurface(events)
	return err
}

// History is the model-facing history of a log: the surface nodes' messages in order. Treat the messages as frozen.
func History(events []Event) ([]Message, error) {
	s, err := replaySurface(events)
	if err != nil {
		return nil, err
	}
	return s.history(), nil
}

// Surface is the history of a log node by node; it has the assistant messages that say nothing, too, which History leaves out.
func Surface(events []Event) ([]Node, error) {
	s, err := replaySurface(events)
	if err != nil {
		return nil, err
	}
	return s.public(), nil
}

func replaySurface(events []Event) (*surface, error) {
	s := newSurface()
	for i, e := range events {
		if err := checkEnvelope(e, int64(i)); err != nil {
			return nil, err
		}
		made, err := s.check(e)
		if err != nil {
			return nil, err
		}
		s.add(e, made)
	}
	return s, nil
}

func checkEnvelope(e Event, seq int64) error {
	switch {
	case e.Type == "":
		return fmt.Errorf("session: event %d has no type", e.Seq)
	case isPackedTag(e.Type):
		return fmt.Errorf("session: event %d: type %q is reserved for packed rows", e.Seq, e.Type)
	case e.Seq != seq:
		return fmt.Errorf("session: event %d (%s) stands at index %d", e.Seq, e.Type, seq)
	case e.Time > maxSafeInteger || e.Time < -maxSafeInteger:
		return fmt.Errorf("session: event %d (%s): time is out of range", e.Seq, e.Type)
	case e.Data == nil:
		return fmt.Errorf("session: event %d (%s) has no data", e.Seq, e.Type)
	}
	return nil
}
