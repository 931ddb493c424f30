package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
)

// Failure codes of this package, in turn/end.
const (
	codeInternal    = "INTERNAL"    // the agent itself failed
	codePersistence = "PERSISTENCE" // the log could not be stored, so nothing more was done
	codeMaxSteps    = "MAX_STEPS"   // the configured bound was reached
)

// aborted is the cause with which a turn's context ends.
type aborted struct{ by string }

func (a aborted) Error() string { return "the turn was aborted by " + a.by }

// turn is one turn from its start to its flushed end.
type turn struct {
	a      *Agent
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{}

	number int
	step   int // 0 before the first

	takes bool // messages may still join the turn; guarded by a.mu

	compacts   bool // this is a compaction between turns, and no turn
	recoveries int  // of this step, from an exceeded window
	unpressed  bool // a compaction of this turn failed: it is not tried again at every step
}

func newTurn(a *Agent) *turn {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &turn{a: a, ctx: ctx, cancel: cancel, ended: make(chan struct{}), number: a.log.Projection().Turns + 1}
}

// stop ends a turn with a reason; broken says that the agent had better not go on with
// its inbox, because it is not the model that failed.
type stop struct {
	reason session.TurnReason
	broken bool
}

func completed() *stop { return &stop{reason: session.TurnReason{Kind: session.ReasonCompleted}} }

func failed(f session.Failure) *stop {
	return &stop{reason: session.TurnReason{Kind: session.ReasonError, Failure: &f}}
}

func broken(code string, err error) *stop {
	s := failed(session.Failure{Code: code, Message: err.Error()})
	s.broken = true
	return s
}

// perform does what the driver took the turn for.
func (t *turn) perform() (park bool) {
	if t.compacts {
		return t.compactBetween()
	}
	return t.run()
}

// run runs the turn; park tells that it was not the model that failed.
func (t *turn) run() (park bool) {
	log := t.a.log
	message, started, err := t.start()
	if err != nil && !started {
		t.a.host.o.Logger.Error("the turn could not be started", "session", log.ID(), "error", err)
		return true
	}
	if !started {
		return false
	}
	var s *stop
	if err != nil {
		s = broken(codeInternal, err)
	} else {
		s = t.steps(message)
	}
	if err := t.giveBack(); err != nil {
		s = broken(codeInternal, err)
	}
	if _, err := log.Append(session.TypeTurnEnd, session.TurnEnd{Turn: t.number, Reason: s.reason}); err != nil {
		t.a.host.o.Logger.Error("the turn could not be ended", "session", log.ID(), "error", err)
		return true
	}
	return s.broken
}

// start opens the turn and takes the first message of the inbox into it. A turn whose
// message was removed meanwhile is not started.
func (t *turn) start() (message *session.Message, started bool, err error) {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	inbox := t.a.log.Projection().Inbox
	if len(inbox) == 0 {
		return nil, false, nil
	}
	if _, err := t.a.log.Append(session.TypeTurnStart, session.TurnStart{Turn: t.number}); err != nil {
		return nil, false, err
	}
	t.takes = true
	return &inbox[0], true, t.a.splice(session.InboxSpliced{Target: session.InboxNextTurn, Start: 0, RemovedCount: 1})
}

func (t *turn) steps(message *session.Message) *stop {
	for {
		if limit := t.a.host.o.MaxSteps; limit > 0 && t.step == limit {
			return failed(session.Failure{Code: codeMaxSteps, Message: fmt.Sprintf("the turn reached its limit of %d steps", limit)})
		}
		t.step++
		if _, err := t.a.log.Append(session.TypeStepStart, session.StepStart{Turn: t.number, Step: t.step}); err != nil {
			return broken(codeInternal, err)
		}
		s := t.runStep(message)
		message = nil
		if _, err := t.a.log.Append(session.TypeStepEnd, session.StepEnd{Turn: t.number, Step: t.step}); err != nil {
			return broken(codeInternal, err)
		}
		if s == nil {
			s = t.abortion()
		}
		if s != nil && (s.reason.Kind != session.ReasonCompleted || !t.goesOn()) {
			return s
		}
	}
}

// abortion is the turn's end when it was cancelled, else nil.
func (t *turn) abortion() *stop {
	if t.ctx.Err() == nil {
		return nil
	}
	by := session.AbortUser
	var cause aborted
	if errors.As(context.Cause(t.ctx), &cause) {
		by = cause.by
	}
	return &stop{reason: session.TurnReason{Kind: session.ReasonAborted, Abort: by}}
}

// barrier makes the log durable; without that, what comes next must not happen.
func (t *turn) barrier() *stop {
	if err := t.a.writer.Flush(t.ctx); err != nil {
		if s := t.abortion(); s != nil {
			return s
		}
		return broken(codePersistence, err)
	}
	return t.abortion()
}

// runStep is one model call, with what has come in for it, and its tools. It returns nil
// when the model wants another step.
func (t *turn) runStep(message *session.Message) *stop {
	said, err := t.claimSteering()
	if err != nil {
		return broken(codeInternal, err)
	}
	if message != nil {
		said = append([]session.Message{*message}, said...)
	}
	for _, m := range said {
		if err := t.logPrompt(m); err != nil {
			return broken(codeInternal, err)
		}
	}
	if err := t.inform(); err != nil {
		return broken(codeInternal, err)
	}
	if err := t.a.announce(); err != nil {
		return broken(codeInternal, err)
	}
	t.recoveries = 0
	if s := t.relieve(); s != nil {
		return s
	}
	request, err := t.a.request()
	if err != nil {
		return broken(codeInternal, err)
	}
	if s := t.barrier(); s != nil {
		return s
	}
	answer, s := t.answered(request)
	if s != nil {
		return s
	}
	return t.take(answer)
}

