package deepseek

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-test-0123456789abcdef"

// vendor is a real HTTP server that answers with handle.
func vendor(t *testing.T, handle http.HandlerFunc) Config {
	t.Helper()
	server := httptest.NewServer(handle)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return Config{BaseURL: server.URL + "/v1/", APIKey: key, HTTPClient: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func streaming(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, event := range events {
			fmt.Fprintf(w, "data: %s\n\n", event)
			w.(http.Flusher).Flush()
		}
	}
}

// collect asks through a registry, as the agent does.
func collect(t *testing.T, ctx context.Context, c Config, clk clock.Clock) []llm.Chunk {
	t.Helper()
	registry := llm.NewRegistry()
	if _, err := registry.Register(New(c, clk)); err != nil {
		t.Fatal(err)
	}
	stream, err := registry.Stream(ctx, llm.Request{Provider: ProviderID, Model: "m", Messages: []session.Message{userMessage("hi")}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var chunks []llm.Chunk
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return chunks
		}
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, chunk)
	}
}

func userMessage(text string) session.Message {
	return session.Message{ID: "u", Role: "user", Content: []session.Block{{Type: "text", Text: text}}, Source: session.Source{Kind: "user"}}
}

func failureIn(t *testing.T, chunks []llm.Chunk) session.Failure {
	t.Helper()
	last := chunks[len(chunks)-1]
	if last.Type != llm.ChunkFinish || last.Finish.Failure == nil {
		t.Fatalf("no failure: %+v", last)
	}
	return *last.Finish.Failure
}

func one(delta, finish string) string {
	if finish != "" {
		finish = `"` + finish + `"`
	} else {
		finish = "null"
	}
	return `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

var roundTrip = []string{
	one(`{"role":"assistant","content":""}`, ""),
	one(`{"reasoning_content":"I "}`, ""), one(`{"reasoning_content":"look."}`, ""),
	one(`{"content":"One "}`, ""), one(`{"content":"moment."}`, ""),
	one(`{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"bash","arguments":""}}]}`, ""),
	one(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, ""),
	one(`{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"read","arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]}`, ""),
	one(`{"content":""}`, "tool_calls"),
	`{"choices":[],"usage":{"prompt_tokens":200,"completion_tokens":30,"prompt_cache_hit_tokens":128,"prompt_cache_miss_tokens":72,"completion_tokens_details":{"reasoning_tokens":12}}}`,
	`[DONE]`,
}

