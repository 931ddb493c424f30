package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/prompt"
	"keylane/host/session"
	"keylane/host/title"
	"keylane/host/tool"
	"keylane/host/tool/bash"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a host's lower floors over real files; only the model is prepared.
type world struct {
	t       *testing.T
	store   *store
	model   *model
	models  *llm.Registry
	tools   *tool.Registry
	mode    approval.Mode // of sessions that chose none
	desk    *approval.Desk
	writer  *prompt.Writer
	titles  *title.Namer
	said    *warnings
	manager agent.Manager
	cwd     string
	root    string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, mode: approval.Full, model: &model{}, cwd: t.TempDir(), root: t.TempDir()}
	w.boot(0)
	return w
}

// boot starts a host on the world's files; stop ends it as the program's end does.
func (w *world) boot(maxSteps int) {
	w.t.Helper()
	disk, err := jsonl.New(jsonl.Config{Root: w.root, Compression: jsonl.CompressionNone}, clock.System())
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = &store{Store: disk}
	w.models = llm.NewRegistry()
	if _, err := w.models.Register(w.model); err != nil {
		w.t.Fatal(err)
	}
	w.tools = tool.NewRegistry()
	if _, err := w.tools.Register(bash.New(bash.Config{Timeout: time.Minute, KillGrace: time.Second, OutputCapBytes: 64_000})); err != nil {
		w.t.Fatal(err)
	}
	w.desk = approval.NewDesk(w.mode)
	w.writer = prompt.New("You are {{model}} in {{cwd}}.")
	w.titles, w.said = title.NewNamer(true), &warnings{}
	w.manager = agent.New(agent.Options{
		Store: w.store, Models: w.models, Tools: w.tools, Prompt: w.writer, Titles: w.titles,
		Approvals: w.desk, Clock: clock.System(), Logger: slog.New(w.said), Default: session.ModelTarget{Provider: "fake", Model: "small"}, MaxSteps: maxSteps,
	})
	w.t.Cleanup(func() { _ = w.stop() })
}

func (w *world) stop() error {
	return errors.Join(w.manager.Close(context.Background()), w.store.Close(context.Background()))
}

// context has the host tell its models what a source says.
func (w *world) context(s prompt.Source) {
	w.t.Helper()
	if _, err := w.writer.Add(s); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create() *agent.Agent {
	w.t.Helper()
	a, err := w.manager.Create(w.t.Context(), agent.CreateOptions{Cwd: w.cwd})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) prompt(a *agent.Agent, words string) {
	w.t.Helper()
	if err := a.Prompt(w.t.Context(), user(words)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) idle(a *agent.Agent) {
	w.t.Helper()
	if err := a.WhenIdle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// store is the real one with a switch that breaks it, at once or at a later write, and a note of what is durable.
type store struct {
	persistence.Store
	broken  atomic.Bool
	breaks  atomic.Int64 // when positive: the write that breaks it, counted from 1
	writes  atomic.Int64
	mu      sync.Mutex // guards durable
	durable int64
}

var errDiskFull = errors.New("the disk is full")

func (s *store) Append(ctx context.Context, id string, events []session.Event) error {
	if n := len(events); n > 0 && s.writes.Add(1) == s.breaks.Load() {
		s.broken.Store(true)
	}
	if s.broken.Load() && len(events) > 0 {
		return errDiskFull
	}
	if err := s.Store.Append(ctx, id, events); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(events); n > 0 {
		s.durable = events[n-1].Seq + 1
	}
	return nil
}

func (s *store) stored() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.durable
}

// warnings keeps what the host has warned of.
type warnings struct {
	slog.Handler
	mu   sync.Mutex // guards said
	said []string
}

func (w *warnings) Enabled(context.Context, slog.Level) bool { return true }

func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Level == slog.LevelWarn {
		line := r.Message
		r.Attrs(func(a slog.Attr) bool { line += " " + a.Key + "=" + a.Value.String(); return true })
		w.said = append(w.said, line)
	}
	return nil
}

func (w *warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w *warnings) WithGroup(string) slog.Handler { return w }

func (w *warnings) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

// outline writes one line per event, chunks left out, with what matters of its data.
func outline(events []session.Event) string {
	var b strings.Builder
	for _, e := range events {
		var line string
		switch e.Type {
		case session.TypeAssistantChunk:
			continue
		case session.TypeInboxSpliced:
			d := data[session.InboxSpliced](e)
			line = fmt.Sprintf(" +%d -%d @%d", len(d.Inserted), d.RemovedCount, d.Start)
		case session.TypeUserMessage:
			line = " " + data[session.Message](e).Text()
		case session.TypeTitle:
			line = " " + data[session.Title](e).Title
		case session.TypeRequestHeader:
			d := data[session.RequestHeader](e)
			line = " " + d.Reason + " " + d.Header.Config.Model
		case session.TypeRequestContext:
			line = fmt.Sprint(" ", data[session.RequestContext](e).ContextWindow)
		case session.TypeAssistantMessage:
			d := data[session.AssistantMessage](e)
			line = " " + d.Message.Text()
			if d.Interrupted {
				line += " (interrupted)"
			}
		case session.TypeCompactionStart:
			d := data[session.CompactionStart](e)
			line = fmt.Sprintf(" %d to %d", d.ShadowedRange.Start, d.ShadowedRange.End)
		case session.TypeCompaction:
			line = " " + data[session.CompactionSummary](e).Summary[0].Text
		case session.TypeCompactionEnd:
			if d := data[session.CompactionEnd](e); d.Error != nil {
				line = " " + d.Error.Code
			}
		case session.TypeToolCall:
			d := data[session.ToolCall](e)
			line = " " + d.CallID
		case session.TypeToolResult:
			d := data[session.ToolResult](e)
			line = " " + d.Message.Source.CallID + " " + strings.TrimSpace(d.Message.Content[0].Content[0].Text)
			if d.Error != nil {
				line += " " + d.Error.Code
			}
		case session.TypeRetry:
			d := data[session.Retry](e)
			line = fmt.Sprintf(" %d/%d %dms %s", d.Retry, d.MaxRetries, d.DelayMs, d.Failure.Code)
		case session.TypeRetryStarted:
			d := data[session.RetryStarted](e)
			line = fmt.Sprint(" ", d.Retry)
		case session.TypeTurnEnd:
			r := data[session.TurnEnd](e).Reason
			line = " " + r.Kind
			if r.Abort != "" {
				line += " " + r.Abort
			}
			if r.Failure != nil {
				line += " " + r.Failure.Code
			}
		}
		b.WriteString(e.Type + line + "\n")
	}
	return b.String()
}

func data[T any](e session.Event) T {
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		panic(fmt.Sprintf("event %d %s: %v", e.Seq, e.Type, err))
	}
	return v
}
