package script_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/llm/deepseek"
	"keylane/host/session"
	"keylane/scaffold/record/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, text string) (*script.Server, llm.Adapter) {
	t.Helper()
	server, err := script.Start(t.Context(), "script.yml", []byte(text), clock.System())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, deepseek.New(deepseek.Config{BaseURL: server.URL(), APIKey: "key", HTTPClient: &http.Client{Transport: transport}}, clock.System())
}

func ask(t *testing.T, adapter llm.Adapter, messages ...session.Message) (llm.Assembler, int) {
	t.Helper()
	registry := llm.NewRegistry()
	if _, err := registry.Register(adapter); err != nil {
		t.Fatal(err)
	}
	stream, err := registry.Stream(t.Context(), llm.Request{Provider: "deepseek", Model: "m", Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var assembler llm.Assembler
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return assembler, assembler.Received()
		}
		if err == nil {
			err = assembler.Add(chunk)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func user(text string) session.Message {
	return session.Message{Role: "user", Content: []session.Block{{Type: "text", Text: text}}, Source: session.Source{Kind: "user"}}
}

func result(id, text string) session.Message {
	return session.Message{Role: "user", Content: []session.Block{{Type: "tool-result", ToolCallID: id, Content: []session.Block{{Type: "text", Text: text}}}}}
}

func TestTheRealAdapterReadsWhatWasScripted(t *testing.T) {
	server, adapter := serve(t, `
replies:
  - expect: list
    reasoning: I look ü.
    text: One moment.
    toolCalls: [{name: bash, arguments: {command: ls}}]
    usage: {inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8}
    chunkRunes: 3
    delayMs: 1
  - expect: README
    text: Done.
`)
	first, chunks := ask(t, adapter, user("please list"))
	want := []session.Block{{Type: "reasoning", Text: "I look ü."}, {Type: "text", Text: "One moment."},
		{Type: "tool-call", ID: "call_01_01", Name: "bash", Arguments: `{"command": "ls"}`}}
	if diff := cmp.Diff(want, first.Blocks()); diff != "" {
		t.Error(diff)
	}
	if usage := first.Usage(); usage.InputTokens != 120 || *usage.CacheReadTokens != 64 || *usage.ReasoningTokens != 8 || first.Finish().Kind != "tool-calls" {
		t.Errorf("%+v %+v", usage, first.Finish())
	}
	if chunks != 3+3+4+1+6+3+1+1 { // starts, reasoning, text, call id, arguments, ends, usage, finish
		t.Errorf("%d chunks", chunks)
	}
	if problems := server.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "script.yml:10: reply 2 was never asked for") {
		t.Errorf("%v", problems)
	}
	second, _ := ask(t, adapter, user("please list"), session.Message{Role: "assistant", Content: first.Blocks()}, result("call_01_01", "README.md"))
	if diff := cmp.Diff([]session.Block{{Type: "text", Text: "Done."}}, second.Blocks()); diff != "" {
		t.Error(diff)
	}
	if problems := server.Problems(); problems != nil {
		t.Errorf("%v", problems)
	}
}

func TestARequestNothingFitsIsRefusedAndIsAProblem(t *testing.T) {
	server, adapter := serve(t, "replies:\n- {expect: list, text: a}\n")
	got, _ := ask(t, adapter, user("sing"))
	if failure := got.Finish().Failure; failure == nil || failure.Code != llm.CodeInvalidRequest || !strings.Contains(failure.Message, `"sing"`) {
		t.Errorf("%+v", got.Finish())
	}
	if problems := server.Problems(); len(problems) != 2 || !strings.Contains(problems[0], "no reply that is left fits") {
		t.Errorf("%v", problems)
	}
	for want, prompt := range []string{"list", "list"} { // each reply is for one request
		got, _ := ask(t, adapter, user(prompt))
		if failed := got.Finish().Failed(); failed != (want == 1) {
			t.Errorf("request %d: %+v", want, got.Finish())
		}
	}
}

func TestAReplyFitsThePromptAlsoBehindWhichTheHostPutContext(t *testing.T) {
	_, adapter := serve(t, "replies:\n- {expect: list, text: a}\n- {expect: sing, text: b}\n")
	context := user("<system-reminder>\nYou are at home.\n</system-reminder>")
	if got, _ := ask(t, adapter, user("list"), user("sing"), context, context); got.Message("m", "p", "m").Text() != "b" {
		t.Errorf("%+v", got.Finish())
	}
	if got, _ := ask(t, adapter, user("sing"), context, user("no")); !got.Finish().Failed() {
		t.Errorf("a message before the last one counted: %+v", got.Finish())
	}
}

func TestScriptedFailuresAreTheVendors(t *testing.T) {
	_, adapter := serve(t, `
replies:
  - {expect: limit, error: {status: 429, message: slow down, retryAfterSeconds: 2}}
  - {expect: cut, text: abcdefghijkl, chunkRunes: 1, cutAfterChunks: 3}
  - {expect: late, text: abc, chunkRunes: 1, cutAfterChunks: 4}
  - {expect: long, text: abc, finish: length}
`)
	limited, _ := ask(t, adapter, user("limit"))
	if failure := limited.Finish().Failure; failure.Code != llm.CodeRateLimit || failure.RetryAfterMs != 2000 || failure.RequestID != "scripted-1" {
		t.Errorf("%+v", failure)
	}
	for prompt, want := range map[string]string{"cut": "ab", "late": "abc"} {
		cut, _ := ask(t, adapter, user(prompt))
		if blocks := cut.Blocks(); cut.Finish().Failure.Code != llm.CodeTransport || blocks[0].Text != want {
			t.Errorf("%s: %+v %+v", prompt, blocks, cut.Finish())
		}
	}
	if long, _ := ask(t, adapter, user("long")); long.Finish().Kind != llm.FinishMaxTokens {
		t.Errorf("%+v", long.Finish())
	}
}

func TestAnyOtherRequestIsAProblem(t *testing.T) {
	server, _ := serve(t, "replies:\n- {text: a}\n")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, c := range []struct{ method, path, key, body, want string }{
		{"GET", "/models", "k", "", "unexpected request GET /models"},
		{"POST", "/chat/completions", "", "{}", "without a key"},
		{"POST", "/chat/completions", "k", "{", "cannot be answered"},
		{"POST", "/chat/completions", "k", `{"messages":[{"role":"user","content":"a"}]}`, `"stream" is not true`},
		{"POST", "/chat/completions", "k", `{"stream":true,"messages":[]}`, `"messages" is empty`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL()+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.key != "" {
			request.Header.Set("Authorization", "Bearer "+c.key)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		problems := server.Problems()
		if response.StatusCode < 400 || !strings.Contains(problems[len(problems)-2], c.want) {
			t.Errorf("%s %s: %d %v", c.method, c.path, response.StatusCode, problems)
		}
	}
}

func TestCloseEndsARunningAnswer(t *testing.T) {
	server, adapter := serve(t, "replies:\n- {text: abc, chunkRunes: 1, delayMs: 60000}\n")
	stream, err := adapter.Stream(t.Context(), llm.Request{Messages: []session.Message{user("a")}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := stream.Next()
		ended <- err
	}()
	for len(server.Problems()) > 0 { // until the reply is being served
		continue
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; llm.FailureOf(err).Code != llm.CodeTransport {
		t.Errorf("%v", err)
	}
}

func TestAHangGivesItsDeltasAndThenNothingUntilTheClientGoes(t *testing.T) {
	_, adapter := serve(t, "replies:\n- {text: abc, chunkRunes: 1, hangAfterChunks: 2}\n")
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := adapter.Stream(ctx, llm.Request{Messages: []session.Message{user("a")}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var got []string
	for len(got) < 2 { // a start and the first letter; the role is no chunk
		chunk, err := stream.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, chunk.Type+chunk.Text)
	}
	if diff := cmp.Diff([]string{"block-start", "text-deltaa"}, got); diff != "" {
		t.Error(diff)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := stream.Next()
		ended <- err
	}()
	cancel()
	if err := <-ended; llm.FailureOf(err).Code != llm.CodeAborted {
		t.Errorf("%v", err)
	}
}

func TestARequestCanBeWaitedFor(t *testing.T) {
	server, _ := serve(t, "replies: [{text: a}]")
	if err := server.AwaitRequest(t.Context(), 0); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.AwaitRequest(short, 1); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "0 came") {
		t.Errorf("no request came, but: %v", err)
	}
}

func TestTheServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := script.Start(ctx, "script.yml", []byte("replies:\n- {text: a}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := script.StartFile(t.Context(), "missing.yml", nil); err == nil {
		t.Error("a missing file was served")
	}
}

func TestEveryExchangeIsKeptWithItsEnd(t *testing.T) {
	server, adapter := serve(t, `
replies:
  - {expect: whole, text: abc}
  - {expect: cut, text: abc, chunkRunes: 1, cutAfterChunks: 2}
  - {expect: limit, error: {status: 429, message: slow down}}
  - {expect: hang, text: abc, chunkRunes: 1, hangAfterChunks: 2}
  - {expect: close, text: abc, chunkRunes: 1, hangAfterChunks: 2}
`)
	for _, prompt := range []string{"whole", "cut", "limit", "unknown"} {
		ask(t, adapter, user(prompt))
	}
	begin := func(prompt string) llm.Stream {
		stream, err := adapter.Stream(t.Context(), llm.Request{Messages: []session.Message{user(prompt)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Next(); err != nil {
			t.Fatal(err)
		}
		return stream
	}
	if err := begin("hang").Close(); err != nil {
		t.Fatal(err)
	}
	if end, err := server.AwaitEnd(t.Context(), 5); end != script.Left || err != nil {
		t.Errorf("the client left, the server says %s, %v", end, err)
	}
	stream := begin("close")
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if end, err := server.AwaitEnd(short, 6); end != script.Running || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the answer hangs, the server says %s, %v", end, err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	var got []string
	for _, exchange := range server.Exchanges() {
		if exchange.Header.Get("Authorization") != "Bearer key" || !strings.Contains(string(exchange.Body), `"stream":true`) {
			t.Errorf("what came is not what was sent: %v %s", exchange.Header, exchange.Body)
		}
		got = append(got, fmt.Sprintf("%d %s", exchange.Reply, exchange.End))
	}
	if diff := cmp.Diff([]string{"1 answered", "2 cut", "3 answered", "0 refused", "4 left", "5 closed"}, got); diff != "" {
		t.Error(diff)
	}
}
