package agent

import (
	"context"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/host/title"
)

// Rename gives the session a person's title, which stays whatever a model says, and returns it as it is kept once it is durable. A text
// that is no title is title.ErrInvalid.
func (a *Agent) Rename(ctx context.Context, text string) (string, error) {
	name, err := title.Normalise(text)
	if err == nil {
		err = a.logTitle(session.Title{Title: name, MessageSeqs: []int64{}, Source: session.TitleSource{Kind: session.TitleUser}})
	}
	if err == nil {
		err = a.writer.Flush(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("agent: renaming session %s: %w", a.log.ID(), err)
	}
	return name, nil
}

// logTitle logs a title; over a person's only another one of a person.
func (a *Agent) logTitle(t session.Title) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if t.Source.Kind != session.TitleUser && a.log.Projection().TitleSource.Kind == session.TitleUser {
		return nil
	}
	_, err := a.log.Append(session.TypeTitle, t)
	return err
}

// nameOnce asks for a title beside the first request of a session, which has just been sent. The driver calls it with every request.
func (a *Agent) nameOnce(first llm.Request) {
	if !a.headerFirst {
		return
	}
	a.headerFirst = false
	model, ok := a.host.o.Titles.Model()
	if !ok || a.host.demonstrates(first.Provider) {
		return
	}
	seq, text := a.firstWords()
	if text == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	over := make(chan struct{})
	a.naming = over
	go func() { // ends with the answer, its timeout, or the agent's life; close waits for it
		defer close(over)
		if err := a.name(model, first, seq, text); err != nil {
			a.host.o.Logger.Warn("the session got no title from the model and keeps the one it has", "session", a.log.ID(), "error", err)
		}
	}()
}

// demonstrates tells whether a provider is a demo, which answers prompts and nothing else.
func (m *manager) demonstrates(provider string) bool {
	adapter, ok := m.o.Models.Lookup(provider)
	return ok && adapter.Info().Demo
}

// firstWords are a person's first message that has words, and its event; "" when there is none. It looks into the log and not into the
// history, where a summary may stand for that message.
func (a *Agent) firstWords() (seq int64, text string) {
	const some = 256 // events at a time: the message is one of the first
	for from := int64(0); from < a.log.Len(); from += some {
		for _, e := range a.log.Events(from, from+some) {
			if e.Type != session.TypeUserMessage {
				continue
			}
			message, _, err := session.MessageOf(e)
			if text := message.Text(); err == nil && message.Source.Kind == session.SourceUser && strings.TrimSpace(text) != "" {
				return e.Seq, text
			}
		}
	}
	return 0, ""
}

// name asks the model for a title and logs it, unless a person has named the session meanwhile.
func (a *Agent) name(model title.Model, first llm.Request, seq int64, text string) error {
	ctx, cancel := context.WithCancel(a.life)
	defer cancel()
	due, release := a.host.o.Clock.After(model.Timeout)
	defer release()
	request := model.Request(llm.Request{
		SessionID: first.SessionID, ParentSession: first.ParentSession, Provider: first.Provider, Model: first.Model,
	}, a.host.o.Clock.NewID(), text)
	if _, err := a.log.Append(session.TypeTitleRequest, session.TitleRequest{
		Provider: request.Provider, Model: request.Model, MaxTokens: request.MaxTokens, System: request.System,
		Prompt: request.Messages[0].Text(), MessageSeqs: []int64{seq},
	}); err != nil {
		return err
	}
	if err := a.writer.Flush(ctx); err != nil {
		return err
	}
	type outcome struct {
		got     *llm.Assembler
		failure *session.Failure
	}
	answered := make(chan outcome, 1)
	go func() { // ends when ctx does, at the latest
		got, failure := a.host.collect(ctx, request)
		answered <- outcome{got, failure}
	}()
	var came outcome
	select {
	case came = <-answered:
	case <-due:
		cancel()
		<-answered
		return fmt.Errorf("no answer within %s", model.Timeout)
	}
	if a.life.Err() != nil {
		return nil // the host ends, which is no news
	}
	if came.failure != nil {
		return fmt.Errorf("the call failed: %s", came.failure.Code)
	}
	name := title.FromModel(session.Message{Content: came.got.Blocks()}.Text())
	if name == "" {
		return fmt.Errorf("the answer is no title")
	}
	return a.logTitle(session.Title{Title: name, MessageSeqs: []int64{seq}, Source: session.TitleSource{
		Kind: session.TitleProvider, Provider: request.Provider, Model: &session.ModelTarget{Provider: request.Provider, Model: request.Model},
	}})
}
