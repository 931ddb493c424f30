package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"keylane/host/approval"
	"keylane/host/tool/askuser"
)

// requestedFrame asks the person; a client-response to its rpcId answers it.
type requestedFrame struct {
	SessionID     string             `json:"sessionId"`
	QuestionRPCID string             `json:"questionRpcId"` // the frame's rpcId
	Questions     []askuser.Question `json:"questions"`
}

func (f requestedFrame) rpcID() string { return f.QuestionRPCID }

// resolvedFrame ends a requestedFrame, whoever answered.
type resolvedFrame struct {
	SessionID     string `json:"sessionId"`
	QuestionRPCID string `json:"questionRpcId"`
	Outcome       string `json:"outcome"`
}

// questionChanged is called by the desk, in order.
func (f *feed) questionChanged(c askuser.Change) {
	f.mux.update(func(emit emitter) {
		p := c.Pending
		if c.Outcome == askuser.Asked {
			f.questions = append(f.questions, p)
			emit("question/requested", requestedFrame{p.SessionID, p.ID, p.Questions})
			return
		}
		f.questions = slices.DeleteFunc(f.questions, func(q askuser.Pending) bool { return q.ID == p.ID })
		emit("question/resolved", resolvedFrame{p.SessionID, p.ID, c.Outcome})
	})
}

// Reasons of a receipt that accepts nothing.
const (
	notPending  = "not-pending"  // nobody waits for it, or no longer
	badResponse = "bad-response" // it is no answer to what waits
)

type receipt struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"`
}

type clientResponse struct {
	Type   string          `json:"type"`
	RPCID  string          `json:"rpcId"`
	Result json.RawMessage `json:"result"`
}

type clientResult struct {
	OK    bool            `json:"ok"`
	Value json.RawMessage `json:"value"`
	Error *clientError    `json:"error"`
}

type clientError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

type answerValue struct {
	SessionID string `json:"sessionId"`
	Answer    struct {
		Answers []askuser.Answer `json:"answers"`
	} `json:"answer"`
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
func (a *API) take(body []byte) string {
	var r clientResponse
	var result clientResult
	if decode(body, &r) != nil || r.Type != typeClientResponse || r.RPCID == "" || r.Result == nil || decode(r.Result, &result) != nil {
		return badResponse
	}
	var err error
	switch {
	case result.OK && result.Value != nil && result.Error == nil:
		if problem, isOne := a.decide(r.RPCID, result.Value); isOne {
			err = problem
			break
		}
		var v answerValue
		if decode(result.Value, &v) != nil {
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