func TestAnAnswerBecomesChunksInTheOrderOfTheLog(t *testing.T) {
	var lines []string
	for _, chunk := range collect(t, t.Context(), vendor(t, streaming(roundTrip...)), clock.System()) {
		line, err := json.Marshal(chunk)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	want := []string{
		`{"type":"block-start","index":0,"blockType":"reasoning"}`,
		`{"type":"reasoning-delta","index":0,"text":"I "}`, `{"type":"reasoning-delta","index":0,"text":"look."}`,
		`{"type":"block-start","index":1,"blockType":"text"}`,
		`{"type":"text-delta","index":1,"text":"One "}`, `{"type":"text-delta","index":1,"text":"moment."}`,
		`{"type":"block-start","index":2,"blockType":"tool-call"}`,
		`{"type":"tool-call-delta","index":2,"id":"call_a","name":"bash","argumentsDelta":""}`,
		`{"type":"tool-call-delta","index":2,"id":"call_a","name":"bash","argumentsDelta":"{\"a\""}`,
		`{"type":"block-start","index":3,"blockType":"tool-call"}`,
		`{"type":"tool-call-delta","index":3,"id":"call_b","name":"read","argumentsDelta":"{}"}`,
		`{"type":"tool-call-delta","index":2,"id":"call_a","name":"bash","argumentsDelta":":1}"}`,
		`{"type":"block-end","index":0,"block":{"type":"reasoning","text":"I look."}}`,
		`{"type":"block-end","index":1,"block":{"type":"text","text":"One moment."}}`,
		`{"type":"block-end","index":2,"block":{"type":"tool-call","id":"call_a","name":"bash","arguments":"{\"a\":1}"}}`,
		`{"type":"block-end","index":3,"block":{"type":"tool-call","id":"call_b","name":"read","arguments":"{}"}}`,
		`{"type":"usage","usage":{"inputTokens":72,"outputTokens":30,"cacheReadTokens":128,"reasoningTokens":12}}`,
		`{"type":"finish","reason":{"kind":"tool-calls"}}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestChunksDoNotDependOnWhereTheBytesAreSplit(t *testing.T) {
	body := ": keep-alive\n\ndata: " + strings.Join(roundTrip, "\n\ndata: ") + "\n\n"
	decode := func(split int) []llm.Chunk {
		var chunks []llm.Chunk
		decoder := newDecoder(func(c llm.Chunk) { chunks = append(chunks, c) })
		var parser sseParser
		for _, piece := range []string{body[:split], body[split:]} {
			if err := parser.feed([]byte(piece), decoder.event); err != nil {
				t.Fatal(err)
			}
		}
		if err := decoder.end(nil); err != nil {
			t.Fatal(err)
		}
		return chunks
	}
	whole := decode(0)
	for split := range len(body) {
		if got := decode(split); !reflect.DeepEqual(whole, got) {
			t.Fatalf("split at %d: %s", split, cmp.Diff(whole, got))
		}
	}
}

func TestTheRequestIsWhatTheVendorExpects(t *testing.T) {
	var got map[string]any
	var header http.Header
	var path string
	config := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		path, header = r.URL.Path, r.Header
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		streaming(one(`{"content":"x"}`, "stop"), "[DONE]")(w, r)
	})
	temperature := 0.5
	request := llm.Request{
		Model: "deepseek-v4-flash", System: "You help.", MaxTokens: 100, Temperature: &temperature,
		Tools: []llm.ToolSchema{{Name: "bash", Description: "runs <it>", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []session.Message{
			userMessage("list"),
			{Role: "assistant", Content: []session.Block{{Type: "reasoning", Text: "secret thought"}, {Type: "tool-call", ID: "c1", Name: "bash", Arguments: "{}"}}},
			{Role: "user", Content: []session.Block{{Type: "tool-result", ToolCallID: "c1", Content: []session.Block{{Type: "text", Text: "out"}}}}},
			{Role: "assistant", Content: []session.Block{{Type: "text", Text: "Done"}}},
			{Role: "assistant", Content: []session.Block{{Type: "reasoning", Text: "cut"}}},
			userMessage("thanks"),
		},
	}
	stream, err := New(config, clock.System()).Stream(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := stream.Next(); err != nil {
			break
		}
	}
	stream.Close()
	want := map[string]any{
		"model": "deepseek-v4-flash", "max_tokens": 100.0, "temperature": 0.5, "stream": true, "stream_options": map[string]any{"include_usage": true},
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "bash", "description": "runs <it>", "parameters": map[string]any{"type": "object"}}}},
		"messages": []any{
			map[string]any{"role": "system", "content": "You help."},
			map[string]any{"role": "user", "content": "list"},
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "bash", "arguments": "{}"}}}},
			map[string]any{"role": "tool", "content": "out", "tool_call_id": "c1"},
			map[string]any{"role": "assistant", "content": "Done"},
			map[string]any{"role": "user", "content": "thanks"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if path != "/v1/chat/completions" || header.Get("Authorization") != "Bearer "+key {
		t.Errorf("path %s, authorization %q", path, header.Get("Authorization"))
	}
}

func TestAStatusBecomesACode(t *testing.T) {
	for _, c := range []struct {
		status            int
		body, code, retry string
		retryMs           int64
	}{
		{401, `{"error":{"message":"Authentication Fails, Your api key: ` + key + ` is invalid"}}`, "AUTH", "", 0},
		{403, `no`, "AUTH", "", 0},
		{402, `{"error":{"message":"Insufficient Balance"}}`, "QUOTA", "", 0},
		{429, `{"error":{"message":"You exceeded your current quota"}}`, "QUOTA", "", 0},
		{429, `{"error":{"message":"slow down"}}`, "RATE_LIMIT", "7", 7000},
		{429, ``, "RATE_LIMIT", "Tue, 01 Dec 2026 09:00:30 GMT", 30_000},
		{429, ``, "RATE_LIMIT", "Tue, 01 Dec 2026 08:00:00 GMT", 0},
		{429, ``, "RATE_LIMIT", "-3", 0},
		{429, ``, "RATE_LIMIT", "soon", 0},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens"}}`, "CONTEXT_WINDOW_EXCEEDED", "", 0},
		{400, `{"error":{"message":"bad field"}}`, "INVALID_REQUEST", "", 0},
		{422, `{}`, "HTTP_422", "", 0},
		{503, `<html>busy</html>`, "SERVER", "2", 2000},
		{302, ``, "HTTP_302", "", 0},
	} {
		config := vendor(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "req-1")
			if c.retry != "" {
				w.Header().Set("Retry-After", c.retry)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		manual := clock.NewManual(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), 1)
		got := failureIn(t, collect(t, t.Context(), config, manual))
		if got.Code != c.code || got.Status != c.status || got.RetryAfterMs != c.retryMs || got.RequestID != "req-1" {
			t.Errorf("%d %s %q: %+v", c.status, c.body, c.retry, got)
		}
		if c.status == 401 {
			if !strings.Contains(got.Message, key) {
				t.Errorf("the log lost what the provider said: %q", got.Message)
			}
			if safe := llm.DisplaySafe(got); strings.Contains(safe.Message+safe.RequestID, key) {
				t.Errorf("a person sees the key: %q", safe.Message)
			}
		}
	}
}

