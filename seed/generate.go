package seed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"keylane/host/persistence"
	"keylane/host/session"
)

// History says what a generated session shall be. The same History always gives the same events.
type History struct {
	SessionID string
	Cwd       string // absolute
	Turns     int
	Chunks    int // of the model's answers in each turn; 0 means 20
	// Rich turns have what makes rows differ in height: markdown, fences and paired calls, see richTurn. Chunks means nothing for them.
	Rich bool
	// LastActivity is the time of the last prompt; turns are a minute apart. The file's own time is set to it too.
	LastActivity time.Time
}

// words are what generated prompts and answers are made of.
var words = [...]string{"the", "lock", "keeps", "a", "boat", "level", "while", "water", "rises", "slowly", "gate", "opens", "and", "闸门", "**then**", "`go test`", "passes", "again"}

// Generate stores a made-up session turn by turn, one batch each, as a host would have: a prompt, an answer with a bash call and its result, an
// answer. The session is released afterwards.
func Generate(ctx context.Context, store persistence.Store, h History) (session.Header, error) {
	if h.Turns < 1 || h.LastActivity.IsZero() {
		return session.Header{}, errors.New("seed: a generated session has at least one turn, and a time")
	}
	first := h.LastActivity.UnixMilli() - int64(h.Turns-1)*time.Minute.Milliseconds()
	header := session.Header{ID: h.SessionID, CreatedAt: first, Cwd: h.Cwd}
	if err := store.Create(ctx, header); err != nil {
		return session.Header{}, fmt.Errorf("seed: %w", err)
	}
	g := generator{history: h}
	for turn := 1; turn <= h.Turns; turn++ {
		g.time = first + int64(turn-1)*time.Minute.Milliseconds()
		next := g.turn
		if h.Rich {
			next = g.richTurn
		}
		events, err := next(turn)
		if err == nil {
			err = store.Append(ctx, h.SessionID, events)
		}
		if err != nil {
			return session.Header{}, errors.Join(fmt.Errorf("seed: turn %d: %w", turn, err), store.Delete(ctx, h.SessionID))
		}
	}
	if err := os.Chtimes(store.Locate(header), h.LastActivity, h.LastActivity); err != nil && !errors.Is(err, os.ErrNotExist) {
		return session.Header{}, fmt.Errorf("seed: date the log back: %w", err)
	}
	if err := store.Release(ctx, h.SessionID); err != nil {
		return session.Header{}, fmt.Errorf("seed: %w", err)
	}
	return header, nil
}

type generator struct {
	history History
	seq     int64
	time    int64
	events  []session.Event
	random  *rand.Rand
	failure error
}

// The model that generated histories were made with; whoever goes on with one answers for it.
const (
	generatedProvider = "seed"
	generatedModel    = "generated"
)

// turn makes the events of one turn; nothing of it depends on the turns before but the seqs.
func (g *generator) turn(turn int) ([]session.Event, error) {
	id := func(kind string) string { return fmt.Sprintf("%s-%d", kind, turn) }
	model := session.Source{Kind: session.SourceModel, Provider: generatedProvider, Model: generatedModel}
	made := call{ID: id("call"), Command: fmt.Sprintf("echo %d", turn), Result: fmt.Sprintf("%d\n", turn)}
	chunks := g.history.Chunks
	if chunks == 0 {
		chunks = 20
	}
	g.begin(turn)
	answer, seqs := g.stream(turn, 1, chunks/2)
	g.message(turn, 1, seqs, session.Message{ID: id("first"), Role: session.RoleAssistant, Source: model, Content: []session.Block{
		{Type: session.BlockText, Text: answer}, {Type: session.BlockToolCall, ID: made.ID, Name: "bash", Arguments: made.arguments()}}})
	g.run(turn, 1, []call{made})
	g.add(session.TypeStepEnd, session.StepEnd{Turn: turn, Step: 1})
	g.add(session.TypeStepStart, session.StepStart{Turn: turn, Step: 2})
	answer, seqs = g.stream(turn, 2, chunks-chunks/2)
	g.message(turn, 2, seqs, session.Message{ID: id("second"), Role: session.RoleAssistant, Source: model,
		Content: []session.Block{{Type: session.BlockText, Text: answer}}})
	g.finish(turn, 2)
	return g.events, g.failure
}

