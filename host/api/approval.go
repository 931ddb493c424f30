package api

import (
	"context"
	"encoding/json"

	"keylane/host/approval"
	"keylane/host/session"
)

// approvalRequestedFrame asks the person to allow a call; a client-response to its rpcId decides.
type approvalRequestedFrame struct {
	SessionID string `json:"sessionId"`
	// ApprovalID is the frame's rpcId, which a decision refers to.
	ApprovalID string `json:"approvalId"`
	ToolName   string `json:"toolName"`
	CallID     string `json:"callId"`
	// View is what the call would do, in the form of a tool's result view.
	View json.RawMessage `json:"view,omitempty" wire:"object"`
}

func (f approvalRequestedFrame) rpcID() string { return f.ApprovalID }

func approvalFrame(r approval.Request) approvalRequestedFrame {
	return approvalRequestedFrame{r.SessionID, r.ID, r.ToolName, r.CallID, r.View}
}

// approvalResolvedFrame ends an approvalRequestedFrame, whoever decided.
type approvalResolvedFrame struct {
	SessionID  string           `json:"sessionId"`
	ApprovalID string           `json:"approvalId"`
	Outcome    approval.Outcome `json:"outcome"`
}

// approvalChanged is called by the desk, in order.
func (f *feed) approvalChanged(c approval.Change) {
	f.mux.update(func(emit emitter) {
		r := c.Request
		if begins(&f.approvals, c) {
			emit("approval/requested", approvalFrame(r))
		} else {
			emit("approval/resolved", approvalResolvedFrame{r.SessionID, r.ID, c.Outcome})
		}
	})
}

// decision is what a person can decide about a call.
type decision string

// The decisions: the outcomes that a person can bring about.
const (
	allowOnce    decision = decision(approval.AllowedOnce)
	allowSession decision = decision(approval.AllowedSession)
	reject       decision = decision(approval.Rejected)
)

// decisionValue answers an approval/requested.
type decisionValue struct {
	SessionID string `json:"sessionId"`
	// ApprovalID is what the response's rpcId says.
	ApprovalID string   `json:"approvalId"`
	Outcome    decision `json:"outcome"`
}

// decide takes a decision about a call that waits; isOne is false for a value that is none.
func (a *API) decide(rpcID string, value json.RawMessage) (err error, isOne bool) {
	var v decisionValue
	if decode("value", value, a.shapes.decision, &v) != nil || v.ApprovalID != rpcID {
		return nil, false
	}
	return a.o.Approvals.Decide(rpcID, v.SessionID, approval.Outcome(v.Outcome)), true
}

type modePayload struct {
	SessionID string        `json:"sessionId" wire:"min=1"`
	Mode      approval.Mode `json:"mode"`
}

type modeValue struct {
	Mode approval.Mode `json:"mode"`
}

func (a *API) setMode(ctx context.Context, _ string, p modePayload) (modeValue, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return modeValue{}, sessionError(err, p.SessionID)
	}
	if err := opened.SetMode(ctx, p.Mode); err != nil {
		return modeValue{}, err
	}
	return modeValue{opened.Mode()}, nil
}

// modeOf is what a session may do: its own mode, or else the host's.
func (a *API) modeOf(p session.Projection) approval.Mode {
	if mode, err := approval.ParseMode(p.Policy); err == nil {
		return mode
	}
	return a.o.Approvals.Standard()
}
