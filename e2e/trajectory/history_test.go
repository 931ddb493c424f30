package trajectory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/seed"
)

// The sessions that lie on disk.
const (
	eventful = "session-eventful"
	long     = "session-long"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A writer makes the text of a log, event by event.
type writer struct {
	text strings.Builder
	seq  int
	time int64
}

// add writes an event that happens pause milliseconds after the one before, and gives its seq. Data is JSON; surface is "" or the rest of the envelope.
func (w *writer) add(pause int64, typ, data, surface string) int {
	w.time += pause
	fmt.Fprintf(&w.text, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", typ, w.seq, w.time, data, surface)
	w.seq++
	return w.seq - 1
}

const (
	onSurface = `,"surfaceOp":"append"`
	source    = `"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}`
	tools     = `[{"name":"bash","description":"Run a command.","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}},` +
		`{"name":"read","description":"Read a file.","parameters":{"type":"object","properties":{"file_path":{"type":"string"},"limit":{"type":"integer"}}}}]`
)

func (w *writer) user(id, text string) int {
	return w.add(2, "user/message", fmt.Sprintf(`{"id":%q,"role":"user","content":[{"type":"text","text":%q}],"source":{"kind":"user","rpcId":%q}}`, id, text, id), onSurface)
}

// answer writes an answer in two chunks: the first token comes after wait, the end after decoding.
func (w *writer) answer(turn, step int, wait, decoding int64, id, text, blocks, usage string) int {
	half := len(text) / 2
	for i, part := range []string{text[:half], text[half:]} {
		w.add([]int64{wait, decoding / 2}[i], "assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":%d,"chunk":{"type":"text-delta","index":0,"text":%q}}`, turn, step, part), "")
	}
	w.add(decoding-decoding/2, "assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":%d,"chunk":{"type":"finish","reason":{"kind":"stop"}}}`, turn, step), "")
	return w.add(1, "assistant/message", fmt.Sprintf(`{"turn":%d,"step":%d,"message":{"id":%q,"role":"assistant","content":[{"type":"text","text":%q}%s],%s},"usage":%s}`,
		turn, step, id, text, blocks, source, usage), onSurface)
}

// call writes a tool's call and its result.
func (w *writer) call(turn, step int, id, name, arguments string, took int64, text string, failed bool) int {
	quoted, _ := json.Marshal(arguments) //nolint:errcheck // a string always has a text
	w.add(3, "tool/call", fmt.Sprintf(`{"turn":%d,"step":%d,"callId":%q,"name":%q,"arguments":%s}`, turn, step, id, name, quoted), "")
	result := fmt.Sprintf(`{"turn":%d,"step":%d,"message":{"id":"result-%s","role":"user","content":[{"type":"tool-result","toolCallId":%q,"content":[{"type":"text","text":%q}]%s}],"source":{"kind":"tool","callId":%q}}%s}`,
		turn, step, id, id, text, map[bool]string{true: `,"isError":true`}[failed], id, map[bool]string{true: `,"error":{"name":"NotFound","code":"FILE_NOT_FOUND"}`}[failed])
	return w.add(took, "tool/result", result, onSurface)
}

func asked(id, name, arguments string) string {
	quoted, _ := json.Marshal(arguments) //nolint:errcheck // a string always has a text
	return fmt.Sprintf(`,{"type":"tool-call","id":%q,"name":%q,"arguments":%s}`, id, name, quoted)
}

// leaked is what a provider's message may echo; nothing of it may reach the page.
const leaked = "sk-live-5ecre7"

// history is a log with everything that the trajectory tells apart: a header, tools that work and fail, a retry, an event nobody knows, a
// compaction between turns, and a turn that fails.
func history() []byte {
	w := &writer{time: 1000}
	w.text.WriteString(`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":1000,"cwd":"{{cwd}}","delegationDepth":0}` + "\n")
	turn := func(n int) { w.add(400, "turn/start", fmt.Sprintf(`{"turn":%d}`, n), "") }
	step := func(n, m int) { w.add(2, "step/start", fmt.Sprintf(`{"turn":%d,"step":%d}`, n, m), "") }
	stepEnd := func(n, m int) { w.add(1, "step/end", fmt.Sprintf(`{"turn":%d,"step":%d}`, n, m), "") }

	turn(1)
	step(1, 1)
	first := w.user("user-1", "Print the marker, then read the notes.")
	w.add(1, "session/title", fmt.Sprintf(`{"title":"Markers and notes","messageSeqs":[%d],"source":{"kind":"fallback"}}`, first), "")
	w.add(1, "request/header", `{"header":{"config":{"provider":"deepseek","model":"deepseek-v4-flash"},"system":"You are careful.\nYou say what you did.","tools":`+tools+`},"reason":"initial"}`, "")
	answer := w.answer(1, 1, 350, 800, "answer-1", "I print it first.", asked("call-1", "bash", `{"command":"echo KEYLANE_TRAJECTORY"}`), `{"inputTokens":1200,"outputTokens":64,"cacheReadTokens":800}`)
	result := w.call(1, 1, "call-1", "bash", `{"command":"echo KEYLANE_TRAJECTORY"}`, 240, "KEYLANE_TRAJECTORY\n", false)
	stepEnd(1, 1)
	step(1, 2)
	w.add(200, "assistant/chunk", `{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"Now the"}}`, "")
	w.add(100, "assistant/chunk", `{"turn":1,"step":2,"chunk":{"type":"finish","reason":{"kind":"error","failure":{"message":"503 for `+leaked+`","code":"SERVER","status":503}}}}`, "")
	w.add(1, "llm/retry", `{"retryId":"retry-1","turn":1,"step":2,"provider":"deepseek","mode":"normal","policyKey":"llm-retry","retry":1,"maxRetries":2,"delayMs":500,"failure":{"message":"503 for `+leaked+`","code":"SERVER","status":503}}`, "")
	w.add(500, "llm/retry-started", `{"retryId":"retry-1","turn":1,"step":2,"retry":1}`, "")
	second := w.answer(1, 2, 300, 600, "answer-2", "Now the notes.", asked("call-2", "read", bigArguments), `{"inputTokens":1300,"outputTokens":40}`)
	missing := w.call(1, 2, "call-2", "read", bigArguments, 15, "notes.txt does not exist.", true)
	stepEnd(1, 2)
	step(1, 3)
	third := w.answer(1, 3, 250, 1500, "answer-3", "The marker is KEYLANE_TRAJECTORY; there are no notes.", "", `{"inputTokens":1400,"outputTokens":120}`)
	stepEnd(1, 3)
	w.add(1, "turn/end", `{"turn":1,"reason":{"kind":"completed"}}`, "")

	shadowed := fmt.Sprintf("%d,%d,%d,%d,%d,%d", first, answer, result, second, missing, third)
	w.add(60_000, "compaction/start", fmt.Sprintf(`{"compactionId":"compaction-1","turn":null,"provider":"deepseek","model":"deepseek-v4-flash","instructions":"Sum up.","shadowedRange":{"start":%d,"end":%d}}`, first, third), "")
	w.add(1800, "compaction/summary", fmt.Sprintf(`{"compactionId":"compaction-1","summary":[{"type":"text","text":"The marker was printed; there are no notes."}],"shadowedRange":{"start":%d,"end":%d},"shadowedSeqs":[%s],"shadowedTokenCount":300,"provider":"deepseek","model":"deepseek-v4-flash","usage":{"inputTokens":900,"outputTokens":30}}`, first, third, shadowed), "")
	w.add(1, "user/message", `{"id":"summary-1","role":"user","content":[{"type":"text","text":"The marker was printed; there are no notes."}],"source":{"kind":"plugin","plugin":"compaction"}}`,
		fmt.Sprintf(`,"sourceEventSeqs":[%s],"surfaceOp":{"op":"replace","start":%d,"end":%d}`, shadowed, first, third))
	w.add(1, "compaction/end", `{"compactionId":"compaction-1","turn":null,"contextTokens":60}`, "")

	turn(2)
	step(2, 1)
	w.user("user-2", "Was anything odd?")
	w.add(5, "plan/mode", `{"active":true,"steps":["one","two"]}`, "")
	w.answer(2, 1, 400, 700, "answer-4", "Only the missing notes.", "", `{"inputTokens":400,"outputTokens":20}`)
	stepEnd(2, 1)
	w.add(1, "turn/end", `{"turn":2,"reason":{"kind":"completed"}}`, "")

	turn(3)
	step(3, 1)
	w.user("user-3", "Thank you.")
	w.add(180, "assistant/chunk", `{"turn":3,"step":1,"chunk":{"type":"finish","reason":{"kind":"error","failure":{"message":"invalid key `+leaked+`","code":"AUTH","status":401}}}}`, "")
	stepEnd(3, 1)
	w.add(1, "turn/end", `{"turn":3,"reason":{"kind":"error","error":{"message":"invalid key `+leaked+`","code":"AUTH","status":401}}}`, "")
	return []byte(w.text.String())
}

// bigArguments have a number that no double holds, and a key twice: laid out, both stay as the model wrote them.
const bigArguments = `{"file_path":"notes.txt","limit":12345678901234567890,"limit":7}`

// longTurns is more than the page fetches by itself, twice.
const longTurns = 160

// prepare puts a long history on disk beside the eventful one.
func prepare(folders scaffold.Folders) (err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	_, err = seed.Generate(ctx, store, seed.History{SessionID: long, Cwd: folders.Workspace, Turns: longTurns, Chunks: 6, LastActivity: at})
	return err
}