func TestACallWithoutAnIdIsItsPlaceInTheAnswer(t *testing.T) {
	config := vendor(t, streaming(
		one(`{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{}"}},{"index":1,"id":"","function":{"name":"glob","arguments":"{}"}}]}`, "tool_calls"), "[DONE]"))
	var ids []string
	for _, chunk := range collect(t, t.Context(), config, clock.System()) {
		if chunk.Type == llm.ChunkBlockEnd {
			ids = append(ids, chunk.Block.ID)
		}
	}
	if !slices.Equal(ids, []string{"call_0", "call_1"}) {
		t.Errorf("the calls are %q", ids)
	}
}

func TestAnAnswerThatIsNoAnswerFails(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		code   string
		chunks int
	}{
		"cut inside tool arguments": {streaming(roundTrip[:7]...), "TRANSPORT", 10},
		"torn off": {func(w http.ResponseWriter, r *http.Request) {
			streaming(roundTrip[:4]...)(w, r)
			panic(http.ErrAbortHandler)
		}, "TRANSPORT", 6},
		"torn off before the end marker": {func(w http.ResponseWriter, r *http.Request) {
			streaming(roundTrip[:9]...)(w, r)
			panic(http.ErrAbortHandler)
		}, "TRANSPORT", 13},
		"empty":                  {streaming(one(`{"content":""}`, "stop"), "[DONE]"), "EMPTY_RESPONSE", 1},
		"no reason":              {streaming(one(`{"content":"a"}`, ""), "[DONE]"), "TRANSPORT", 3},
		"an unknown reason":      {streaming(one(`{"content":"a"}`, "bored"), "[DONE]"), "PROTOCOL", 3},
		"filtered":               {streaming(one(`{"content":"a"}`, "content_filter"), "[DONE]"), "CONTENT_FILTER", 3},
		"out of resources":       {streaming(one(`{"content":"a"}`, "insufficient_system_resource"), "[DONE]"), "SERVER", 3},
		"no JSON":                {streaming(`{"choices":`), "PROTOCOL", 1},
		"an error in the stream": {streaming(one(`{"content":"a"}`, ""), `{"error":{"message":"rate limit","type":"rate_limit_error"}}`), "RATE_LIMIT", 3},
		"a call without a name":  {streaming(one(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}`, "tool_calls"), "[DONE]"), "PROTOCOL", 3},
		"a web page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, "PROTOCOL", 1},
	} {
		t.Run(name, func(t *testing.T) {
			chunks := collect(t, t.Context(), vendor(t, c.handle), clock.System())
			if got := failureIn(t, chunks); got.Code != c.code || len(chunks) != c.chunks {
				t.Errorf("%d chunks, %+v", len(chunks), got)
			}
		})
	}
}

func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]string{"stop": "stop", "length": "max-tokens"} {
		chunks := collect(t, t.Context(), vendor(t, streaming(one(`{"content":"a"}`, reason))), clock.System()) // and no end marker: some leave it out
		if got := chunks[len(chunks)-1].Finish.Kind; got != want {
			t.Errorf("%s: %s", reason, got)
		}
	}
}

func TestNobodyListeningIsTransport(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	got := failureIn(t, collect(t, t.Context(), Config{BaseURL: server.URL, APIKey: key}, clock.System()))
	if got.Code != "TRANSPORT" || !strings.Contains(got.Message, server.URL) || strings.Contains(got.Message, key) {
		t.Errorf("%+v", got)
	}
}

func TestWithoutAKeyNothingIsSentAndTheTextSaysWhatToDo(t *testing.T) {
	config := vendor(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	config.APIKey = " \n"
	if info := New(config, clock.System()).Info(); info.Ready || info.Reason != ReasonMissingKey || info.ID != "deepseek" || len(info.Models) != 2 {
		t.Errorf("%+v", info)
	}
	got := failureIn(t, collect(t, t.Context(), config, clock.System()))
	if got.Code != "AUTH_MISSING" || !strings.Contains(llm.DisplaySafe(got).Message, "DEEPSEEK_API_KEY") {
		t.Errorf("%+v", llm.DisplaySafe(got))
	}
}

func TestABaseURLThatIsNoneIsSaid(t *testing.T) {
	for _, base := range []string{"ftp://x", "nonsense", "http://", "://"} {
		config := Config{BaseURL: base, APIKey: key}
		if info := New(config, clock.System()).Info(); info.Ready || info.Reason != ReasonBadBaseURL {
			t.Errorf("%s: %+v", base, info)
		}
		if got := failureIn(t, collect(t, t.Context(), config, clock.System())); got.Code != CodeInvalidConfig {
			t.Errorf("%s: %+v", base, got)
		}
	}
}

// waiting is a clock that tells when a timer was started.
type waiting struct {
	*clock.Manual
	started chan struct{}
}

func (w waiting) After(d time.Duration) (<-chan time.Time, func()) {
	due, stop := w.Manual.After(d)
	w.started <- struct{}{}
	return due, stop
}

func TestASilentProviderTimesOutAndItsSocketIsClosed(t *testing.T) {
	gone := make(chan struct{})
	config := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		streaming(one(`{"content":"a"}`, ""))(w, r)
		<-r.Context().Done()
		close(gone)
	})
	config.IdleTimeout = 30 * time.Second
	clk := waiting{clock.NewManual(time.Unix(0, 0), 1), make(chan struct{}, 100)}
	go func() {
		<-clk.started // waits for the first bytes
		<-clk.started // waits for more, in vain
		clk.Advance(31 * time.Second)
	}()
	stream, err := New(config, clk).Stream(t.Context(), llm.Request{Messages: []session.Message{userMessage("hi")}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for err == nil {
		_, err = stream.Next()
	}
	if got := llm.FailureOf(err); got.Code != "TIMEOUT" || !strings.Contains(got.Message, "30s") {
		t.Errorf("%+v", got)
	}
	<-gone // before Close
}

func TestCommentsKeepACallAlive(t *testing.T) {
	proceed := make(chan struct{})
	config := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			_, _ = io.WriteString(w, ": keep-alive\n\n")
			w.(http.Flusher).Flush()
			<-proceed
		}
		streaming(one(`{"content":"a"}`, "stop"), "[DONE]")(w, r)
	})
	config.IdleTimeout = 30 * time.Second
	clk := waiting{clock.NewManual(time.Unix(0, 0), 1), make(chan struct{}, 100)}
	go func() {
		<-clk.started
		for range 3 {
			<-clk.started // a comment came, and the wait began anew
			clk.Advance(20 * time.Second)
			proceed <- struct{}{}
		}
	}()
	chunks := collect(t, t.Context(), config, clk)
	if last := chunks[len(chunks)-1]; last.Finish.Kind != "stop" {
		t.Errorf("%+v", last.Finish)
	}
}

func TestACancelClosesTheSocketAndIsAborted(t *testing.T) {
	gone := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	config := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		streaming(one(`{"content":"a"}`, ""))(w, r)
		cancel()
		<-r.Context().Done()
		close(gone)
	})
	chunks := collect(t, ctx, config, clock.System())
	if last := chunks[len(chunks)-1]; last.Finish.Kind != llm.FinishAborted || last.Finish.Failure.Code != llm.CodeAborted {
		t.Errorf("%+v", last.Finish)
	}
	<-gone
}

func TestCloseEndsACallNobodyReads(t *testing.T) {
	gone := make(chan struct{})
	arrived := make(chan struct{})
	config := vendor(t, func(w http.ResponseWriter, r *http.Request) {
		streaming(roundTrip[:5]...)(w, r)
		close(arrived)
		<-r.Context().Done()
		close(gone)
	})
	stream, err := New(config, clock.System()).Stream(t.Context(), llm.Request{Messages: []session.Message{userMessage("hi")}})
	if err != nil {
		t.Fatal(err)
	}
	<-arrived
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	<-gone
}

func TestWhatTheVendorCannotTakeIsRefusedBeforeItIsSent(t *testing.T) {
	adapter := New(Config{APIKey: key}, clock.System())
	for _, message := range []session.Message{
		{Role: "user", Content: []session.Block{{Type: "image"}}},
		{Role: "user", Content: []session.Block{{Type: "tool-result", ToolCallID: "c", Content: []session.Block{{Type: "image"}}}}},
		{Role: "assistant", Content: []session.Block{{Type: "image"}}},
	} {
		_, err := adapter.Stream(t.Context(), llm.Request{Messages: []session.Message{message}})
		if llm.FailureOf(err).Code != llm.CodeInvalidRequest {
			t.Errorf("%+v: %v", message, err)
		}
	}
}
