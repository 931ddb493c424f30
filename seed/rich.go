package seed

import (
	"fmt"
	"strings"

	"keylane/host/session"
)

// How often a rich history has something that is tall: every so many turns.
const (
	callsEvery = 8
	fenceEvery = 11
)

// richTurn makes one turn of a rich history: markdown of several blocks, in every eighth turn a pair of calls in one step, in every eleventh a
// fence of thirty lines. Its texts say which turn they are of, so that a test can name what it sees: "Prompt 16:", "Answer 16" and, of the
// calls, "First of 16" and "Second of 16".
func (g *generator) richTurn(turn int) ([]session.Event, error) {
	model := session.Source{Kind: session.SourceModel, Provider: generatedProvider, Model: generatedModel}
	id := func(kind string) string { return fmt.Sprintf("%s-%d", kind, turn) }
	step := 1
	g.begin(turn)
	if turn%callsEvery == 0 {
		message := session.Message{ID: id("calling"), Role: session.RoleAssistant, Source: model}
		var calls []call
		for _, name := range []string{"First", "Second"} {
			c := call{ID: strings.ToLower(name) + "-" + id("call"), Description: fmt.Sprintf("%s of %d", name, turn)}
			for line := range 12 {
				c.Result += fmt.Sprintf("%s of %d, line %d\n", name, turn, line+1)
			}
			calls = append(calls, c)
			message.Content = append(message.Content, session.Block{Type: session.BlockToolCall, ID: c.ID, Name: "bash", Arguments: c.arguments()})
		}
		g.message(turn, step, nil, message)
		g.run(turn, step, calls)
		g.add(session.TypeStepEnd, session.StepEnd{Turn: turn, Step: step})
		step++
		g.add(session.TypeStepStart, session.StepStart{Turn: turn, Step: step})
	}
	answer := g.markdown(turn)
	seqs := g.pieces(turn, step, answer)
	g.message(turn, step, seqs, session.Message{ID: id("answer"), Role: session.RoleAssistant, Source: model,
		Content: []session.Block{{Type: session.BlockText, Text: answer}}})
	g.finish(turn, step)
	return g.events, g.failure
}

// markdown is the answer of a turn.
func (g *generator) markdown(turn int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Answer %d begins with a sentence that is long enough to break in a narrow column: %s.\n\n", turn, g.say(30))
	fmt.Fprintf(&text, "### Part of %d\n\n- %s\n- %s\n- %s\n\n", turn, g.say(6), g.say(12), g.say(4))
	if turn%fenceEvery == 0 {
		text.WriteString("```ts\n")
		for line := range 30 {
			fmt.Fprintf(&text, "export const line%d_%d = %d;\n", turn, line+1, line*turn)
		}
		text.WriteString("```\n\n")
	}
	fmt.Fprintf(&text, "It ends so, in turn %d: %s.\n", turn, g.say(18))
	return text.String()
}
