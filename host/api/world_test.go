package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/credentials"
	"keylane/host/home"
	"keylane/host/llm"
	"keylane/host/persistence/jsonl"
	"keylane/host/prompt"
	"keylane/host/search"
	"keylane/host/search/fulltext"
	"keylane/host/session"
	"keylane/host/settings"
	"keylane/host/skill"
	"keylane/host/title"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
	"keylane/host/tool/bash"
	"keylane/host/tool/todo"
	"keylane/host/workspace"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a whole host below the web server, on real files; only the model is prepared.
type world struct {
	t         testing.TB
	root      string
	cwd       string
	model     *model
	desk      *askuser.Desk
	approvals *approval.Desk
	search    *search.Slot
	// unregister takes the search engine away.
	unregister func()
	agents     agent.Manager
	api        *api.API
	server     *httptest.Server
	clock      clock.Clock
	stop       func()
	trusted    []string // names besides loopback
	logged     written  // what the host says of itself, from level info on
}

// written is a writer that can be read at any time.
type written struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func newWorld(t testing.TB, limits api.Limits) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), model: &model{}, clock: clock.System()}
	w.cwd = filepath.Join(w.root, "work")
	w.boot(limits)
	return w
}

// boot starts a host on the world's files; w.stop ends it.
func (w *world) boot(limits api.Limits) {
	w.t.Helper()
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	logger := slog.New(slog.NewTextHandler(&w.logged, nil))
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(w.root, "sessions"), Compression: jsonl.CompressionNone}, w.clock)
	must(err)
	models, tools := llm.NewRegistry(), tool.NewRegistry()
	_, err = models.Register(w.model)
	must(err)
	_, err = tools.Register(bash.New(bash.Config{Timeout: time.Minute, KillGrace: time.Second, OutputCapBytes: 64_000}))
	must(err)
	w.desk = askuser.NewDesk(w.clock)
	_, err = tools.Register(askuser.New(w.desk))
	must(err)
	_, err = tools.Register(todo.New())
	must(err)
	h, err := home.Locate(w.root)
	must(err)
	workspaces, err := workspace.Open(workspace.Options{File: h.Path("workspaces.json"), NewFolders: h.Path("workspaces"), Cwd: w.cwd, Clock: w.clock})
	must(err)
	w.approvals = approval.NewDesk(approval.Full)
	skills := skill.NewLibrary(logger)
	skills.Add(skill.Filesystem{MaxFileBytes: 1000})
	w.agents = agent.New(agent.Options{Store: store, Models: models, Tools: tools, Prompt: prompt.New("p"), Titles: title.NewNamer(true),
		Approvals: w.approvals, Clock: w.clock, Logger: logger, Default: session.ModelTarget{Provider: "fake", Model: "small"}})
	index := fulltext.New(fulltext.Options{Store: store, Logger: logger})
	w.search = &search.Slot{}
	w.unregister, err = w.search.Register(index)
	must(err)
	keys := credentials.Open(h.Path("credentials.yml"))
	_, err = keys.Declare(credentials.Use{Ref: "fake", Name: "Fake", Variable: "FAKE_KEY"})
	must(err)
	w.api, err = api.New(api.Options{Agents: w.agents, Store: store, Models: models, Workspaces: workspaces, Home: h, Clock: w.clock,
		Tools: tools, Questions: w.desk, Approvals: w.approvals, Skills: skills, Search: w.search, Settings: settings.Open(h.Path("settings.yml")), Credentials: keys,
		Logger: logger, Version: "1", Report: bootReport(w.t), Limits: limits, TrustedHosts: w.trusted})
	must(err)
	w.server = httptest.NewUnstartedServer(w.api)
	// With little room in the kernel a reader that takes nothing stops its writer soon.
	w.server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		must(c.(*net.TCPConn).SetWriteBuffer(16 << 10))
		return ctx
	}
	w.server.Start()
	agents, a, server := w.agents, w.api, w.server
	var once sync.Once
	stop := func() {
		once.Do(func() {
			must(a.Close(context.Background()))
			server.Close()
			must(index.Close(context.Background()))
			must(agents.Close(context.Background()))
			must(store.Close(context.Background()))
		})
	}
	w.stop = stop
	w.t.Cleanup(stop)
}

// restart ends the host and starts another on the same files.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.boot(api.Limits{})
}

