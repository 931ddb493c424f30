package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"keylane/host/session"
)

// transcript writes a session as Markdown (CommonMark) for people: what was said, what tools were called and what came of it. It leaves out
// what a reader has no use for: chunks, request headers, queues. An answer that never became whole is not in it, only in the log.
type transcript struct {
	to    io.Writer
	turns turns
	only  int // this turn and no other; 0 is all
	found bool
	err   error
}

func (t *transcript) say(format string, values ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.to, format, values...)
	}
}

// head begins the transcript of a whole session.
func (t *transcript) head(h session.Header, p session.Projection) {
	title := plain(p.Title)
	if title == "" {
		title = "Untitled session"
	}
	t.say("# %s\n\n- session: `%s`\n- folder: `%s`\n- created: %s\n", title, plain(h.ID), plain(h.Cwd), stamp(h.CreatedAt))
	if p.Model.Model != "" {
		t.say("- model: %s/%s\n", plain(p.Model.Provider), plain(p.Model.Model))
	}
}

// take is for walk.
func (t *transcript) take(events []session.Event) error {
	for _, e := range events {
		turn := t.turns.of(e)
		if t.only != 0 && turn != t.only {
			continue
		}
		t.found = true
		t.event(e, turn)
	}
	return t.err
}

func (t *transcript) event(e session.Event, turn int) {
	switch e.Type {
	case session.TypeTurnStart:
		t.say("\n## Turn %d (%s)\n", turn, stamp(e.Time))
	case session.TypeUserMessage, session.TypeSteeringMessage:
		if m, ok, err := session.MessageOf(e); ok && err == nil {
			t.user(e, m)
		}
	case session.TypeAssistantMessage:
		var data session.AssistantMessage
		if m, ok, err := session.MessageOf(e); ok && err == nil {
			t.answer(m, read(e, &data) && data.Interrupted)
		}
	case session.TypeToolResult:
		if m, ok, err := session.MessageOf(e); ok && err == nil {
			t.result(m)
		}
	case session.TypeRetry:
		var data session.Retry
		if read(e, &data) {
			t.say("\n*The model call failed (%s) and is made again.*\n", plain(data.Failure.Code))
		}
	case session.TypeTurnEnd:
		var data session.TurnEnd
		if read(e, &data) {
			t.ended(data.Reason)
		}
	}
}

func (t *transcript) user(e session.Event, m session.Message) {
	switch {
	case e.SurfaceOp != nil && e.SurfaceOp.Replace:
		t.say("\n### Summary of what came before, for the model\n")
	case m.Source.Kind == session.SourceUser:
		t.say("\n### You\n")
	default:
		t.say("\n### Context for the model: %s\n", plain(m.Source.Kind))
	}
	t.blocks(m)
}

func (t *transcript) answer(m session.Message, interrupted bool) {
	t.say("\n### Agent\n")
	t.blocks(m)
	if interrupted {
		t.say("\n*Stopped before it was finished.*\n")
	}
}

func (t *transcript) blocks(m session.Message) {
	for _, b := range m.Content {
		switch b.Type {
		case session.BlockText:
			t.say("\n%s\n", strings.TrimRight(b.Text, "\n"))
		case session.BlockReasoning:
			t.say("\n<details><summary>Reasoning</summary>\n")
			t.fenced("text", b.Text)
			t.say("\n</details>\n")
		case session.BlockToolCall:
			t.say("\n**Calls `%s`**\n", plain(b.Name))
			t.fenced("json", b.Arguments)
		default:
			t.say("\n*(%s)*\n", plain(b.Type))
		}
	}
}

func (t *transcript) result(m session.Message) {
	for _, b := range m.Content {
		if b.Type != session.BlockToolResult {
			continue
		}
		word := "Result"
		if b.IsError {
			word = "Failed"
		}
		t.say("\n**%s**\n", word)
		for _, piece := range b.Content {
			if piece.Type == session.BlockText {
				t.fenced("text", piece.Text)
			} else {
				t.say("\n*(%s)*\n", plain(piece.Type))
			}
		}
	}
}

// ended says why a turn ended that did not just finish. The provider's own words stay in the log.
func (t *transcript) ended(r session.TurnReason) {
	switch {
	case r.Kind == session.ReasonCompleted:
	case r.Kind == session.ReasonAborted:
		t.say("\n*Turn stopped (%s).*\n", plain(r.Abort))
	case r.Kind == session.ReasonError && r.Failure != nil:
		t.say("\n*Turn failed (%s).*\n", plain(r.Failure.Code))
	default:
		t.say("\n*Turn ended: %s.*\n", plain(r.Kind))
	}
}

// fenced writes text as a code block whose fence is longer than any in it.
func (t *transcript) fenced(language, text string) {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	t.say("\n%s%s\n%s\n%s\n", fence, language, strings.TrimSuffix(text, "\n"), fence)
}

// read decodes an event's data; false leaves it to who asks what an event of another shape is.
func read(e session.Event, into any) bool { return json.Unmarshal(e.Data, into) == nil }
