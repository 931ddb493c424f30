package session

import (
	"encoding/json"
	"errors"
)

// Kinds of TurnReason.
const (
	ReasonCompleted   = "completed"
	ReasonAborted     = "aborted" // TurnReason.Abort says by whom
	ReasonError       = "error"   // TurnReason.Failure says what
	ReasonMaxTokens   = "max-tokens"
	ReasonInterrupted = "interrupted" // written by Repair only
	ReasonBlocked     = "blocked"
)

// Who aborts a turn: TurnReason.Abort.
const (
	AbortUser     = "user"
	AbortParent   = "parent"
	AbortDisposed = "disposed" // the host went down
	AbortLegacy   = "legacy"   // an older log does not say
)

// TurnReason is why a turn ended.
type TurnReason struct {
	Kind    string
	Abort   string   // only with ReasonAborted
	Failure *Failure // only with ReasonError
}

type reasonJSON struct {
	Kind   string          `json:"kind"`
	Reason *abortJSON      `json:"reason,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
	// Older shapes, read only.
	Failure *Failure `json:"failure,omitempty"`
	Message string   `json:"message,omitempty"`
	Code    string   `json:"code,omitempty"`
}

type abortJSON struct {
	Kind string `json:"kind"`
}

// MarshalJSON writes {"kind"}, {"kind":"aborted","reason":{"kind"}} or {"kind":"error","error":{…}}.
func (r TurnReason) MarshalJSON() ([]byte, error) {
	if r.Kind == "" {
		return nil, errors.New("session: turn reason has no kind")
	}
	out := reasonJSON{Kind: r.Kind}
	if r.Kind == ReasonAborted {
		abort := r.Abort
		if abort == "" {
			abort = AbortLegacy
		}
		out.Reason = &abortJSON{Kind: abort}
	}
	if r.Kind == ReasonError {
		failure := Failure{Code: "UNKNOWN"}
		if r.Failure != nil {
			failure = *r.Failure
		}
		text, err := marshalPlain(failure)
		if err != nil {
			return nil, err
		}
		out.Error = text
	}
	return marshalPlain(out)
}

// UnmarshalJSON reads the shapes of all vintages: an abort without a reason is AbortLegacy, "disposed" is an abort by AbortDisposed,
// and an error's facts may be in error, in failure or beside the kind.
func (r *TurnReason) UnmarshalJSON(text []byte) error {
	var in reasonJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*r = TurnReason{Kind: in.Kind}
	switch in.Kind {
	case "disposed":
		*r = TurnReason{Kind: ReasonAborted, Abort: AbortDisposed}
	case ReasonAborted:
		r.Abort = AbortLegacy
		if in.Reason != nil && in.Reason.Kind != "" {
			r.Abort = in.Reason.Kind
		}
	case ReasonError:
		failure := Failure{Code: "UNKNOWN", Message: in.Message}
		if in.Code != "" {
			failure.Code = in.Code
		}
		if in.Failure != nil {
			failure = *in.Failure
		}
		if len(in.Error) > 0 && string(in.Error) != "null" {
			if err := json.Unmarshal(in.Error, &failure); err != nil {
				return err
			}
		}
		r.Failure = &failure
	}
	return nil
}
