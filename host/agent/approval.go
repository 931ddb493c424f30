package agent

import (
	"context"
	"fmt"
	"slices"

	"keylane/host/approval"
	"keylane/host/session"
	"keylane/host/tool"
)

// Why a call that needs the person's leave was not run, as the log's format names it.
const (
	codeRejected = "APPROVAL_REJECTED" // the person rejected it
	codeReadOnly = "READ_ONLY"         // the session's mode refuses it
)

// Mode is what the session may do without asking.
func (a *Agent) Mode() approval.Mode {
	return modeOf(a.log.Projection(), a.host.o.Approvals)
}

func modeOf(p session.Projection, d *approval.Desk) approval.Mode {
	// A mode that a later version wrote is none of ours: the session is then as careful as the host.
	if mode, err := approval.ParseMode(p.Policy); err == nil {
		return mode
	}
	return d.Standard()
}

// SetMode changes what the session may do, and returns once that is durable. It holds for the calls that wait as well: Full allows each
// of them once, ReadOnly rejects them.
func (a *Agent) SetMode(ctx context.Context, mode approval.Mode) error {
	if err := a.logMode(mode); err != nil {
		return fmt.Errorf("agent: changing the mode of session %s: %w", a.log.ID(), err)
	}
	if err := a.writer.Flush(ctx); err != nil {
		return fmt.Errorf("agent: changing the mode of session %s: %w", a.log.ID(), err)
	}
	switch mode {
	case approval.Full:
		a.host.o.Approvals.DecideAll(a.log.ID(), approval.AllowedOnce)
	case approval.ReadOnly:
		a.host.o.Approvals.DecideAll(a.log.ID(), approval.Rejected)
	}
	return nil
}

func (a *Agent) logMode(mode approval.Mode) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if a.Mode() == mode {
		return nil
	}
	_, err := a.log.Append(session.TypeApprovalPolicy, session.ApprovalPolicy{Policy: string(mode), Source: "user"})
	return err
}

// permitted runs a call if it needs no leave or gets it, and else says why it was not run.
func (t *turn) permitted(call session.Block, c tool.Call) tool.Result {
	request, asks := t.a.host.o.Tools.Ask(t.ctx, call.Name, call.Arguments, c)
	if asks {
		if refusal := t.leave(call, request); refusal != nil {
			return *refusal
		}
	}
	return t.a.host.o.Tools.Execute(t.ctx, call.Name, call.Arguments, c)
}

// leave is why a call must not run, or nil.
func (t *turn) leave(call session.Block, request tool.Request) *tool.Result {
	now := t.a.log.Projection()
	switch mode := modeOf(now, t.a.host.o.Approvals); {
	case mode == approval.ReadOnly:
		refused := tool.Failed("ApprovalError", codeReadOnly,
			fmt.Sprintf("the session is read-only, so %s was not run. Say what you would do instead of trying another way.", call.Name))
		return &refused
	case request.Refusal != nil:
		return request.Refusal
	case mode == approval.Full, slices.Contains(now.Allowed, request.Scope):
		return nil
	}
	outcome, end := t.awaitLeave(call, request)
	switch {
	case end != nil:
		result := notRun(end)
		return &result
	case outcome.Allows():
		return nil
	}
	rejected := tool.Failed("ApprovalError", codeRejected,
		fmt.Sprintf("the person rejected this call, so %s was not run. Do not try the same in another way; ask what they want.", call.Name))
	return &rejected
}

// awaitLeave waits for the person's decision, and returns once it is durable; until then nothing of the call has happened.
func (t *turn) awaitLeave(call session.Block, request tool.Request) (approval.Outcome, *stop) {
	id := t.a.host.o.Clock.NewID()
	asked := session.ApprovalAsked{ID: id, ToolName: call.Name, CallID: call.ID, Scope: request.Scope}
	if _, err := t.a.log.Append(session.TypeApprovalAsked, asked); err != nil {
		return approval.Cancelled, broken(codeInternal, err)
	}
	outcome := t.a.host.o.Approvals.Wait(t.ctx, approval.Request{
		ID: id, SessionID: t.a.log.ID(), CallID: call.ID, ToolName: call.Name, Scope: request.Scope, View: request.View,
	})
	if _, err := t.a.log.Append(session.TypeApprovalDecided, session.ApprovalDecided{ID: id, Outcome: string(outcome)}); err != nil {
		return approval.Cancelled, broken(codeInternal, err)
	}
	return outcome, t.barrier()
}
