package agent

import (
	"context"
	"errors"
	"io"

	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/session"
)

// shorten has the plan's older part summarised and puts the summary in its place. It is false when the history is as it was; the log says
// why. A failed call is no end of a turn; a Stop and a log that takes nothing more are.
func (t *turn) shorten(config compaction.Config, plan compaction.Plan, window int) (done bool, end *stop) {
	a, target := t.a, t.a.Model()
	id := a.host.o.Clock.NewID()
	request := config.Request(llm.Request{
		SessionID: a.log.ID(), ParentSession: a.log.Header().ParentSession, Provider: target.Provider, Model: target.Model,
	}, id, plan, window)
	if _, err := a.log.Append(session.TypeCompactionStart, session.CompactionStart{
		CompactionID: id, Turn: t.place(), Provider: target.Provider, Model: target.Model, MaxTokens: request.MaxTokens,
		Instructions: request.System, ShadowedRange: plan.Range(),
	}); err != nil {
		return false, broken(codeInternal, err)
	}
	got, end := t.summarise(config, request)
	closing := session.CompactionEnd{CompactionID: id, Turn: t.place()}
	if end == nil {
		if err := t.replace(id, plan, request, got); err != nil {
			return false, broken(codeInternal, err)
		}
		closing.ContextTokens = compaction.Measure(a.header, a.log.Surface()).Tokens
	} else {
		closing.Error = &session.Failure{Code: llm.CodeAborted, Message: "the compaction was stopped"}
		if end.reason.Failure != nil {
			closing.Error = end.reason.Failure
		}
	}
	if _, err := a.log.Append(session.TypeCompactionEnd, closing); err != nil {
		return false, broken(codeInternal, err)
	}
	if end == nil {
		return true, nil
	}
	if end.broken || end.reason.Failure == nil {
		return false, end
	}
	t.unpressed = true
	a.host.o.Logger.Warn("the history could not be summarised and is as it was", "session", a.log.ID(), "code", closing.Error.Code)
	return false, nil
}

// summarise asks for the summary, again where the host's policy sees a chance and the config allows it.
func (t *turn) summarise(config compaction.Config, request llm.Request) (*llm.Assembler, *stop) {
	if s := t.barrier(); s != nil {
		return nil, s
	}
	for retry := 1; ; retry++ {
		got, failure := t.a.host.collect(t.ctx, request)
		if failure == nil && compaction.Summary(got.Blocks()) == "" {
			failure = &session.Failure{Code: llm.CodeEmptyResponse, Message: "the summary is empty"}
		}
		if s := t.abortion(); s != nil {
			return nil, s
		}
		if failure == nil {
			return got, nil
		}
		policy := t.a.host.o.Models.RetryPolicy()
		if policy == nil || retry > config.Retries {
			return nil, failed(*failure)
		}
		decided, again := policy.Next(retry, *failure)
		if !again {
			return nil, failed(*failure)
		}
		due, cancel := t.a.host.o.Clock.After(decided.Delay)
		select {
		case <-due:
			cancel()
		case <-t.ctx.Done():
			cancel()
			return nil, t.abortion()
		}
	}
}

// replace logs the summary and puts it into the history.
func (t *turn) replace(id string, plan compaction.Plan, request llm.Request, got *llm.Assembler) error {
	summary := compaction.Summary(got.Blocks())
	if _, err := t.a.log.Append(session.TypeCompaction, session.CompactionSummary{
		CompactionID: id, Summary: []session.Block{{Type: session.BlockText, Text: summary}}, RawOutput: got.Blocks(), LLMStreamCall: true,
		ShadowedRange: plan.Range(), ShadowedSeqs: plan.Seqs(), ShadowedTokenCount: plan.Tokens(),
		Provider: request.Provider, Model: request.Model, MaxTokens: request.MaxTokens, Usage: got.Usage(),
	}); err != nil {
		return err
	}
	shadowed := plan.Range()
	_, err := t.a.log.Append(session.TypeUserMessage, compaction.Message(t.a.host.o.Clock.NewID(), summary),
		session.WithReplace(shadowed.Start, shadowed.End), session.WithSources(plan.Seqs()...))
	return err
}

// collect makes a call whose chunks are in no log, and waits for the whole answer.
func (m *manager) collect(ctx context.Context, request llm.Request) (*llm.Assembler, *session.Failure) {
	fail := func(err error) (*llm.Assembler, *session.Failure) {
		failure := llm.FailureOf(err)
		return nil, &failure
	}
	stream, err := m.o.Models.Stream(ctx, request)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err := stream.Close(); err != nil {
			m.o.Logger.Warn("closing a model stream", "session", request.SessionID, "purpose", request.Purpose, "error", err)
		}
	}()
	var got llm.Assembler
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(err)
		}
		if err := got.Add(chunk); err != nil {
			return fail(llm.NewError(llm.CodeProtocol, err.Error(), nil))
		}
	}
	if finish := got.Finish(); finish.Failed() {
		if finish.Failure == nil {
			return fail(llm.NewError(llm.CodeUnknown, "the provider gave up without a reason", nil))
		}
		return nil, finish.Failure
	}
	return &got, nil
}