// begin starts a turn and its first step, with the person's prompt.
func (g *generator) begin(turn int) {
	g.events, g.random = nil, rand.New(rand.NewPCG(uint64(turn), 7))
	id := func(kind string) string { return fmt.Sprintf("%s-%d", kind, turn) }
	g.add(session.TypeTurnStart, session.TurnStart{Turn: turn})
	g.add(session.TypeStepStart, session.StepStart{Turn: turn, Step: 1})
	prompt := fmt.Sprintf("Prompt %d: %s", turn, g.say(12))
	user := g.add(session.TypeUserMessage, session.Message{ID: id("user"), Role: session.RoleUser,
		Content: []session.Block{{Type: session.BlockText, Text: prompt}}, Source: session.Source{Kind: session.SourceUser, RPCID: id("rpc")}})
	if turn == 1 {
		g.add(session.TypeTitle, session.Title{Title: "Generated " + g.history.SessionID, MessageSeqs: []int64{user}, Source: session.TitleSource{Kind: "fallback"}})
		g.add(session.TypeRequestHeader, session.RequestHeader{Reason: "initial", Header: session.RequestHeaderBody{
			Config: session.RequestConfig{Provider: generatedProvider, Model: generatedModel}, System: "{{system}}"}})
	}
}

// finish ends a turn, and the step that was its last.
func (g *generator) finish(turn, step int) {
	g.add(session.TypeStepEnd, session.StepEnd{Turn: turn, Step: step})
	g.add(session.TypeTurnEnd, session.TurnEnd{Turn: turn, Reason: session.TurnReason{Kind: session.ReasonCompleted}})
}

// A call is a command that bash ran.
type call struct {
	ID, Command, Description, Result string
}

func (c call) arguments() string {
	if c.Description == "" {
		return fmt.Sprintf(`{"command":%q}`, c.Command)
	}
	return fmt.Sprintf(`{"command":%q,"description":%q}`, "echo "+c.Description, c.Description)
}

// run makes the calls of a step, one beside the other, and their results.
func (g *generator) run(turn, step int, calls []call) {
	for _, c := range calls {
		g.add(session.TypeToolCall, session.ToolCall{Turn: turn, Step: step, CallID: c.ID, Name: "bash", Arguments: c.arguments()})
	}
	for _, c := range calls {
		g.add(session.TypeToolResult, session.ToolResult{Turn: turn, Step: step, Message: session.Message{ID: "result-" + c.ID, Role: session.RoleUser,
			Source: session.Source{Kind: session.SourceTool, CallID: c.ID}, Content: []session.Block{{Type: session.BlockToolResult, ToolCallID: c.ID,
				Content: []session.Block{{Type: session.BlockText, Text: c.Result}}}}}})
	}
}

// say makes up some words.
func (g *generator) say(count int) string {
	var text []byte
	for i := range count {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, words[g.random.IntN(len(words))]...)
	}
	return string(text)
}

// stream makes the chunks of an answer and gives the answer and their seqs.
func (g *generator) stream(turn, step, chunks int) (answer string, seqs []int64) {
	for range chunks {
		piece := g.say(1) + " "
		text, err := json.Marshal(piece)
		g.failure = errors.Join(g.failure, err)
		seqs = append(seqs, g.add(session.TypeAssistantChunk, session.AssistantChunk{Turn: turn, Step: step,
			Chunk: json.RawMessage(`{"type":"text-delta","index":0,"text":` + string(text) + `}`)}))
		answer += piece
	}
	return answer, seqs
}

// pieces makes the chunks of an answer that is given, about a line each, and gives their seqs.
func (g *generator) pieces(turn, step int, answer string) (seqs []int64) {
	for _, piece := range strings.SplitAfter(answer, "\n") {
		text, err := json.Marshal(piece)
		g.failure = errors.Join(g.failure, err)
		seqs = append(seqs, g.add(session.TypeAssistantChunk, session.AssistantChunk{Turn: turn, Step: step,
			Chunk: json.RawMessage(`{"type":"text-delta","index":0,"text":` + string(text) + `}`)}))
	}
	return seqs
}

func (g *generator) message(turn, step int, sources []int64, m session.Message) {
	g.add(session.TypeAssistantMessage, session.AssistantMessage{Turn: turn, Step: step, Message: m})
	made := &g.events[len(g.events)-1]
	made.SourceEventSeqs, made.HasSources = sources, true
}

// add makes the next event and gives its seq.
func (g *generator) add(typ string, data any) int64 {
	text, err := json.Marshal(data)
	g.failure = errors.Join(g.failure, err)
	e := session.Event{Type: typ, Seq: g.seq, Time: g.time, Data: text}
	if session.IsSurface(typ) {
		e.SurfaceOp = &session.SurfaceOp{}
	}
	g.events = append(g.events, e)
	g.seq++
	g.time += 20
	return e.Seq
}
