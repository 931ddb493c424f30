package workbench

import (
	"fmt"
	"strings"
	"time"

	"keylane/host/session"
	"keylane/scaffold/measure"
)

// A Prompt is what a turn begins with, and how the model answers it.
type Prompt struct {
	// Number tells the turns of a page apart; it stands in the prompt and in the answer.
	Number int
	// Text is what is asked besides; "" is a short question.
	Text string
	// Bash lets the model run a command before it answers.
	Bash bool
	// Deltas are how many pieces the answer has at least, and Pace the time between them; 0 is forty pieces without a pause.
	Deltas int
	Pace   time.Duration
}

func (p Prompt) text() string {
	text := p.Text
	if text == "" {
		text = "Say how a lock keeps a boat level."
	}
	return fmt.Sprintf("(turn %d) %s", p.Number, text)
}

// lastOf is a JavaScript expression of the text of the last article of a name.
func lastOf(name string) string {
	return fmt.Sprintf(`([...document.querySelectorAll("[role=log] article[aria-label=%s]")].at(-1)?.textContent ?? "")`, name)
}

// Turn writes a prompt, sends it by a click and returns when the answer is there and the page rests. It adds to the result, each figure's
// name ending with series:
//
//   - composer: from the text's arrival in the composer until it can be sent, painted
//   - echo: from the trusted click until the prompt is in the transcript; the composer's own draft does not count
//   - echo painted: the same until the frame that shows it is drawn
//   - first chunk: until something of the answer is in the transcript
//   - complete: until all of it is, and the page rests
//   - mutations: records of DOM mutations in the transcript meanwhile
//   - main thread: its time meanwhile
func (b *Bench) Turn(series string, p Prompt) measure.Times {
	b.Helper()
	b.model.plan(p)
	b.Click(".composer textarea")
	composed := b.Timed(measure.Input, func() { b.Put(p.text()) },
		measure.Mark{Name: "composer", Met: `document.querySelector('.composer button[aria-label="Send message"]')?.disabled === false`})
	before, err := measure.Spent(b.Context(), b.Page)
	b.must(err)
	times := b.watched(measure.Watch{From: measure.Click, Mutations: "[role=log]", Marks: []measure.Mark{
		{Name: "echo", Met: fmt.Sprintf(`%s.includes("(turn %d)")`, lastOf("You"), p.Number)},
		{Name: "first chunk", Met: fmt.Sprintf(`%s.includes("Answer %d:")`, lastOf("Agent"), p.Number)},
		{Name: "complete", Met: fmt.Sprintf(`%s && %s.includes("End of answer %d.")`, Rests, lastOf("Agent"), p.Number)},
	}}, func() { b.Click(`.composer button[aria-label="Send message"]`) })
	after, err := measure.Spent(b.Context(), b.Page)
	b.must(err)
	for _, figure := range []struct {
		name, unit string
		value      float64
	}{
		{"composer", "ms", composed.Painted["composer"]},
		{"echo", "ms", times.Seen["echo"]},
		{"echo painted", "ms", times.Painted["echo"]},
		{"first chunk", "ms", times.Seen["first chunk"]},
		{"complete", "ms", times.Painted["complete"]},
		{"mutations", "count", times.Mutations},
		{"main thread", "ms", after.TaskMs - before.TaskMs},
		{"scripts", "ms", after.ScriptMs - before.ScriptMs},
		{"layout and style", "ms", after.LayoutMs + after.StyleMs - before.LayoutMs - before.StyleMs},
	} {
		b.Result.Add(figure.name+", "+series, figure.unit, figure.value)
	}
	return times
}

// ProfileTurn is Turn with a profile of the page's scripts, left as <name>.cpuprofile; its figures are not added, because a profile slows what it
// shows. The turn counts for WantTurns.
func (b *Bench) ProfileTurn(name string, p Prompt) {
	b.Helper()
	kept := b.Result
	b.Result = &measure.Result{}
	b.must(measure.Profile(b.Context(), b.Page, name, func() error { b.Turn(name, p); return nil }))
	b.Result = kept
}

// WantTurns checks on disk that these turns were the last ones of the open session, in this order: each was claimed once, came to its end,
// has an answer in pieces, and ran its command if it has one. Chunks and tool events of each turn are added to the result, the names ending
// with series.
func (b *Bench) WantTurns(series string, prompts ...Prompt) {
	b.Helper()
	type turn struct {
		prompts, chunks, calls, results int
		prompt, result, end             string
	}
	var turns []turn
	for _, event := range b.Log(b.Session()) {
		if event.Type == session.TypeTurnStart {
			turns = append(turns, turn{})
		}
		if len(turns) == 0 {
			continue
		}
		t := &turns[len(turns)-1]
		switch event.Type {
		case session.TypeUserMessage:
			if message, _, err := session.MessageOf(event); err == nil && message.Source.Kind == session.SourceUser {
				t.prompts++
				t.prompt = message.Content[0].Text
			}
		case session.TypeAssistantChunk:
			t.chunks++
		case session.TypeToolCall:
			t.calls++
		case session.TypeToolResult:
			t.results++
			t.result = string(event.Data)
		case session.TypeTurnEnd:
			t.end = string(event.Data)
		}
	}
	if len(turns) < len(prompts) {
		b.Fatalf("%d turns are on disk, want %d more than before", len(turns), len(prompts))
	}
	for i, t := range turns[len(turns)-len(prompts):] {
		p, calls := prompts[i], 0
		if p.Bash {
			calls = 1
			if !strings.Contains(t.result, `bench\n`) {
				b.Errorf("the command of turn %d gave %s", p.Number, t.result)
			}
		}
		if t.prompts != 1 || t.prompt != p.text() || t.calls != calls || t.results != calls || t.chunks < p.deltas() || !strings.Contains(t.end, `"completed"`) {
			b.Errorf("turn %d is on disk with %d prompts (%.60q), %d chunks, %d calls, %d results and the end %s", p.Number, t.prompts, t.prompt, t.chunks, t.calls, t.results, t.end)
		}
		b.Result.Add("persisted chunks, "+series, "count", float64(t.chunks))
		b.Result.Add("tool events, "+series, "count", float64(t.calls+t.results))
	}
}
