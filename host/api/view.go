package api

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"keylane/host/llm"
	"keylane/host/session"
)

// ViewedEvent is an event as a page gets it: the event of the log, except that failure
// texts are safe to show, and for tools what to show of them.
type ViewedEvent struct {
	Event session.Event `json:"event"`
	View  *View         `json:"view,omitempty"`
}

// View is a tool's presentation. It is computed from the event and never stored.
type View struct {
	For  string          `json:"for"` // "call" or "result"
	View json.RawMessage `json:"view"`
}

// viewed prepares an event for the wire. An event it cannot make sense of goes out as
// it is, without a view.
func viewed(e session.Event, cwd string) ViewedEvent {
	v := ViewedEvent{Event: DisplaySafe(e)}
	switch e.Type {
	case session.TypeToolCall:
		var call session.ToolCall
		if json.Unmarshal(e.Data, &call) == nil {
			if card := presentCall(call, cwd); card != nil {
				v.View = &View{"call", card}
			}
		}
	case session.TypeToolResult:
		var result session.ToolResult
		if json.Unmarshal(e.Data, &result) == nil && len(result.Meta) > 0 && result.Meta[0] == '{' {
			v.View = &View{"result", result.Meta}
		}
	}
	return v
}

// presentCall shows a call before there is a result. A result's card comes from the
// tool itself; before that there are only the arguments.
func presentCall(call session.ToolCall, cwd string) json.RawMessage {
	if call.Name != "bash" {
		return nil
	}
	var arguments struct {
		Command     string `json:"command"`
		Description string `json:"description"`
		Workdir     string `json:"workdir"`
	}
	if json.Unmarshal([]byte(call.Arguments), &arguments) != nil || arguments.Command == "" {
		return nil
	}
	if filepath.IsAbs(arguments.Workdir) {
		cwd = arguments.Workdir
	} else if arguments.Workdir != "" {
		cwd = filepath.Join(cwd, arguments.Workdir)
	}
	card, err := encode(struct {
		Card        string `json:"card"`
		Command     string `json:"command"`
		Cwd         string `json:"cwd"`
		Description string `json:"description"`
	}{"terminal", arguments.Command, cwd, arguments.Description})
	if err != nil {
		return nil
	}
	return card
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
