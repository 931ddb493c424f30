package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"keylane/host/approval"
	"keylane/host/tool/askuser"
	"keylane/host/waiting"
)

// requestedFrame asks the person; a client-response to its rpcId answers it.
type requestedFrame struct {
	SessionID string `json:"sessionId"`
	// QuestionRPCID is the frame's rpcId, which an answer refers to.
	QuestionRPCID string             `json:"questionRpcId"`
	Questions     []askuser.Question `json:"questions"`
}

func (f requestedFrame) rpcID() string { return f.QuestionRPCID }

// resolvedFrame ends a requestedFrame, whoever answered.
type resolvedFrame struct {
	SessionID     string          `json:"sessionId"`
	QuestionRPCID string          `json:"questionRpcId"`
	Outcome       askuser.Outcome `json:"outcome"`
}

// questionChanged is called by the desk, in order.
func (f *feed) questionChanged(c askuser.Change) {
	f.mux.update(func(emit emitter) {
		p := c.Request
		if begins(&f.questions, c) {
			emit("question/requested", requestedFrame{p.SessionID, p.ID, p.Questions})
		} else {
			emit("question/resolved", resolvedFrame{p.SessionID, p.ID, c.Outcome})
		}
	})
}

// begins follows a change in a list of what waits, oldest first, and tells whether it begins to.
func begins[R waiting.Request, O comparable](all *[]R, c waiting.Change[R, O]) bool {
	var none O
	if c.Outcome == none {
		*all = append(*all, c.Request)
		return true
	}
	*all = slices.DeleteFunc(*all, func(other R) bool { return other.WaitID() == c.Request.WaitID() })
	return false
}

// refusalReason is why a receipt accepts nothing.
type refusalReason string

// Reasons of a receipt that accepts nothing.
const (
	notPending  refusalReason = "not-pending"  // nobody waits for it, or no longer
	badResponse refusalReason = "bad-response" // it is no answer to what waits
)

// receipt is what POST /api/respond answers.
type receipt struct {
	Accepted bool          `json:"accepted"`
	Reason   refusalReason `json:"reason,omitempty"`
}

type clientResponse struct {
	Type   string       `json:"type"`
	RPCID  string       `json:"rpcId" wire:"min=1"`
	Result clientResult `json:"result"`
}

type clientResult struct {
	OK    bool            `json:"ok"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *clientError    `json:"error,omitempty"`
}

type clientError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// answerValue answers a question/requested, one answer per question and in their order.
type answerValue struct {
	SessionID string  `json:"sessionId"`
	Answer    answers `json:"answer"`
}

type answers struct {
	Answers []askuser.Answer `json:"answers"`
}

// codeCancelled is the error with which a person dismisses what was asked.
const codeCancelled = "cancelled"

// respond takes the answer to a question of the host, or the decision about a call. What it answers is a receipt.
func (a *API) respond(body []byte) Reply {
	reason := a.take(body)
	text, err := encode(receipt{reason == "", reason})
	if err != nil {
		return Reply{http.StatusInternalServerError, []byte("handler failure: respond")}
	}
	return Reply{http.StatusOK, text}
}

// take returns why the response is not accepted, or "".
func (a *API) take(body []byte) refusalReason {
	var r clientResponse
	if issues := decode("", body, a.shapes.response, &r); issues != nil {
		a.o.Logger.Warn("a response was refused", "issues", issues)
		return badResponse
	}
	result := r.Result
	var err error
	switch {
	case r.Type != typeClientResponse:
		return badResponse
	case result.OK && result.Value != nil && result.Error == nil:
		if problem, isOne := a.decide(r.RPCID, result.Value); isOne {
			err = problem
			break
		}
		var v answerValue
		if issues := decode("result.value", result.Value, a.shapes.answer, &v); issues != nil {
			a.o.Logger.Warn("a response was refused", "issues", issues)
			return badResponse
		}
		err = a.o.Questions.Answer(r.RPCID, v.SessionID, v.Answer.Answers)
	case !result.OK && result.Value == nil && result.Error != nil && result.Error.Code == codeCancelled:
		err = a.o.Questions.Dismiss(r.RPCID)
	default:
		return badResponse
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, askuser.ErrNotPending), errors.Is(err, approval.ErrNotPending):
		return notPending
	}
	a.o.Logger.Warn("an answer was refused", "question", r.RPCID, "reason", err)
	return badResponse
}
