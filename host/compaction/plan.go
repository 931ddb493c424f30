package compaction

import (
	"fmt"

	"keylane/host/session"
)

// Config says when and how much. Parts are of the context window, from 0 to 1.
type Config struct {
	// TriggerPart is how full the window is when the history is shortened.
	TriggerPart float64
	// KeepPart is how much of the newest history stays as it is.
	KeepPart float64
	// MaxSummaryTokens bounds a summary.
	MaxSummaryTokens int
	// Retries is how often a failed call for a summary is made again, where the host's policy for failed calls sees a chance.
	Retries int
	// OverflowRecoveries is how often a step is tried again, with a shorter history, after the provider said that the window is exceeded.
	OverflowRecoveries int
}

// Defaults are what is shipped.
func Defaults() Config {
	return Config{TriggerPart: 0.8, KeepPart: 0.16, MaxSummaryTokens: 8192, Retries: 1, OverflowRecoveries: 1}
}

// Check says what is wrong with a config: the field, in the words of the row's keys, and why.
func (c Config) Check() (field string, err error) {
	switch {
	case !(c.TriggerPart > 0 && c.TriggerPart <= 1):
		return "triggerPart", fmt.Errorf("%v: want a part above 0 and up to 1", c.TriggerPart)
	case !(c.KeepPart >= 0 && c.KeepPart < c.TriggerPart):
		return "keepPart", fmt.Errorf("%v: want 0 or more and less than triggerPart, which is %v", c.KeepPart, c.TriggerPart)
	case c.MaxSummaryTokens < 1:
		return "maxSummaryTokens", fmt.Errorf("%d: want 1 or more", c.MaxSummaryTokens)
	case c.Retries < 0:
		return "retries", fmt.Errorf("%d: want 0 or more", c.Retries)
	case c.OverflowRecoveries < 0:
		return "overflowRecoveries", fmt.Errorf("%d: want 0 or more", c.OverflowRecoveries)
	}
	return "", nil
}

// worthPart is how much of the window must come free to be worth a call that nobody asked for. It keeps a host whose header alone fills
// the window from summarising the newest answer again and again.
const worthPart = 0.05

// Plan is what to summarise and what to keep, both in the order of the history. Shadowed is never empty, and never only a summary.
type Plan struct {
	Shadowed, Kept []session.Node
}

// Tokens estimates what the shadowed nodes cost.
func (p Plan) Tokens() int { return SurfaceTokens(p.Shadowed) }

// Range is the shadowed nodes as a log names them.
func (p Plan) Range() session.SeqRange {
	return session.SeqRange{Start: p.Shadowed[0].Seq, End: p.Shadowed[len(p.Shadowed)-1].Seq}
}

// Seqs are the events of the shadowed nodes.
func (p Plan) Seqs() []int64 {
	seqs := make([]int64, len(p.Shadowed))
	for i, n := range p.Shadowed {
		seqs[i] = n.Seq
	}
	return seqs
}

// Pressed plans when the window is as full as it may be, and there is something worth leaving out.
func (c Config) Pressed(h session.RequestHeaderBody, nodes []session.Node, window int) (Plan, bool) {
	if window <= 0 || Measure(h, nodes).Tokens < int(c.TriggerPart*float64(window)) {
		return Plan{}, false
	}
	plan, ok := split(nodes, int(c.KeepPart*float64(window)))
	return plan, ok && plan.Tokens() >= int(worthPart*float64(window))
}

// Plan plans however full the window is. What stays is counted against the history there is, because whoever asks (a person, or a provider
// whose count is not ours) wants it shorter, not at its best length.
func (c Config) Plan(nodes []session.Node, window int) (Plan, bool) {
	return split(nodes, int(c.KeepPart*float64(min(window, SurfaceTokens(nodes)))))
}

// split keeps the newest whole units that cost no more than keep, and always the newest one.
func split(nodes []session.Node, keep int) (Plan, bool) {
	starts := units(nodes)
	if len(starts) < 2 {
		return Plan{}, false
	}
	at := starts[len(starts)-1]
	for i := len(starts) - 2; i >= 0 && SurfaceTokens(nodes[starts[i]:]) <= keep; i-- {
		at = starts[i]
	}
	plan := Plan{Shadowed: nodes[:at], Kept: nodes[at:]}
	for _, n := range plan.Shadowed {
		if !summary(n) && len(n.Message.Content) > 0 {
			return plan, true
		}
	}
	return Plan{}, false
}

func summary(n session.Node) bool {
	return n.Message.Source.Kind == session.SourcePlugin && n.Message.Source.Plugin == session.PluginCompaction
}

// units are the positions at which a unit begins. A unit is open until every call in it has its result.
func units(nodes []session.Node) []int {
	var starts []int
	open := map[string]int{}
	for i, n := range nodes {
		result := n.Type == session.TypeToolResult
		if len(open) == 0 && !(result && len(starts) > 0) {
			starts = append(starts, i)
		}
		for _, b := range n.Message.Content {
			switch b.Type {
			case session.BlockToolCall:
				open[b.ID]++
			case session.BlockToolResult:
				if open[b.ToolCallID]--; open[b.ToolCallID] <= 0 {
					delete(open, b.ToolCallID)
				}
			}
		}
	}
	return starts
}
