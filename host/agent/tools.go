package agent

import (
	"sync"

	"keylane/host/session"
	"keylane/host/tool"
)

// Why a call was not run, as the log's format names it.
const (
	codeAbortedBeforeDispatch = "TOOL_ABORTED_BEFORE_DISPATCH"
	codeNotStored             = "TOOL_NOT_STORED"
)

// runTools runs the calls of an answer. Calls next to each other that all may run
// beside others do so; any other call runs alone, after everything before it. Each call
// gets exactly one result, in the order of the calls, also when the turn is cut: what
// runs is awaited, what has not started is answered that it was not. It returns nil when
// the model is to go on.
func (t *turn) runTools(calls []session.Block) *stop {
	var end *stop
	for len(calls) > 0 {
		n := t.together(calls)
		if end == nil {
			end = t.abortion()
		}
		var failure *stop
		if end, failure = t.runGroup(calls[:n], end); failure != nil {
			return failure
		}
		calls = calls[n:]
	}
	return end
}

// together is how many of the first calls run side by side.
func (t *turn) together(calls []session.Block) int {
	n := 0
	for n < len(calls) && t.a.host.o.Tools.Parallel(calls[n].Name) {
		n++
	}
	return max(n, 1)
}

// runGroup runs calls side by side, or answers them when the turn is at its end. It
// returns the end as it is then known, or the failure that left calls without a result.
func (t *turn) runGroup(calls []session.Block, end *stop) (_, failure *stop) {
	seqs := make([]int64, len(calls))
	for i, call := range calls {
		e, err := t.a.log.Append(session.TypeToolCall, session.ToolCall{
			Turn: t.number, Step: t.step, CallID: call.ID, Name: call.Name, Arguments: call.Arguments,
		})
		if err != nil {
			return nil, broken(codeInternal, err)
		}
		seqs[i] = e.Seq
	}
	if end == nil {
		end = t.barrier()
	}
	result := func(int) tool.Result { return notRun(end) }
	if end == nil {
		var settle func()
		result, settle = t.execute(calls)
		defer settle()
	}
	for i, call := range calls {
		if err := t.logResult(seqs[i], call, result(i)); err != nil {
			return nil, broken(codeInternal, err)
		}
	}
	return end, nil
}

// execute starts the calls, as many at a time as the host allows, and returns how to wait
// for the result of one and for the end of all.
func (t *turn) execute(calls []session.Block) (result func(int) tool.Result, settle func()) {
	results := make([]chan tool.Result, len(calls))
	waiting := make(chan int, len(calls))
	for i := range calls {
		results[i] = make(chan tool.Result, 1)
		waiting <- i
	}
	close(waiting)
	var workers sync.WaitGroup
	for range min(len(calls), t.a.host.o.parallelCalls()) {
		workers.Go(func() { // ends when no call waits
			for i := range waiting {
				if end := t.abortion(); end != nil {
					results[i] <- notRun(end)
					continue
				}
				results[i] <- t.permitted(calls[i], tool.Call{
					SessionID: t.a.log.ID(), CallID: calls[i].ID, Cwd: t.a.log.Header().Cwd, Clock: t.a.host.o.Clock,
				})
			}
		})
	}
	return func(i int) tool.Result { return <-results[i] }, workers.Wait
}

// notRun is the result of a call that the end of the turn kept from starting.
func notRun(end *stop) tool.Result {
	if end != nil && end.broken {
		return tool.Failed("PersistenceError", codeNotStored, "the tool was not run, because the session could not be stored")
	}
	return tool.Failed("AbortError", codeAbortedBeforeDispatch, "tool call aborted before dispatch")
}

func (t *turn) logResult(callSeq int64, call session.Block, r tool.Result) error {
	err := t.appendResult(callSeq, call, r)
	if err == nil {
		return nil
	}
	// A result the log does not take (say, a broken Meta) must not leave the call open.
	t.a.host.o.Logger.Error("a tool gave a result that cannot be logged", "tool", call.Name, "error", err)
	return t.appendResult(callSeq, call, tool.Failed("InvalidResultError", tool.CodeInternal, "the tool's result could not be stored"))
}

func (t *turn) appendResult(callSeq int64, call session.Block, r tool.Result) error {
	for _, e := range r.Events {
		if _, err := t.a.log.Append(e.Type, e.Data); err != nil {
			return err
		}
	}
	m := session.Message{
		ID: t.a.host.o.Clock.NewID(), Role: session.RoleUser,
		Content: []session.Block{{
			Type: session.BlockToolResult, ToolCallID: call.ID, IsError: r.IsError,
			Content: []session.Block{{Type: session.BlockText, Text: r.Text}},
		}},
		Source: session.Source{Kind: session.SourceTool, CallID: call.ID},
	}
	_, err := t.a.log.Append(session.TypeToolResult, session.ToolResult{
		Turn: t.number, Step: t.step, Message: m, Error: r.Error, Meta: r.Meta,
	}, session.WithSurfaceAppend(), session.WithSources(callSeq))
	return err
}
