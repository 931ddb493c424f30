package tool

import (
	"context"
	"encoding/json"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/session"
)

// Service is the host's tool registry.
var Service = composition.NewService[*Registry]("tool")

// Error codes of results that this package makes.
const (
	CodeUnknownTool      = "UNKNOWN_TOOL"
	CodeInvalidArguments = "INVALID_ARGUMENTS"
	CodeInternal         = "TOOL_INTERNAL"
)

// Tool is one thing an agent can do. It is safe for concurrent use.
type Tool interface {
	// Schema is fixed: it is read once, when the tool is registered. Parameters must be the JSON Schema of an object.
	Schema() llm.ToolSchema
	// Run does the work and returns when nothing it started is left, but for what asked to outlive it (see bash). Cancelling ctx ends it early, with whatever result there is.
	Run(ctx context.Context, c Call) Result
}

// Parallel is what a tool also is whose calls may run beside others of the same step, because they change nothing that another could
// see. Every other tool's calls run alone.
type Parallel interface {
	// Parallel is fixed, like Schema.
	Parallel() bool
}

// Asking is what a tool also is whose calls need the person's leave, because they run something or change something. A tool that is not
// Asking only looks, or writes what is the agent's own.
type Asking interface {
	// Ask says what a call would do, and does nothing of it. C is as for Run.
	Ask(ctx context.Context, c Call) Request
}

// Presenting is what a tool also is that says how a call looks before it has a result.
type Presenting interface {
	// Present is the payload for the page, JSON or nil for nothing to say: the form of a result's Meta, as far as the arguments alone
	// tell it. It is asked again whenever somebody opens a session, long after the call too, so it looks at nothing but C's Cwd and
	// Arguments, and is quick.
	Present(c Call) json.RawMessage
}

// Request is what a person is asked to allow.
type Request struct {
	// Scope names what an allowance for the whole session covers: every call with the same scope. It is never empty, and begins with the
	// name of what it is about, so that no two tools share one by accident.
	Scope string
	// View is the payload for the page: what the call would do, in the form of a result's Meta; JSON or nil.
	View json.RawMessage
	// Refusal is the result of a call that cannot be done, whoever allows it; such a call is neither asked about nor run.
	Refusal *Result
}

// Call is one use of a tool.
type Call struct {
	SessionID, CallID string
	// Cwd is the session's working directory, absolute.
	Cwd string
	// Arguments is a JSON object that the tool's schema accepts.
	Arguments json.RawMessage
	// Clock is the host's.
	Clock clock.Clock
}

// Result is how a call came out.
type Result struct {
	// Text is for the model; valid UTF-8.
	Text string
	// IsError tells the model that the call failed as such; a command that exits with 1 is not an error.
	IsError bool
	// Error names the failure for programs; nil when there is none to name.
	Error *session.ToolError
	// Meta is the payload for the page, JSON or nil. The model does not see it.
	Meta json.RawMessage
	// Events are what the call adds to the session's log besides its result; the agent appends them just before it. They are not part
	// of what the model sees.
	Events []Event
}

// Event is one event of a session's log that a tool wants there: a type of the log's vocabulary and its data.
type Event struct {
	Type string
	Data any
}

// Failed is a result that says what went wrong, in the form all tools use.
func Failed(name, code, text string) Result {
	return Result{Text: "Error: " + text, IsError: true, Error: &session.ToolError{Name: name, Code: code}}
}
