package seed

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"keylane/host/session"
)

// A Draft is a log that is written by hand, for sessions that no recording would give: every kind of row, rare ends, foreign events. It writes
// today's shapes; Add takes any event as it is. Its Text goes to Session:
//
//	d := seed.NewDraft()
//	d.Prompt("List the files.")
//	d.Step("I will look.", seed.Call{Name: "glob", Arguments: `{"pattern":"*"}`, Result: "a.txt"})
//	d.Step("There is one.")
//	d.End(session.TurnReason{Kind: session.ReasonCompleted})
//
// Ids are counted, so the same calls give the same log. The session's id and folder are tokens. Mistakes are told by Text.
type Draft struct {
	lines    strings.Builder
	turn     int
	step     int
	inStep   bool
	ids      int
	failures []error
}

// A Call is a tool call of a step, and what came of it.
type Call struct {
	Name      string
	Arguments string // as the model wrote it
	Result    string
	Meta      any    // what the tool tells a page, such as {"card":"terminal", …}; nil for nothing
	Failed    bool   // the result is an error
	Code      string // of that error; "" for none
	Pending   bool   // the log has no result, nor that the call began
	Begun     bool   // the log has no result, but that the call began
	// Approval, if set, is how a request for leave came out: allowed-once, rejected, …; Scope is what it was asked for.
	Approval, Scope string
}

// NewDraft begins a log.
func NewDraft() *Draft {
	d := &Draft{}
	d.lines.WriteString(`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}` + "\n")
	return d
}

// Add writes one event; surface says that it is a message to the model.
func (d *Draft) Add(eventType string, data any, surface bool) {
	event := map[string]any{"type": eventType, "data": data}
	if surface {
		event["surfaceOp"] = "append"
	}
	line, err := json.Marshal(event)
	d.failures = append(d.failures, err)
	d.lines.Write(append(line, '\n'))
}

// Prompt opens a turn with what a person says.
func (d *Draft) Prompt(text string) {
	d.turn, d.step = d.turn+1, 0
	d.Add(session.TypeTurnStart, session.TurnStart{Turn: d.turn}, false)
	d.open()
	d.Says(session.Source{Kind: session.SourceUser, RPCID: "{{rpcId}}"}, text)
}

// Says writes a message of the user's role into the open step: a person's, also when they steer, or what a part of the host tells.
func (d *Draft) Says(source session.Source, text string) {
	d.open()
	d.Add(session.TypeUserMessage, session.Message{ID: d.id(), Role: session.RoleUser, Source: source, Content: []session.Block{{Type: session.BlockText, Text: text}}}, true)
}

// Step writes what the model said and called in one step ("" for no text), and ends the step.
func (d *Draft) Step(text string, calls ...Call) {
	var blocks []session.Block
	if text != "" {
		blocks = append(blocks, session.Block{Type: session.BlockText, Text: text})
	}
	d.Answer(blocks, calls...)
	d.CloseStep()
}

// Answer writes the assembled message of the open step, blocks and then calls, and what came of the calls. The step stays open.
func (d *Draft) Answer(blocks []session.Block, calls ...Call) {
	d.open()
	ids := make([]string, len(calls))
	for i, call := range calls {
		ids[i] = fmt.Sprintf("call_%02d_%02d_%02d", d.turn, d.step, i+1)
		blocks = append(blocks, session.Block{Type: session.BlockToolCall, ID: ids[i], Name: call.Name, Arguments: call.Arguments})
	}
	d.Add(session.TypeAssistantMessage, session.AssistantMessage{Turn: d.turn, Step: d.step, Message: session.Message{ID: d.id(), Role: session.RoleAssistant,
		Source: session.Source{Kind: session.SourceModel, Provider: "deepseek", Model: "deepseek-v4-flash"}, Content: blocks}}, true)
	for i, call := range calls {
		d.called(ids[i], call)
	}
}

func (d *Draft) called(id string, call Call) {
	if call.Pending {
		return
	}
	d.Add(session.TypeToolCall, session.ToolCall{Turn: d.turn, Step: d.step, CallID: id, Name: call.Name, Arguments: call.Arguments}, false)
	if call.Approval != "" {
		d.Add("approval/asked", map[string]any{"id": "ask-" + id, "toolName": call.Name, "callId": id, "scope": call.Scope}, false)
		d.Add("approval/decided", map[string]any{"id": "ask-" + id, "outcome": call.Approval}, false)
	}
	if call.Begun {
		return
	}
	data := map[string]any{"turn": d.turn, "step": d.step, "message": session.Message{ID: d.id(), Role: session.RoleUser, Source: session.Source{Kind: session.SourceTool, CallID: id},
		Content: []session.Block{{Type: session.BlockToolResult, ToolCallID: id, IsError: call.Failed, Content: []session.Block{{Type: session.BlockText, Text: call.Result}}}}}}
	if call.Meta != nil {
		data["meta"] = call.Meta
	}
	if call.Code != "" {
		data["error"] = map[string]any{"name": "Error", "code": call.Code}
	}
	d.Add(session.TypeToolResult, data, true)
}

// CloseStep ends the open step.
func (d *Draft) CloseStep() {
	if d.inStep {
		d.Add(session.TypeStepEnd, session.StepEnd{Turn: d.turn, Step: d.step}, false)
	}
	d.inStep = false
}

// End closes the turn; reason is what turn/end says, a session.TurnReason or another shape of it.
func (d *Draft) End(reason any) {
	d.CloseStep()
	d.Add(session.TypeTurnEnd, map[string]any{"turn": d.turn, "reason": reason}, false)
}

// Position is the open turn and step, for events that name them.
func (d *Draft) Position() (turn, step int) {
	d.open()
	return d.turn, d.step
}

// Text is the log so far, for Session.
func (d *Draft) Text() ([]byte, error) {
	if err := errors.Join(d.failures...); err != nil {
		return nil, fmt.Errorf("seed: writing a log by hand: %w", err)
	}
	return []byte(d.lines.String()), nil
}

func (d *Draft) open() {
	if d.inStep {
		return
	}
	d.step++
	d.inStep = true
	d.Add(session.TypeStepStart, session.StepStart{Turn: d.turn, Step: d.step}, false)
}

func (d *Draft) id() string {
	d.ids++
	return fmt.Sprintf("message-%d", d.ids)
}
