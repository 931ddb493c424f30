package session

import (
	"encoding/json"
	"fmt"
)

// What a model is told about a call whose result was lost with the host.
const (
	textNotStarted     = "This tool call never started: the agent host stopped before it ran. Nothing was changed by it."
	textOutcomeUnknown = "The agent host stopped while this tool call was running, so its outcome is unknown. It may have had its effects. " +
		"Check what happened before running it again."
)

// Repair gives the events that close what a crash left open: the end of a compaction, a result for every tool call of the last turn that
// has none, the step's end, the turn's end (interrupted). They continue the log's seqs at its last time. A balanced log needs none: nil. The events are not touched,
// and repairing a repaired log gives nil.
func Repair(h Header, events []Event) []Event {
	if len(events) == 0 {
		return nil
	}
	last := events[len(events)-1]
	return closing(events, events, last.Seq+1, last.Time)
}

// closing gives the events that close what a log leaves open: turn is the log from its last turn's start or before, compaction the log
// from its last compaction's start or before; next and time are those of the events.
func closing(turn, compaction []Event, next, time int64) []Event {
	state := scanOpenTurn(turn)
	r := repairer{next: next, time: time}
	if end := openCompaction(compaction); end != nil {
		r.add(TypeCompactionEnd, *end)
	}
	if !state.open {
		return r.out
	}
	for _, call := range state.calls {
		if !call.answered {
			r.result(state, call)
		}
	}
	if state.step > 0 {
		r.add(TypeStepEnd, StepEnd{Turn: state.turn, Step: state.step})
	}
	r.add(TypeTurnEnd, TurnEnd{Turn: state.turn, Reason: TurnReason{Kind: ReasonInterrupted}})
	return r.out
}

// openTurn is what is known about the last turn.
type openTurn struct {
	open  bool
	turn  int
	step  int // the open step, 0 for none
	calls []*openCall
}

type openCall struct {
	id       string
	step     int
	started  int64 // seq of its tool/call, -1 when it never started
	answered bool
}

func (o *openTurn) call(id string) *openCall {
	for i := len(o.calls) - 1; i >= 0; i-- {
		if o.calls[i].id == id && !o.calls[i].answered {
			return o.calls[i]
		}
	}
	return nil
}

func scanOpenTurn(events []Event) openTurn {
	var state openTurn
	started := 0
	for _, e := range events {
		switch e.Type {
		case TypeTurnStart:
			var data TurnStart
			started++
			state = openTurn{open: true, turn: started}
			if decode(e, &data) && data.Turn > 0 {
				state.turn = data.Turn
			}
		case TypeTurnEnd:
			state = openTurn{}
		case TypeStepStart:
			var data StepStart
			if state.step = 1; decode(e, &data) && data.Step > 0 {
				state.step = data.Step
			}
		case TypeStepEnd:
			state.step = 0
		case TypeAssistantMessage:
			state.asked(e)
		case TypeToolCall:
			var data ToolCall
			if decode(e, &data) {
				if call := state.call(data.CallID); call != nil {
					call.started = e.Seq
				}
			}
		case TypeToolResult:
			if message, _, err := MessageOf(e); err == nil {
				if call := state.call(message.Content[0].ToolCallID); call != nil {
					call.answered = true
				}
			}
		}
	}
	return state
}

func (o *openTurn) asked(e Event) {
	message, _, err := MessageOf(e)
	if !o.open || err != nil {
		return
	}
	step := o.step
	var data StepStart
	if decode(e, &data) && data.Step > 0 {
		step = data.Step
	}
	for _, block := range message.Content {
		if block.Type == BlockToolCall {
			o.calls = append(o.calls, &openCall{id: block.ID, step: step, started: -1})
		}
	}
}

// openCompaction is the end that the log's last compaction lacks, nil when it has one. One whose summary took its place in the history
// has worked.
func openCompaction(events []Event) *CompactionEnd {
	var end *CompactionEnd
	for _, e := range events {
		var start CompactionStart
		switch {
		case e.Type == TypeCompactionStart && decode(e, &start):
			end = &CompactionEnd{
				CompactionID: start.CompactionID, Turn: start.Turn,
				Error: &Failure{Code: CompactionInterrupted, Message: "the host ended while the history was being summarised"},
			}
		case end != nil && e.Type == TypeUserMessage && e.SurfaceOp != nil && e.SurfaceOp.Replace:
			end.Error = nil
		case e.Type == TypeCompactionEnd:
			end = nil
		}
	}
	return end
}

type repairer struct {
	next int64
	time int64
	out  []Event
}

func (r *repairer) result(state openTurn, call *openCall) {
	text, failure := textNotStarted, ToolError{Name: "ToolNotStartedError", Code: "TOOL_NOT_STARTED"}
	if call.started >= 0 {
		text, failure = textOutcomeUnknown, ToolError{Name: "ToolOutcomeUnknownError", Code: "TOOL_OUTCOME_UNKNOWN"}
	}
	r.add(TypeToolResult, ToolResult{
		Turn: state.turn, Step: call.step, Error: &failure,
		Message: Message{
			ID: fmt.Sprintf("interrupted-tool-result-%s-%d", call.id, r.next), Role: RoleUser,
			Content: []Block{{Type: BlockToolResult, ToolCallID: call.id, IsError: true, Content: []Block{{Type: BlockText, Text: text}}}},
			Source:  Source{Kind: SourceTool, CallID: call.id},
		},
	})
	made := &r.out[len(r.out)-1]
	made.SurfaceOp = &SurfaceOp{}
	if call.started >= 0 {
		made.SourceEventSeqs, made.HasSources = []int64{call.started}, true
	}
}

func (r *repairer) add(typ string, data any) {
	text, err := marshalPlain(data)
	if err != nil {
		text = json.RawMessage("{}") // cannot happen: the data is made here, of text and numbers
	}
	r.out = append(r.out, Event{Type: typ, Seq: r.next, Time: r.time, Data: text})
	r.next++
}
