package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"keylane/host/llm"
	"keylane/host/prompt"
	"keylane/host/session"
)

// Reasons of a request/header event.
const (
	headerInitial = "initial"
	headerResume  = "resume"
	headerChange  = "change"
)

// readHeader takes over a logged header, so that what is remembered is what a reader
// of the log would find.
func (a *Agent) readHeader(e session.Event) error {
	var logged session.RequestHeader
	if err := json.Unmarshal(e.Data, &logged); err != nil {
		return fmt.Errorf("agent: session %s: event %d: %w", a.log.ID(), e.Seq, err)
	}
	a.header, a.headerLogged = logged.Header, true
	return nil
}

// announce logs the request header and context of the next request where they differ
// from the last logged ones.
func (a *Agent) announce() error {
	target := a.Model()
	info := a.host.describe(target)
	header := session.RequestHeaderBody{
		Config: session.RequestConfig{Provider: target.Provider, Model: target.Model},
		System: a.host.o.Prompt.System(prompt.Facts{Cwd: a.log.Header().Cwd, Model: info.Name}),
	}
	if schemas := a.host.o.Tools.Schemas(); len(schemas) > 0 {
		text, err := plainJSON(schemas)
		if err != nil {
			return fmt.Errorf("agent: writing the tools' schemas: %w", err)
		}
		header.Tools = text
	}
	same, err := sameHeader(header, a.header)
	if err != nil {
		return err
	}
	if !a.headerLogged || !same {
		reason := headerChange
		switch {
		case !a.headerLogged:
			reason = headerInitial
		case !a.headerByMe:
			reason = headerResume
		}
		e, err := a.log.Append(session.TypeRequestHeader, session.RequestHeader{Header: header, Reason: reason})
		if err != nil {
			return err
		}
		if err := a.readHeader(e); err != nil {
			return err
		}
		a.headerByMe = true
		a.headerFirst = reason == headerInitial
	}
	context := session.RequestContext{Provider: target.Provider, Model: target.Model, ContextWindow: info.ContextWindow}
	if !a.contextLogged || context != a.context {
		if _, err := a.log.Append(session.TypeRequestContext, context); err != nil {
			return err
		}
		a.context, a.contextLogged = context, true
	}
	return nil
}

// inform logs the context that the model has to be told and that its history does not hold. It comes after what was said, as the step's
// last word before the request, so that a person's message is logged as soon as it is taken.
func (t *turn) inform() error {
	a := t.a
	history, err := a.log.History()
	if err != nil {
		return err
	}
	facts := prompt.Facts{Cwd: a.log.Header().Cwd, Model: a.host.describe(a.Model()).Name, Mode: string(a.Mode())}
	for _, note := range a.host.o.Prompt.Due(t.ctx, facts, history) {
		_, err := a.log.Append(session.TypeUserMessage, session.Message{
			ID: a.host.o.Clock.NewID(), Role: session.RoleUser, Source: session.Source{Kind: note.Kind},
			Content: []session.Block{{Type: session.BlockText, Text: note.Text}},
		}, session.WithSurfaceAppend())
		if err != nil {
			return err
		}
	}
	return nil
}

// plainJSON writes < and & as they are, as everything else in a log.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// sameHeader compares as JSON values, since a stored header may be spelled otherwise.
func sameHeader(x, y session.RequestHeaderBody) (bool, error) {
	var values [2]any
	for i, header := range []session.RequestHeaderBody{x, y} {
		text, err := json.Marshal(header)
		if err != nil {
			return false, fmt.Errorf("agent: comparing request headers: %w", err)
		}
		if err := json.Unmarshal(text, &values[i]); err != nil {
			return false, fmt.Errorf("agent: comparing request headers: %w", err)
		}
	}
	return reflect.DeepEqual(values[0], values[1]), nil
}

// request builds the next model request from what was logged, and nothing else.
func (a *Agent) request() (llm.Request, error) {
	messages, err := a.log.History()
	if err != nil {
		return llm.Request{}, err
	}
	var tools []llm.ToolSchema
	if len(a.header.Tools) > 0 {
		if err := json.Unmarshal(a.header.Tools, &tools); err != nil {
			return llm.Request{}, fmt.Errorf("agent: reading the logged tools: %w", err)
		}
	}
	config := a.header.Config
	return llm.Request{
		SessionID: a.log.ID(), ParentSession: a.log.Header().ParentSession, Purpose: llm.PurposeTurn,
		Provider: config.Provider, Model: config.Model, System: a.header.System, Tools: tools,
		Messages: messages, MaxTokens: config.MaxTokens, Temperature: config.Temperature,
	}, nil
}
