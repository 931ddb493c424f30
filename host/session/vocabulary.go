package session

import "encoding/json"

// The event types of the core vocabulary. The comment names the typed form of the event's data.
const (
	TypeTurnStart        = "turn/start"                // TurnStart
	TypeTurnEnd          = "turn/end"                  // TurnEnd
	TypeStepStart        = "step/start"                // StepStart
	TypeStepEnd          = "step/end"                  // StepEnd
	TypeUserMessage      = "user/message"              // Message; a surface node
	TypeSteeringMessage  = "steering/message"          // read only, from older logs; a surface node
	TypeAssistantChunk   = "assistant/chunk"           // AssistantChunk
	TypeAssistantMessage = "assistant/message"         // AssistantMessage; a surface node
	TypeToolCall         = "tool/call"                 // ToolCall
	TypeToolResult       = "tool/result"               // ToolResult; a surface node
	TypeRequestHeader    = "request/header"            // RequestHeader
	TypeRequestContext   = "request/context"           // RequestContext
	TypeTodoWrite        = "todo/write"                // TodoWrite
	TypeTitle            = "session/title"             // Title
	TypeTitleRequest     = "session/title-llm-request" // TitleRequest
	TypeEndSeed          = "session/end-seed"          // EndSeed
	TypeInboxSpliced     = "agent/inbox/spliced"       // InboxSpliced
	TypeRetry            = "llm/retry"                 // Retry
	TypeRetryStarted     = "llm/retry-started"         // RetryStarted
	TypeApprovalAsked    = "approval/asked"            // ApprovalAsked
	TypeApprovalDecided  = "approval/decided"          // ApprovalDecided
	TypeApprovalPolicy   = "approval/policy"           // ApprovalPolicy
	TypeCompactionStart  = "compaction/start"          // CompactionStart
	TypeCompaction       = "compaction/summary"        // CompactionSummary
	TypeCompactionEnd    = "compaction/end"            // CompactionEnd
	TypeSubagent         = "subagent/descriptor"       // not typed yet
	TypeCommandRun       = "command/run"               // not typed yet
	TypeCommandDone      = "command/done"              // not typed yet
)

// TurnStart opens a turn. Turns count from 1 without gaps and do not nest.
type TurnStart struct {
	Turn int `json:"turn"`
}

// StepStart opens a step: one model call and the tools it asked for. Steps count from 1 inside their turn.
type StepStart struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// StepEnd closes the open step.
type StepEnd struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// TurnEnd closes the open turn; no step is open then.
type TurnEnd struct {
	Turn   int        `json:"turn"`
	Reason TurnReason `json:"reason"`
}

// UserMessage is the data of a user/message: the message itself.
type UserMessage = Message

// AssistantChunk is one chunk of a provider's stream. Chunk is its JSON (package llm has the type).
type AssistantChunk struct {
	Turn  int             `json:"turn"`
	Step  int             `json:"step"`
	Chunk json.RawMessage `json:"chunk"`
}

// AssistantMessage is what a finished stream (or the delivered part of a cancelled one) amounts to.
type AssistantMessage struct {
	Turn        int     `json:"turn"`
	Step        int     `json:"step"`
	Message     Message `json:"message"`
	Usage       *Usage  `json:"usage,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// ToolCall says that a tool was started. Arguments is the text the model produced, which need not be valid JSON.
type ToolCall struct {
	Turn      int    `json:"turn"`
	Step      int    `json:"step"`
	CallID    string `json:"callId"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolResult is how a call came out. Its message holds exactly one tool-result block. Meta is the tool's own payload for presentation.
type ToolResult struct {
	Turn    int             `json:"turn"`
	Step    int             `json:"step"`
	Message Message         `json:"message"`
	Error   *ToolError      `json:"error,omitempty"`
	Meta    json.RawMessage `json:"meta,omitempty"`
}

// ToolError names why a call failed, for programs; the text for the model is in the result's message.
type ToolError struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

// RequestHeader is the part of model requests that stays the same over many of them, logged when it changes.
// Reason is "initial", "resume" or "change".
type RequestHeader struct {
	Header RequestHeaderBody `json:"header"`
	Reason string            `json:"reason"`
}

// RequestHeaderBody holds everything a model sees apart from the messages. An empty System and an empty Tools are absent.
type RequestHeaderBody struct {
	Config RequestConfig   `json:"config"`
	System string          `json:"system,omitempty"`
	Tools  json.RawMessage `json:"tools,omitempty"`
}

// RequestConfig is the model and its settings.
type RequestConfig struct {
	Provider        string   `json:"provider"`
	Model           string   `json:"model"`
	ReasoningEffort string   `json:"reasoningEffort,omitempty"`
	Temperature     *float64 `json:"temperature,omitempty"`
	MaxTokens       int      `json:"maxTokens,omitempty"`
	Stop            []string `json:"stop,omitempty"`
}

// RequestContext tells what is known about the model in use. ContextWindow is in tokens, 0 when unknown.
type RequestContext struct {
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	ContextWindow int    `json:"contextWindow,omitempty"`
}

// TodoWrite is the whole to-do list; the last one counts.
type TodoWrite struct {
	Todos []Todo `json:"todos"`
}

// Todo is one entry of the agent's to-do list.
type Todo struct {
	Content string     `json:"content"`
	Status  TodoStatus `json:"status"`
}

// TodoStatus is how far an entry is.
type TodoStatus string

// The statuses of a Todo.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
)

