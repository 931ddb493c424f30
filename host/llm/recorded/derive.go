package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"keylane/host/llm"
	"keylane/host/session"
)

// DeriveSession derives the scripts of a session's own part: what it inherited from its parent was asked by the parent.
func DeriveSession(h session.Header, events []session.Event) ([]Script, error) {
	if h.SeedLength > len(events) {
		return nil, fmt.Errorf("recorded: the header says that %d events are inherited, but there are %d", h.SeedLength, len(events))
	}
	return Derive(events[h.SeedLength:])
}

// Derive reads the model calls of a log: at most one script per purpose, in the order turn, title, compaction, and only those that have
// calls. A group of chunks is a call: a finish chunk closes it, and so does a change of turn or step. The error joins everything that is wrong;
// when it holds nothing but [*UnfinishedError] values, the scripts are complete apart from the calls marked Unfinished, else they are nil.
func Derive(events []session.Event) ([]Script, error) {
	d := deriver{}
	if len(events) > 0 {
		d.before = events[0].Time
	}
	for _, event := range events {
		if err := d.event(event); err != nil {
			return nil, fmt.Errorf("recorded: event %d (%s): %w", event.Seq, event.Type, err)
		}
		d.before = event.Time
	}
	d.closeGroup()
	var scripts []Script
	for _, purpose := range []struct {
		purpose llm.Purpose
		calls   []Call
	}{{llm.PurposeTurn, d.turns}, {llm.PurposeTitle, d.titles}, {llm.PurposeCompaction, d.compactions}} {
		if len(purpose.calls) > 0 {
			scripts = append(scripts, Script{Purpose: purpose.purpose, FirstUserText: llm.FirstUserText(d.said), Calls: purpose.calls})
		}
	}
	return scripts, errors.Join(d.unfinished...)
}

type deriver struct {
	before     int64             // the time of the event before
	said       []session.Message // what was said first to last, also where a summary has taken its place
	history    []entry           // what a model is shown
	group      *Call
	unfinished []error

	turns, titles, compactions []Call
}

// entry is a message of the history with the seq of its event.
type entry struct {
	seq     int64
	message session.Message
}

// messages are the history as a request has it: without assistant messages that say nothing.
func (d *deriver) messages() []session.Message {
	out := make([]session.Message, 0, len(d.history))
	for _, each := range d.history {
		if each.message.Role != session.RoleAssistant || len(each.message.Content) > 0 {
			out = append(out, each.message)
		}
	}
	return out
}

func (d *deriver) event(e session.Event) error {
	switch e.Type {
	case session.TypeAssistantChunk:
		return d.chunk(e)
	case session.TypeUserMessage, session.TypeSteeringMessage, session.TypeToolResult, session.TypeAssistantMessage:
		return d.surface(e)
	case session.TypeTitle:
		return d.title(e)
	case session.TypeCompaction:
		return d.compaction(e)
	}
	return nil
}

func (d *deriver) chunk(e session.Event) error {
	var data session.AssistantChunk
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return err
	}
	var chunk llm.Chunk
	if err := json.Unmarshal(data.Chunk, &chunk); err != nil {
		return err
	}
	if d.group != nil && (d.group.Turn != data.Turn || d.group.Step != data.Step) {
		d.closeGroup()
	}
	if d.group == nil {
		shown := d.messages()
		d.group = &Call{Turn: data.Turn, Step: data.Step, Seq: e.Seq, LastUserText: llm.LastUserText(shown), ResultsOf: ResultsOf(shown)}
	}
	d.group.Chunks = append(d.group.Chunks, chunk)
	d.group.Delays = append(d.group.Delays, max(0, time.Duration(e.Time-d.before)*time.Millisecond))
	if chunk.Type == llm.ChunkFinish {
		d.closeGroup()
	}
	return nil
}

func (d *deriver) closeGroup() {
	if d.group == nil {
		return
	}
	call := *d.group
	d.group = nil
	if last := call.Chunks[len(call.Chunks)-1]; last.Type != llm.ChunkFinish {
		call.Unfinished = true
		d.unfinished = append(d.unfinished, &UnfinishedError{
			Turn: call.Turn, Step: call.Step, Seq: call.Seq, Chunks: len(call.Chunks), Index: len(d.turns),
		})
	}
	d.turns = append(d.turns, call)
}

func (d *deriver) surface(e session.Event) error {
	message, _, err := session.MessageOf(e)
	if err != nil {
		return err
	}
	if e.SurfaceOp != nil && e.SurfaceOp.Replace {
		d.replace(e, message)
		return nil // a copy for the model (compaction, pruning): nobody said it, no tool gave it
	}
	d.history = append(d.history, entry{e.Seq, message})
	if e.Type == session.TypeUserMessage || e.Type == session.TypeSteeringMessage {
		d.said = append(d.said, message)
	}
	return nil
}

// replace shortens the history. A log that begins with inherited events may replace some that are not here: then what is here of them goes.
func (d *deriver) replace(e session.Event, message session.Message) {
	at := func(seq int64) int {
		return slices.IndexFunc(d.history, func(each entry) bool { return each.seq == seq })
	}
	first, last := max(0, at(e.SurfaceOp.Start)), at(e.SurfaceOp.End)
	d.history = slices.Replace(d.history, first, max(first, last+1), entry{e.Seq, message})
}

func (d *deriver) title(e session.Event) error {
	var title session.Title
	if err := json.Unmarshal(e.Data, &title); err != nil {
		return err
	}
	if title.Source.Kind != session.TitleProvider {
		return nil
	}
	d.titles = append(d.titles, Call{
		Seq: e.Seq, Chunks: wholeBlocks([]session.Block{{Type: session.BlockText, Text: title.Title}}, nil),
	})
	return nil
}

func (d *deriver) compaction(e session.Event) error {
	var summary struct {
		LLMStreamCall bool            `json:"llmStreamCall"`
		RawOutput     []session.Block `json:"rawOutput"`
		Usage         *session.Usage  `json:"usage"`
	}
	if err := json.Unmarshal(e.Data, &summary); err != nil {
		return err
	}
	if !summary.LLMStreamCall {
		return nil
	}
	if len(summary.RawOutput) == 0 {
		return errors.New("the summary was made by a model call, but its raw output was not kept: record the session again")
	}
	d.compactions = append(d.compactions, Call{Seq: e.Seq, Chunks: wholeBlocks(summary.RawOutput, summary.Usage)})
	return nil
}

// wholeBlocks is a stream that was not kept as one: per block its start and its end, then the usage, then the finish.
func wholeBlocks(blocks []session.Block, usage *session.Usage) []llm.Chunk {
	var chunks []llm.Chunk
	for index := range blocks {
		chunks = append(chunks,
			llm.Chunk{Type: llm.ChunkBlockStart, Index: index, BlockType: blocks[index].Type},
			llm.Chunk{Type: llm.ChunkBlockEnd, Index: index, Block: &blocks[index]})
	}
	if usage != nil {
		chunks = append(chunks, llm.Chunk{Type: llm.ChunkUsage, Usage: usage})
	}
	return append(chunks, llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishStop}})
}
