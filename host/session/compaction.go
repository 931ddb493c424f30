package session

// TitleRequest says what a model is asked for a title with, before it is asked. What the call costs and how it fails is in no event.
type TitleRequest struct {
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	MaxTokens   int     `json:"maxTokens,omitempty"`
	System      string  `json:"system"`
	Prompt      string  `json:"prompt"`
	MessageSeqs []int64 `json:"messageSeqs"`
}

// SeqRange is the surface nodes from Start through End, by their seqs; End may be smaller, because a node that replaced others has a seq
// of its own.
type SeqRange struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// CompactionStart says that a summary is about to take the place of the nodes in ShadowedRange. A compaction is these events, in this order
// and, with Turn, strictly inside that open turn:
//
//	compaction/start
//	compaction/summary, user/message (which replaces)   unless it failed
//	compaction/end
//
// Turn is nil between turns. A model summarises under Instructions; what it is shown follows from the nodes (package compaction).
type CompactionStart struct {
	CompactionID  string   `json:"compactionId"`
	Turn          *int     `json:"turn"`
	Provider      string   `json:"provider"`
	Model         string   `json:"model"`
	MaxTokens     int      `json:"maxTokens,omitempty"`
	Instructions  string   `json:"instructions"`
	ShadowedRange SeqRange `json:"shadowedRange"`
}

// CompactionSummary is the summary, as people read it. RawOutput is the model's whole answer, of which LLMStreamCall says that it was made by
// one call, so that a replay can give it again. ShadowedTokenCount is an estimate.
type CompactionSummary struct {
	CompactionID       string   `json:"compactionId"`
	Summary            []Block  `json:"summary"`
	RawOutput          []Block  `json:"rawOutput,omitempty"`
	LLMStreamCall      bool     `json:"llmStreamCall,omitempty"`
	ShadowedRange      SeqRange `json:"shadowedRange"`
	ShadowedSeqs       []int64  `json:"shadowedSeqs"`
	ShadowedTokenCount int      `json:"shadowedTokenCount"`
	Provider           string   `json:"provider"`
	Model              string   `json:"model"`
	MaxTokens          int      `json:"maxTokens,omitempty"`
	Usage              *Usage   `json:"usage,omitempty"`
}

// CompactionEnd closes a compaction. With an Error the history is as it was, and ContextTokens is 0; without, ContextTokens estimates what
// the next request holds.
type CompactionEnd struct {
	CompactionID  string   `json:"compactionId"`
	Turn          *int     `json:"turn"`
	ContextTokens int      `json:"contextTokens,omitempty"`
	Error         *Failure `json:"error,omitempty"`
}

// CompactionInterrupted is the code of a CompactionEnd that Repair wrote: the host ended meanwhile.
const CompactionInterrupted = "INTERRUPTED"

// PluginCompaction is the source of the message that stands for a summary in the model's history.
const PluginCompaction = "compaction"