// Title names the session; the last one counts. MessageSeqs are the events it was made from.
type Title struct {
	Title       string      `json:"title"`
	MessageSeqs []int64     `json:"messageSeqs"`
	Source      TitleSource `json:"source"`
}

// Kinds of TitleSource.
const (
	TitleFallback = "fallback" // the first words of the first message
	TitleProvider = "provider" // a model
	TitleUser     = "user"     // a person: it stays
)

// TitleSource says who chose a title: see its kinds.
type TitleSource struct {
	Kind     string       `json:"kind"`
	Provider string       `json:"provider,omitempty"`
	Model    *ModelTarget `json:"model,omitempty"`
}

// ModelTarget is a model of a provider.
type ModelTarget struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// The two queues of the inbox.
const (
	InboxNextTurn = "next-turn" // waits for a turn of its own
	InboxNextStep = "next-step" // joins the running turn at its next step
)

// InboxSpliced changes a queue of pending messages: at Start, RemovedCount messages leave and Inserted come in. A removal without an
// Outcome is a claim (the loop took the messages); Outcome "canceled" is a deletion.
type InboxSpliced struct {
	Target       string    `json:"target"`
	Start        int       `json:"start"`
	RemovedCount int       `json:"removedCount,omitempty"`
	Inserted     []Message `json:"inserted"`
	Outcome      string    `json:"outcome,omitempty"`
}

// MarshalJSON writes the splice with inserted as an array also when nothing is inserted.
func (s InboxSpliced) MarshalJSON() ([]byte, error) {
	type plain InboxSpliced
	if s.Inserted == nil {
		s.Inserted = []Message{}
	}
	return marshalPlain(plain(s))
}

// EndSeed marks where this life of a session starts: what is before it was loaded or inherited.
type EndSeed struct{}

// Retry says that a failed model call will be repeated inside its step, after DelayMs.
type Retry struct {
	RetryID    string  `json:"retryId"`
	Turn       int     `json:"turn"`
	Step       int     `json:"step"`
	Provider   string  `json:"provider"`
	Mode       string  `json:"mode"`
	PolicyKey  string  `json:"policyKey"`
	Retry      int     `json:"retry"`
	MaxRetries int     `json:"maxRetries,omitempty"`
	DelayMs    int64   `json:"delayMs"`
	Failure    Failure `json:"failure"`
}

// RetryStarted says that the wait of a Retry is over.
type RetryStarted struct {
	RetryID string `json:"retryId"`
	Turn    int    `json:"turn"`
	Step    int    `json:"step"`
	Retry   int    `json:"retry"`
}

// ApprovalAsked says that a tool call waits for the person's decision. Scope names what the outcome "allowed-session" covers from then on:
// every call of the session with the same one.
type ApprovalAsked struct {
	ID       string `json:"id"`
	ToolName string `json:"toolName"`
	CallID   string `json:"callId,omitempty"`
	Scope    string `json:"scope,omitempty"`
}

// ApprovalDecided ends an ApprovalAsked. Outcome is "allowed-once", "allowed-session", "rejected" or "cancelled" (withdrawn with its turn).
type ApprovalDecided struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
}

// AllowedSession is the outcome of an ApprovalDecided that covers the rest of the session.
const AllowedSession = "allowed-session"

// ApprovalPolicy changes what the session may do; the last one counts. Policy is a mode of package approval, Source who chose it.
type ApprovalPolicy struct {
	Policy string `json:"policy"`
	Source string `json:"source,omitempty"`
}

// Usage counts tokens. InputTokens, CacheReadTokens and CacheWriteTokens do not overlap; nil means the provider did not say.
type Usage struct {
	InputTokens      int  `json:"inputTokens"`
	OutputTokens     int  `json:"outputTokens"`
	CacheReadTokens  *int `json:"cacheReadTokens,omitempty"`
	CacheWriteTokens *int `json:"cacheWriteTokens,omitempty"`
	ReasoningTokens  *int `json:"reasoningTokens,omitempty"`
}

// Failure is what is known about a failed model call. Message may hold text of the provider: it is for the log, not for a person.
type Failure struct {
	Message      string `json:"message"`
	Code         string `json:"code"`
	Status       int    `json:"status,omitempty"`
	RetryAfterMs int64  `json:"providerRetryAfterMs,omitempty"`
	RequestID    string `json:"requestId,omitempty"`
}