// call calls over HTTP and in process, where that is harmless, and returns the value.
func (w *world) call(method string, payload any, value any) {
	w.t.Helper()
	body, err := json.Marshal(payload)
	if err != nil {
		w.t.Fatal(err)
	}
	text := w.post(method, `{"type":"client-request","rpcId":"r-`+method+`","method":"`+method+`","payload":`+string(body)+`}`)
	var reply struct {
		Result struct {
			OK    bool
			Value json.RawMessage
			Error *api.Error
		}
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || !reply.Result.OK {
		w.t.Fatalf("%s: %s", method, text)
	}
	if value != nil {
		if err := json.Unmarshal(reply.Result.Value, value); err != nil {
			w.t.Fatalf("%s: %v: %s", method, err, text)
		}
	}
}

func (w *world) post(method, body string) string {
	w.t.Helper()
	response, err := http.Post(w.server.URL+"/api/"+method, "application/json", strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if response.StatusCode == http.StatusOK && method != "respond" {
		if issues := wire.answer(method, string(text)); issues != nil {
			w.t.Errorf("%s answers what its schema does not say: %v\n%s", method, issues, text)
		}
	}
	return string(text)
}

func (w *world) create() string {
	w.t.Helper()
	var made struct{ SessionID string }
	w.call("session.create", map[string]any{}, &made)
	return made.SessionID
}

func (w *world) prompt(id, words string) {
	w.t.Helper()
	w.call("session.prompt", map[string]any{"sessionId": id, "mode": "queue", "content": []any{map[string]any{"type": "text", "text": words}}}, nil)
}

func (w *world) idle() {
	w.t.Helper()
	if err := w.agents.WhenIdle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// stream is an open event stream.
type stream struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Reader
	cursor string
}

// block is what stands between two blank lines.
type block struct {
	comment, id, data string
	Method            string
	Payload           json.RawMessage
}

func (w *world) open(name, lastEventID string) *stream {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL+"/api/events."+name, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if lastEventID != "" {
		request.Header.Set("Last-Event-ID", lastEventID)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		w.t.Fatalf("%d %s", response.StatusCode, kind)
	}
	s := &stream{t: w.t, body: response.Body, lines: bufio.NewReader(response.Body)}
	w.t.Cleanup(s.close)
	if b, err := s.next(); err != nil || b.comment != "connected" {
		w.t.Fatalf("the stream begins with %+v, %v", b, err)
	}
	return s
}

func (s *stream) close() { _ = s.body.Close() }

func (s *stream) next() (block, error) {
	var b block
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return b, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && b.data != "":
			var frame struct {
				Type, RPCID, Method string
				Payload             json.RawMessage
			}
			decoder := json.NewDecoder(bytes.NewReader([]byte(b.data)))
			if err := decoder.Decode(&frame); err != nil || frame.Type != "server-request" || frame.RPCID == "" || decoder.More() {
				return b, errors.New("malformed frame: " + b.data)
			}
			if issues := wire.frame(frame.Method, frame.Payload); issues != nil {
				return b, fmt.Errorf("frame %s is not what its schema says: %v\n%s", frame.Method, issues, b.data)
			}
			b.Method, b.Payload = frame.Method, frame.Payload
			s.cursor = b.id
			return b, nil
		case line == "":
			if b.id != "" {
				s.cursor = b.id
			}
			return b, nil
		case strings.HasPrefix(line, ": "):
			b.comment = line[2:]
		case strings.HasPrefix(line, "id: "):
			b.id = line[4:]
		case strings.HasPrefix(line, "data: ") && b.data == "":
			b.data = line[6:]
		default:
			return b, errors.New("unexpected line: " + line)
		}
	}
}

func (s *stream) must() block {
	s.t.Helper()
	b, err := s.next()
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// until reads blocks up to and with the first that fits.
func (s *stream) until(fits func(block) bool) []block {
	s.t.Helper()
	var all []block
	for {
		b := s.must()
		all = append(all, b)
		if fits(b) {
			return all
		}
	}
}

func isCursor(b block) bool { return b.id != "" && b.data == "" }

func isEvent(typ string) func(block) bool {
	return func(b block) bool { return b.Method == "session/event" && b.event().Type == typ }
}

func (b block) event() session.Event {
	var p struct{ Event session.Event }
	if json.Unmarshal(b.Payload, &p) != nil {
		return session.Event{}
	}
	return p.Event
}

func methods(blocks []block) string {
	var names []string
	for _, b := range blocks {
		name := b.Method
		if name == "" {
			name = "cursor"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// model gives prepared answers in order; without one it says ok.
type model struct {
	mu      sync.Mutex // guards answers
	answers []answer
}

type answer struct {
	chunks []llm.Chunk
	err    error
	hold   chan struct{} // the answer waits for it
	asked  chan struct{} // closed when a call has got the answer
}

func (m *model) prepare(answers ...answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
}

func (*model) Info() llm.Info {
	return llm.Info{ID: "fake", Name: "Fake", Ready: true, Models: []llm.ModelInfo{{ID: "small", Name: "Small", ContextWindow: 4000}, {ID: "large", Name: "Large"}}}
}

func (m *model) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := says("ok")
	if len(m.answers) > 0 {
		next = m.answers[0]
		m.answers = m.answers[1:]
	}
	if next.asked != nil {
		close(next.asked)
	}
	return &chunks{ctx, next}, nil
}

type chunks struct {
	ctx    context.Context
	answer answer
}

func (s *chunks) Next() (llm.Chunk, error) {
	if s.answer.hold != nil {
		select {
		case <-s.answer.hold:
		case <-s.ctx.Done():
			return llm.Chunk{}, s.ctx.Err()
		}
	}
	if len(s.answer.chunks) == 0 {
		if s.answer.err != nil {
			return llm.Chunk{}, s.answer.err
		}
		return llm.Chunk{}, io.EOF
	}
	c := s.answer.chunks[0]
	s.answer.chunks = s.answer.chunks[1:]
	return c, nil
}

func (*chunks) Close() error { return nil }

func says(words ...string) answer {
	var a answer
	for _, w := range words {
		a.chunks = append(a.chunks, llm.Chunk{Type: llm.ChunkTextDelta, Text: w})
	}
	a.chunks = append(a.chunks, llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishStop}})
	return a
}

func runs(command string) answer {
	arguments, _ := json.Marshal(map[string]string{"command": command, "description": "do it"})
	return calls("bash", string(arguments))
}

func calls(name, arguments string) answer {
	return answer{chunks: []llm.Chunk{
		{Type: llm.ChunkToolCallDelta, ID: "call-1", Name: name, HasName: true, ArgumentsDelta: arguments},
		{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishToolCalls}},
	}}
}
