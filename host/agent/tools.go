package agent

import (
	"keylane/host/session"
	"keylane/host/tool"
)

// Why a call was not run, as the log's format names it.
const (
	codeAbortedBeforeDispatch = "TOOL_ABORTED_BEFORE_DISPATCH"
	codeNotStored             = "TOOL_NOT_STORED"
)

// runTools runs the calls of an answer one after the other. Each call gets exactly
// one result, also when the turn is cut: what runs is awaited, what has not started is
// answered that it was not. It returns nil when the model is to go on.
func (t *turn) runTools(calls []session.Block) *stop {
	var end *stop
	for _, call := range calls {
		e, err := t.a.log.Append(session.TypeToolCall, session.ToolCall{
			Turn: t.number, Step: t.step, CallID: call.ID, Name: call.Name, Arguments: call.Arguments,
		})
		if err != nil {
			return broken(codeInternal, err)
		}
		if end == nil {
			end = t.barrier()
		}
		result := notRun(end)
		if end == nil {
			result = t.a.host.o.Tools.Execute(t.ctx, call.Name, call.Arguments, tool.Call{
				SessionID: t.a.log.ID(), CallID: call.ID, Cwd: t.a.log.Header().Cwd, Clock: t.a.host.o.Clock,
			})
		}
		if err := t.logResult(e.Seq, call, result); err != nil {
			return broken(codeInternal, err)
		}
	}
	return end
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
