package llm

import (
	"context"
	"errors"

	"keylane/host/session"
)

// Failure codes that more than one package knows. Adapters may use others; a code that is not listed is not retried.
const (
	CodeNoAdapter             = "NO_ADAPTER"              // no provider of that id is registered
	CodeAuth                  = "AUTH"                    // the provider refused the key
	CodeAuthMissing           = "AUTH_MISSING"            // there is no key to send
	CodeQuota                 = "QUOTA"                   // the account has no credit left
	CodeRateLimit             = "RATE_LIMIT"              // too many requests; retryable
	CodeServer                = "SERVER"                  // the provider failed; retryable
	CodeTransport             = "TRANSPORT"               // the connection failed or was cut; retryable
	CodeTimeout               = "TIMEOUT"                 // nothing came for too long; retryable
	CodeEmptyResponse         = "EMPTY_RESPONSE"          // a completed answer without content; retryable
	CodeInvalidRequest        = "INVALID_REQUEST"         // the provider does not accept the request
	CodeContextWindowExceeded = "CONTEXT_WINDOW_EXCEEDED" // the history does not fit
	CodeProtocol              = "PROTOCOL"                // the answer is not what the wire format says
	CodeAborted               = "ABORTED"                 // the caller cancelled
	CodeUnknown               = "UNKNOWN"                 // an error that carries no facts
)

// Error is an error that carries the facts of a failure. Cause is for logs; it is never shown to a person.
type Error struct {
	session.Failure
	Cause error
}

// NewError is an [Error] of a code and a message.
func NewError(code, message string, cause error) *Error {
	return &Error{Failure: session.Failure{Code: code, Message: message}, Cause: cause}
}

// Error is the code and the message; the message may hold what a provider echoed, so it is for logs only.
func (e *Error) Error() string {
	text := "llm: " + e.Code + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// FailureFacts gives the facts, as [FailureOf] reads them.
func (e *Error) FailureFacts() session.Failure { return e.Failure }

// FailureOf reads the facts of a failure from an error. The facts come from the first error in the tree that has a method
// FailureFacts() session.Failure, whatever its type, and only after validation: without a code and a message they are not facts,
// and an optional field that makes no sense (a status outside 100–599, a negative wait) is dropped. Errors without facts become
// ABORTED or TIMEOUT when a context says so, else UNKNOWN with the whole cause chain as the message. A nil error gives the zero Failure.
func FailureOf(err error) session.Failure {
	if err == nil {
		return session.Failure{}
	}
	var carrier interface{ FailureFacts() session.Failure }
	if errors.As(err, &carrier) {
		if failure, ok := validFailure(carrier.FailureFacts()); ok {
			return failure
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return session.Failure{Code: CodeAborted, Message: "the model call was cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return session.Failure{Code: CodeTimeout, Message: "the model call ran out of time"}
	}
	message := err.Error()
	if message == "" {
		message = "an error without a text"
	}
	return session.Failure{Code: CodeUnknown, Message: message}
}

func validFailure(f session.Failure) (session.Failure, bool) {
	if f.Code == "" || f.Message == "" {
		return session.Failure{}, false
	}
	if f.Status < 100 || f.Status > 599 {
		f.Status = 0
	}
	if f.RetryAfterMs < 0 {
		f.RetryAfterMs = 0
	}
	return f, true
}
