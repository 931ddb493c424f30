package api

import (
	"bytes"
	"encoding/json"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/host/tool"
)

// ViewedEvent is an event as a page gets it: the event of the log, except that failure
// texts are safe to show, and for tools what to show of them.
type ViewedEvent struct {
	Event session.Event `json:"event"`
	View  *View         `json:"view,omitempty"`
}

// View is a tool's presentation. It is computed from the event and never stored.
type View struct {
	For  viewFor         `json:"for"`
	View json.RawMessage `json:"view" wire:"object"`
}

// viewFor is what a View shows.
type viewFor string

const (
	viewForCall   viewFor = "call"
	viewForResult viewFor = "result"
)

// viewed prepares an event for the wire. How a call looks is for its tool to say, before
// there is a result as well as after. An event that nobody can make sense of goes out as
// it is, without a view.
func viewed(e session.Event, cwd string, tools *tool.Registry) ViewedEvent {
	v := ViewedEvent{Event: DisplaySafe(e)}
	switch e.Type {
	case session.TypeToolCall:
		var call session.ToolCall
		if json.Unmarshal(e.Data, &call) == nil {
			if card := tools.Present(call.Name, call.Arguments, cwd); card != nil {
				v.View = &View{viewForCall, card}
			}
		}
	case session.TypeToolResult:
		var result session.ToolResult
		if json.Unmarshal(e.Data, &result) == nil && len(result.Meta) > 0 && result.Meta[0] == '{' {
			v.View = &View{viewForResult, result.Meta}
		}
	}
	return v
}

// DisplaySafe replaces the facts of a failed model call by what a person may see: a
// provider's text may echo a key. The log keeps the original; whatever shows events to
// a person shows them through this.
func DisplaySafe(e session.Event) session.Event {
	var safe any
	switch e.Type {
	case session.TypeTurnEnd:
		var d session.TurnEnd
		if json.Unmarshal(e.Data, &d) != nil || d.Reason.Failure == nil {
			return e
		}
		shown := llm.DisplaySafe(*d.Reason.Failure)
		d.Reason.Failure = &shown
		safe = d
	case session.TypeRetry:
		var d session.Retry
		if json.Unmarshal(e.Data, &d) != nil {
			return e
		}
		d.Failure = llm.DisplaySafe(d.Failure)
		safe = d
	case session.TypeCompactionEnd:
		var d session.CompactionEnd
		if json.Unmarshal(e.Data, &d) != nil || d.Error == nil {
			return e
		}
		shown := llm.DisplaySafe(*d.Error)
		d.Error = &shown
		safe = d
	case session.TypeAssistantChunk:
		// Nearly every event is a chunk and nearly none has a failure.
		if !bytes.Contains(e.Data, []byte(`"failure"`)) {
			return e
		}
		var d session.AssistantChunk
		var c llm.Chunk
		if json.Unmarshal(e.Data, &d) != nil || json.Unmarshal(d.Chunk, &c) != nil || c.Finish == nil || c.Finish.Failure == nil {
			return e
		}
		shown := llm.DisplaySafe(*c.Finish.Failure)
		c.Finish.Failure = &shown
		text, err := c.MarshalJSON() // json.Marshal would escape < and &
		if err != nil {
			return e
		}
		d.Chunk = text
		safe = d
	default:
		return e
	}
	text, err := encode(safe)
	if err != nil {
		return e
	}
	e.Data = text
	return e
}
