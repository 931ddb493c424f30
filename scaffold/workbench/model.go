package workbench

import (
	"fmt"
	"strings"
	"sync"

	"keylane/scaffold/record/script"
)

const usualDeltas = 40

// deltaRunes is how many characters a piece of an answer has.
const deltaRunes = 16

func (p Prompt) deltas() int {
	if p.Deltas > 0 {
		return p.Deltas
	}
	return usualDeltas
}

// model answers the prompt that was planned last, whoever asks.
type model struct {
	mu      sync.Mutex // guards planned
	planned Prompt
}

func (m *model) plan(p Prompt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planned = p
}

// sentences are what answers are made of: words, a list, code.
var sentences = [...]string{
	"The gates are shut and the water rises. ", "A `paddle` lets it in, **slowly**, so that no boat is thrown about. ",
	"\n\n- first the lower gate\n- then the upper one\n\n", "Both sides are level now. ", "\n\n```go\nfmt.Println(\"open\")\n```\n\n",
}

func (m *model) answer(asked script.Asked) (script.Reply, bool) {
	m.mu.Lock()
	p := m.planned
	m.mu.Unlock()
	last := asked.Messages[len(asked.Messages)-1]
	if p.Bash && last.Role != "tool" {
		return script.Say("", script.ToolCall{Name: "bash", Arguments: `{"command":"echo bench","description":"Say something"}`}), true
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Answer %d: ", p.Number)
	for i := 0; text.Len() < p.deltas()*deltaRunes; i++ {
		text.WriteString(sentences[i%len(sentences)])
	}
	fmt.Fprintf(&text, "\n\nEnd of answer %d.", p.Number)
	reply := script.Say(text.String())
	reply.ChunkRunes, reply.Delay = deltaRunes, p.Pace
	return reply, true
}