// logPrompt logs the person's message, and names a session that has no name after its first one, which may be older than this host: a log
// that another program wrote, or that was copied.
func (t *turn) logPrompt(m session.Message) error {
	if _, err := t.a.log.Append(session.TypeUserMessage, m, session.WithSurfaceAppend()); err != nil {
		return err
	}
	if m.Source.Kind != session.SourceUser || t.a.log.Projection().Title != "" || t.a.host.o.Titles.Fallback(m.Text()) == "" {
		return nil
	}
	seq, text := t.a.firstWords() // this message has words, so there are some
	_, err := t.a.log.Append(session.TypeTitle, session.Title{
		Title: t.a.host.o.Titles.Fallback(text), MessageSeqs: []int64{seq}, Source: session.TitleSource{Kind: session.TitleFallback},
	})
	return err
}

// answer is a finished stream of chunks.
type answer struct {
	request   llm.Request
	assembler llm.Assembler
	seqs      []int64         // of its chunks
	calls     []session.Block // of tools, once it is judged
	speaks    bool            // it says something, once it is judged
}

// ask streams the model's answer into the log. A stream that failed or was cancelled
// is an end of the turn; what a cancelled one had said so far is kept.
func (t *turn) ask(request llm.Request) (*answer, *stop) {
	got := &answer{request: request}
	stream, err := t.a.host.o.Models.Stream(t.ctx, request)
	if err != nil {
		return nil, failed(llm.FailureOf(err))
	}
	t.a.nameOnce(request)
	problem := t.read(stream, got)
	if err := stream.Close(); err != nil {
		t.a.host.o.Logger.Warn("closing a model stream", "session", t.a.log.ID(), "error", err)
	}
	if problem != nil {
		return nil, problem
	}
	finish := got.assembler.Finish()
	if !finish.Failed() {
		return got, nil
	}
	if s := t.abortion(); s != nil {
		if len(got.assembler.Interrupted()) > 0 {
			if _, err := t.logAnswer(got, true); err != nil {
				return nil, broken(codeInternal, err)
			}
		}
		return nil, s
	}
	if finish.Failure == nil {
		return nil, failed(session.Failure{Code: llm.CodeUnknown, Message: "the provider gave up without a reason"})
	}
	return nil, failed(*finish.Failure)
}

func (t *turn) read(stream llm.Stream, into *answer) *stop {
	ids := map[int]string{}
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failed(llm.FailureOf(err))
		}
		chunk = t.a.callIDs.distinct(chunk, ids)
		if err := into.assembler.Add(chunk); err != nil {
			return failed(session.Failure{Code: llm.CodeProtocol, Message: err.Error()})
		}
		text, err := chunk.MarshalJSON() // json.Marshal would write < as \u003c into the log
		if err != nil {
			return failed(session.Failure{Code: llm.CodeProtocol, Message: err.Error()})
		}
		e, err := t.a.log.Append(session.TypeAssistantChunk, session.AssistantChunk{Turn: t.number, Step: t.step, Chunk: text})
		if err != nil {
			return broken(codeInternal, err)
		}
		into.seqs = append(into.seqs, e.Seq)
	}
}

func (t *turn) logAnswer(got *answer, interrupted bool) (session.Message, error) {
	m := got.assembler.Message(t.a.host.o.Clock.NewID(), got.request.Provider, got.request.Model)
	_, err := t.a.log.Append(session.TypeAssistantMessage, session.AssistantMessage{
		Turn: t.number, Step: t.step, Message: m, Usage: got.assembler.Usage(), Interrupted: interrupted,
	}, session.WithSurfaceAppend(), session.WithSources(got.seqs...))
	return m, err
}

// judge looks through a finished answer and is an end of the turn when it cannot be used.
func (got *answer) judge() *stop {
	var err error
	if got.calls, got.speaks, err = contents(got.assembler.Blocks()); err != nil {
		return failed(session.Failure{Code: llm.CodeProtocol, Message: err.Error()})
	}
	if len(got.calls) == 0 && !got.speaks && !got.atLimit() {
		return failed(session.Failure{Code: llm.CodeEmptyResponse, Message: "the model's answer is empty"})
	}
	return nil
}

func (got *answer) atLimit() bool { return got.assembler.Finish().Kind == llm.FinishMaxTokens }

// take logs a usable answer and runs the tools it calls.
func (t *turn) take(got *answer) *stop {
	if len(got.calls) > 0 || got.speaks {
		if _, err := t.logAnswer(got, false); err != nil {
			return broken(codeInternal, err)
		}
	}
	switch {
	case got.atLimit():
		// The assembler dropped the calls, which may be cut: none of them runs.
		return &stop{reason: session.TurnReason{Kind: session.ReasonMaxTokens}}
	case len(got.calls) > 0:
		return t.runTools(got.calls)
	}
	if s := t.abortion(); s != nil {
		return s
	}
	return completed()
}

// contents looks through an answer: its tool calls, and whether it says anything.
func contents(blocks []session.Block) (calls []session.Block, speaks bool, err error) {
	for _, b := range blocks {
		if b.Type != session.BlockToolCall {
			speaks = speaks || strings.TrimSpace(b.Text) != ""
			continue
		}
		if b.ID == "" {
			return nil, false, errors.New("the model called a tool without a call id")
		}
		calls = append(calls, b)
	}
	return calls, speaks, nil
}
