package compaction

import (
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/session"
)

// Instructions is the system prompt of the call for a summary.
const Instructions = `You write the memory of a coding agent. Its conversation has grown too long, and your summary will stand for the part that you are shown; nothing else of it will be left.

Write down what the agent needs to go on as if it remembered:
- what the person wants, in their own terms, with every limit and preference they stated;
- what was decided, and why;
- what was done: files read, created and changed (with their paths), commands that matter and what they gave;
- what failed, and what was learned from it;
- what is open, and what would come next.

Keep names, paths, numbers, error texts and identifiers exact. Leave out pleasantries and what is no longer of use. Answer with the summary alone, in the language of the conversation. Do not answer or continue the conversation.`

// Limits of what is shown of one result or argument: its beginning and its end.
const (
	longText = 8192
	headText = 4096
	tailText = 1024
)

// Request makes the call for a plan's summary of base, which has the session, the route and nothing else. id is the message's. The
// conversation is quoted in one message, so that nothing in it can pass for a call to be answered. Of long results and arguments only
// beginning and end are quoted, and less of them when the window is too small for the whole.
func (c Config) Request(base llm.Request, id string, p Plan, window int) llm.Request {
	base.Purpose, base.System, base.MaxTokens = llm.PurposeCompaction, Instructions, c.MaxSummaryTokens
	base.Messages = []session.Message{{
		ID: id, Role: session.RoleUser, Content: []session.Block{{Type: session.BlockText, Text: c.quoted(p, window)}},
		Source: session.Source{Kind: session.SourcePlugin, Plugin: session.PluginCompaction},
	}}
	return base
}

func (c Config) quoted(p Plan, window int) string {
	room := window - c.MaxSummaryTokens - Tokens(Instructions) - 2*messageTokens
	for cut := 1; ; cut *= 2 {
		if text := quote(p.Shadowed, cut); Tokens(text) <= room || cut > longText {
			return text
		}
	}
}

func quote(nodes []session.Node, cut int) string {
	var out strings.Builder
	out.WriteString("<conversation>\n")
	for _, n := range nodes {
		quoteMessage(&out, n, cut)
	}
	out.WriteString("</conversation>\n\nSummarise this conversation.")
	return out.String()
}

func quoteMessage(out *strings.Builder, n session.Node, cut int) {
	who := "person"
	switch {
	case summary(n):
		who = "summary of what came before"
	case n.Message.Role == session.RoleAssistant:
		who = "agent"
	case n.Message.Source.Kind != session.SourceUser && n.Message.Source.Kind != session.SourceTool:
		who = "note of the host"
	}
	for _, b := range n.Message.Content {
		switch b.Type {
		case session.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				limit := longText * 4 / cut // what was said is worth more than what a command printed
				if cut == 1 {
					limit = len(b.Text)
				}
				fmt.Fprintf(out, "[%s]\n%s\n\n", who, shorten(b.Text, limit, limit/2, limit/4))
			}
		case session.BlockToolCall:
			fmt.Fprintf(out, "[agent calls %s]\n%s\n\n", b.Name, shorten(b.Arguments, longText/cut, headText/cut, tailText/cut))
		case session.BlockToolResult:
			state := "result"
			if b.IsError {
				state = "failed result"
			}
			fmt.Fprintf(out, "[%s]\n%s\n\n", state, shorten(plain(b.Content), longText/cut, headText/cut, tailText/cut))
		case session.BlockImage:
			fmt.Fprintf(out, "[%s attaches an image]\n\n", who)
		}
	}
}

func plain(blocks []session.Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == session.BlockText {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// shorten leaves out the middle of a text longer than limit bytes, at the borders of characters.
func shorten(text string, limit, head, tail int) string {
	if len(text) <= limit {
		return text
	}
	begin, end := strings.ToValidUTF8(text[:head], ""), strings.ToValidUTF8(text[len(text)-tail:], "")
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", begin, len(text)-len(begin)-len(end), end)
}

// Summary is what an answer says: its text, without what the model thought. "" when it says nothing.
func Summary(blocks []session.Block) string {
	return strings.TrimSpace(session.Message{Content: blocks}.Text())
}

// Message is what stands for the shadowed nodes in the history.
func Message(id, summary string) session.Message {
	return session.Message{
		ID: id, Role: session.RoleUser,
		Content: []session.Block{{Type: session.BlockText, Text: "The conversation so far was too long to keep word for word. This summary stands for its earlier part:\n\n" + summary}},
		Source:  session.Source{Kind: session.SourcePlugin, Plugin: session.PluginCompaction},
	}
}
