package recorded_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
)

// logOf reads lines as a fixture: with or without seq and time.
func logOf(t *testing.T, lines ...string) (session.Header, []session.Event) {
	t.Helper()
	text := `{"type":"session","id":"s","createdAt":0}` + "\n" + strings.Join(lines, "\n")
	header, events, err := session.Read(strings.NewReader(text), session.ReadOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	return header, events
}

const (
	startTurn = `{"type":"turn/start","data":{"turn":1}}`
	startStep = `{"type":"step/start","data":{"turn":1,"step":1}}`
	said      = `{"type":"user/message","data":{"id":"u","role":"user","content":[{"type":"text","text":"Hello"}],"source":{"kind":"user"}},"surfaceOp":"append"}`
	injected  = `{"type":"user/message","data":{"id":"p","role":"user","content":[{"type":"text","text":"context"}],"source":{"kind":"plugin","plugin":"x"}},"surfaceOp":"append"}`
	answered  = `{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"tool-call","id":"c1","name":"bash","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"}`
	called    = `{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c1","name":"bash","arguments":"{}"}}`
	resulted  = `{"type":"tool/result","data":{"turn":1,"step":1,"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[]}],"source":{"kind":"tool","callId":"c1"}}},"surfaceOp":"append"}`
)

func chunkAt(step, chunk string) string {
	return `{"type":"assistant/chunk","data":{"turn":1,"step":` + step + `,"chunk":` + chunk + `}}`
}

const (
	delta   = `{"type":"text-delta","index":0,"text":"hi"}`
	stopped = `{"type":"finish","reason":{"kind":"stop"}}`
	failed  = `{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"SERVER"}}}`
)

func TestEveryFinishClosesACallAndSoDoesANewStep(t *testing.T) {
	_, events := logOf(t, startTurn, startStep, said, injected,
		chunkAt("1", delta), chunkAt("1", failed), // a failed attempt, then its retry in the same step
		chunkAt("1", delta), chunkAt("1", stopped), answered, called, resulted,
		chunkAt("2", delta), chunkAt("2", stopped))
	scripts, err := recorded.Derive(events)
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) != 1 || scripts[0].Purpose != llm.PurposeTurn || scripts[0].FirstUserText != "Hello" {
		t.Fatalf("%+v", scripts)
	}
	type seen struct {
		Turn, Step, Chunks int
		Last               string
		Results            []string
	}
	var got []seen
	for _, call := range scripts[0].Calls {
		got = append(got, seen{call.Turn, call.Step, len(call.Chunks), call.LastUserText, call.ResultsOf})
	}
	want := []seen{{1, 1, 2, "Hello", nil}, {1, 1, 2, "Hello", nil}, {1, 2, 2, "Hello", []string{"c1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestACutCallIsNamedAndTheOthersAreKept(t *testing.T) {
	_, events := logOf(t, said, chunkAt("1", delta), chunkAt("1", delta), chunkAt("2", delta), chunkAt("2", stopped), chunkAt("3", delta))
	scripts, err := recorded.Derive(events)
	cut, other := recorded.Unfinished(err)
	if other != nil || len(cut) != 2 {
		t.Fatalf("%v, %v", cut, other)
	}
	want := recorded.UnfinishedError{Turn: 1, Step: 1, Seq: 1, Chunks: 2, Index: 0}
	if *cut[0] != want || cut[1].Step != 3 || cut[1].Index != 2 {
		t.Errorf("%+v %+v", *cut[0], *cut[1])
	}
	for _, words := range []string{"turn 1 step 1", "unfinished", "override"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
	calls := scripts[0].Calls
	if len(calls) != 3 || !calls[0].Unfinished || calls[1].Unfinished || !calls[2].Unfinished {
		t.Errorf("%+v", calls)
	}
}

func TestTitlesAndCompactionsHaveScriptsOfTheirOwn(t *testing.T) {
	_, events := logOf(t, said,
		`{"type":"session/title","data":{"title":"Hello","messageSeqs":[0],"source":{"kind":"fallback"}}}`,
		chunkAt("1", stopped),
		`{"type":"session/title","data":{"title":"A greeting","messageSeqs":[0],"source":{"kind":"provider","provider":"p"}}}`,
		`{"type":"compaction/summary","data":{"summary":[],"llmStreamCall":false}}`,
		`{"type":"compaction/summary","data":{"summary":[],"llmStreamCall":true,"rawOutput":[{"type":"reasoning","text":"r"},{"type":"text","text":"sum"}],"usage":{"inputTokens":1,"outputTokens":2}}}`)
	scripts, err := recorded.Derive(events)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, script := range scripts {
		for _, chunk := range script.Calls[0].Chunks {
			kinds = append(kinds, string(script.Purpose)+" "+chunk.Type)
		}
	}
	want := []string{"turn finish", "session-title block-start", "session-title block-end", "session-title finish",
		"compaction block-start", "compaction block-end", "compaction block-start", "compaction block-end", "compaction usage", "compaction finish"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if scripts[1].Calls[0].Chunks[1].Block.Text != "A greeting" {
		t.Errorf("%+v", scripts[1].Calls[0].Chunks[1])
	}
}

func TestACallAfterASummaryFollowsWhatTheModelIsStillShown(t *testing.T) {
	lines := []string{said, chunkAt("1", delta), chunkAt("1", stopped), answered, called, resulted}
	_, before := logOf(t, append(lines, chunkAt("2", stopped))...)
	summary := `{"type":"user/message","data":{"id":"s","role":"user","content":[{"type":"text","text":"The gist."}],"source":{"kind":"plugin","plugin":"compaction"}},` +
		`"surfaceOp":{"op":"replace","start":0,"end":5},"sourceEventSeqs":[0,3,5]}`
	_, after := logOf(t, append(lines, summary, chunkAt("2", stopped))...)
	for _, c := range []struct {
		name    string
		events  []session.Event
		last    string
		results []string
	}{
		{"before", before, "Hello", []string{"c1"}},
		{"after", after, "The gist.", nil},
	} {
		scripts, err := recorded.Derive(c.events)
		if err != nil || len(scripts) != 1 || len(scripts[0].Calls) != 2 {
			t.Fatalf("%s: %+v %v", c.name, scripts, err)
		}
		call := scripts[0].Calls[1]
		if call.LastUserText != c.last || scripts[0].FirstUserText != "Hello" {
			t.Errorf("%s: it follows %q in a session that begins with %q", c.name, call.LastUserText, scripts[0].FirstUserText)
		}
		if diff := cmp.Diff(c.results, call.ResultsOf); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		history, err := session.History(c.events)
		if err != nil || llm.LastUserText(history) != c.last {
			t.Errorf("%s: a live request follows %q, %v", c.name, llm.LastUserText(history), err)
		}
	}
}

func TestACompactionWithoutItsOutputIsAnError(t *testing.T) {
	_, events := logOf(t, `{"type":"compaction/summary","data":{"summary":[],"llmStreamCall":true}}`)
	scripts, err := recorded.Derive(events)
	if err == nil || scripts != nil || !strings.Contains(err.Error(), "event 0 (compaction/summary)") {
		t.Errorf("%v %v", scripts, err)
	}
}

func TestAMalformedChunkIsAnErrorWithItsPlace(t *testing.T) {
	_, events := logOf(t, said, chunkAt("1", `{"type":"poem"}`))
	if _, err := recorded.Derive(events); err == nil || !strings.Contains(err.Error(), "event 1 (assistant/chunk)") {
		t.Errorf("%v", err)
	}
}

func TestAChildHasOnlyItsOwnCalls(t *testing.T) {
	header, events := logOf(t, said, chunkAt("1", stopped), chunkAt("2", stopped))
	header.SeedLength = 2
	scripts, err := recorded.DeriveSession(header, events)
	if err != nil || len(scripts[0].Calls) != 1 || scripts[0].Calls[0].Step != 2 {
		t.Errorf("%+v %v", scripts, err)
	}
	header.SeedLength = 4
	if _, err := recorded.DeriveSession(header, events); err == nil {
		t.Error("a seed longer than the log was accepted")
	}
}

func TestDelaysAreTheRecordedOnes(t *testing.T) {
	at := func(seq, time, line string) string {
		return strings.Replace(line, `"data"`, `"seq":`+seq+`,"time":`+time+`,"data"`, 1)
	}
	_, events := logOf(t, at("0", "1000", said), at("1", "1300", chunkAt("1", delta)), at("2", "1290", chunkAt("1", delta)), at("3", "1310", chunkAt("1", stopped)))
	scripts, err := recorded.Derive(events)
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{300 * time.Millisecond, 0, 20 * time.Millisecond}
	if diff := cmp.Diff(want, scripts[0].Calls[0].Delays); diff != "" {
		t.Error(diff)
	}
}

func TestUnfinishedKeepsOtherErrors(t *testing.T) {
	cut, other := recorded.Unfinished(errors.Join(&recorded.UnfinishedError{Turn: 1}, errors.New("odd")))
	if len(cut) != 1 || other == nil || other.Error() != "odd" {
		t.Errorf("%v %v", cut, other)
	}
}
