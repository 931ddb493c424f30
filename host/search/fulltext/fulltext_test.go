package fulltext_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/search"
	"keylane/host/search/fulltext"
	"keylane/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// archive is a store of real files, with an index over it.
type archive struct {
	t     *testing.T
	root  string
	store *jsonl.Store
	index *fulltext.Index
	log   *buffer
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newArchive(t *testing.T) *archive {
	a := &archive{t: t, root: t.TempDir(), log: &buffer{}}
	a.store, a.index = a.host(a.folder())
	return a
}

func (a *archive) folder() string { return filepath.Join(a.root, "search") }

// host is a store and an index over the archive's files, as every host has them.
func (a *archive) host(folder string) (*jsonl.Store, *fulltext.Index) {
	a.t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(a.root, "sessions"), Cache: filepath.Join(a.root, "cache"), PackChunks: true}, clock.System())
	a.must(err)
	index := fulltext.New(fulltext.Options{Store: store, Folder: folder, Logger: slog.New(slog.NewTextHandler(a.log, nil))})
	a.t.Cleanup(func() { a.must(errors.Join(index.Close(background), store.Close(background))) })
	return store, index
}

func (a *archive) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// message is an event that says something: who is a source kind, or "model".
func message(seq int64, who, text string) session.Event {
	m := session.Message{ID: fmt.Sprint("m", seq), Role: session.RoleUser, Source: session.Source{Kind: who},
		Content: []session.Block{{Type: session.BlockText, Text: text}}}
	e := session.Event{Type: session.TypeUserMessage, Seq: seq, Time: 1000 + seq, SurfaceOp: &session.SurfaceOp{}}
	var data any = m
	switch who {
	case session.SourceModel:
		m.Role, m.Source.Provider, m.Source.Model = session.RoleAssistant, "p", "m"
		e.Type, data = session.TypeAssistantMessage, session.AssistantMessage{Turn: 1, Step: 1, Message: m}
	case session.SourceTool:
		m.Source.CallID = "c"
		m.Content = []session.Block{{Type: session.BlockToolResult, ToolCallID: "c", Content: m.Content}}
		e.Type, data = session.TypeToolResult, session.ToolResult{Turn: 1, Step: 1, Message: m}
	}
	e.Data, _ = json.Marshal(data) // of strings and numbers alone
	return e
}

// keep stores a session of one turn in which the messages are said.
func (a *archive) keep(id string, active int64, messages ...session.Event) {
	a.t.Helper()
	events := []session.Event{{Type: session.TypeTurnStart, Time: active, Data: json.RawMessage(`{"turn":1}`)}}
	for _, m := range messages {
		m.Seq = int64(len(events))
		m.Time = active
		events = append(events, m)
	}
	a.must(a.store.Create(background, session.Header{ID: id, CreatedAt: 5, Cwd: "/srv/project"}))
	a.must(a.store.Append(background, id, events))
}

func (a *archive) say(id string, seq int64, who, text string) {
	a.t.Helper()
	a.must(a.store.Append(background, id, []session.Event{message(seq, who, text)}))
}

// found is an answer as text: ids and excerpts, with what is marked in brackets.
func (a *archive) found(index *fulltext.Index, query string) string {
	a.t.Helper()
	answer, err := index.Search(background, search.Parse(query))
	a.must(err)
	var out []string
	for _, h := range answer.Hits {
		runes := []rune(h.Excerpt.Text)
		for _, m := range slices.Backward(h.Excerpt.Marks) {
			runes = slices.Insert(slices.Insert(runes, m.End, ']'), m.Start, '[')
		}
		out = append(out, h.SessionID+": "+string(runes))
	}
	if answer.HasMore {
		out = append(out, "more")
	}
	return strings.Join(out, "\n")
}

func (a *archive) want(query, want string) {
	a.t.Helper()
	if got := a.found(a.index, query); got != want {
		a.t.Errorf("%q finds\n%s\nwant\n%s", query, got, want)
	}
}

func TestASearchFindsWhatWasSaid(t *testing.T) {
	a := newArchive(t)
	a.keep("older", 10, message(0, "user", "How does a lock work?"), message(0, "model", "The gate opens when the water is level."))
	a.keep("newer", 20, message(0, "user", "Der Schleusentorantrieb am Café"), message(0, "model", "全文索引很快, the Gate too"))
	a.want("gate", "newer: 全文索引很快, the [Gate] too\nolder: The [gate] opens when the water is level.")
	a.want("lock gate", "older: The [gate] opens when the water is level.") // in two messages: the newer one is shown
	a.want("schleus", "newer: Der [Schleusentorantrieb] am Café")
	a.want("schleus cafe", "")
	a.want("cafe schleus", "newer: Der [Schleusentorantrieb] am [Café]")
	a.want("索引", "newer: 全文[索引]很快, the Gate too")
	a.want("引索", "")
	a.want("work the", "older: [The] gate opens when [the] water is level.") // two of two words, in two messages
	a.want(`"gate" OR nothing*`, "")
}

func TestAPhraseEndsWithItsMessage(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "one 你"), message(0, "model", "好 two"))
	a.want("你好", "")
	a.want("one-你", "s: [one 你]")
}

func TestOnlyWhatPeopleAndModelsSayNowIsFound(t *testing.T) {
	a := newArchive(t)
	summary := message(0, session.SourcePlugin, "summary of everything")
	summary.SurfaceOp = &session.SurfaceOp{Replace: true, Start: 1, End: 2}
	summary.SourceEventSeqs, summary.HasSources = []int64{1, 2}, true
	a.keep("s", 10, message(0, "user", "forgotten words"), message(0, session.SourceTool, "toolish output"), summary,
		message(0, session.SourceInstructions, "instructed rules"), message(0, "model", "kept answer"))
	a.want("summary", "s: [summary] of everything")
	a.want("kept", "s: [kept] answer")
	for _, word := range []string{"forgotten", "toolish", "instructed"} {
		a.want(word, "")
	}
}

func TestASearchIsOfNow(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "first"))
	a.keep("gone", 20, message(0, "user", "first"))
	a.want("first", "gone: [first]\ns: [first]")
	a.say("s", 2, "model", "second")
	a.want("second", "s: [second]")
	a.must(a.store.Delete(background, "gone"))
	a.want("first", "s: [first]")
	a.must(a.store.Release(background, "s"))
	other, _ := a.host("") // another host goes on with the session
	if _, _, err := other.Load(background, "s"); err != nil {
		t.Fatal(err)
	}
	length, err := other.Length(background, "s")
	a.must(err)
	a.must(other.Append(background, "s", []session.Event{message(length, "model", "third")}))
	a.want("third", "s: [third]")
}

func TestAnAnswerIsBounded(t *testing.T) {
	a := newArchive(t)
	for i := range search.MaxHits + 1 {
		a.keep(fmt.Sprintf("s%02d", i), int64(100-i), message(0, "user", "common word"))
	}
	got := a.found(a.index, "common")
	if lines := strings.Split(got, "\n"); len(lines) != search.MaxHits+1 || !strings.HasPrefix(lines[0], "s00:") || lines[search.MaxHits] != "more" {
		t.Errorf("%s", got)
	}
	a.must(a.store.Delete(background, "s20"))
	if got := a.found(a.index, "common"); strings.Contains(got, "more") {
		t.Errorf("exactly as many as fit, and more is said:\n%s", got)
	}
}

func TestADamagedLogIsSearchedAsFarAsItCanBeRead(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "sound"))
	a.say("s", 2, "model", "spoiled")
	path := a.store.Locate(session.Header{ID: "s", Cwd: "/srv/project"})
	content, err := os.ReadFile(path)
	a.must(err)
	content[len(content)-1] ^= 0xff
	a.say("s", 3, "model", "beyond") // so that what is damaged is not the end
	whole, err := os.ReadFile(path)
	a.must(err)
	a.must(a.store.Release(background, "s"))
	a.must(os.WriteFile(path, append(content, whole[len(content):]...), 0o600))
	_, index := a.host(a.folder())
	if got := a.found(index, "sound"); got != "s: [sound]" {
		t.Errorf("found %q", got)
	}
	if got := a.found(index, "spoiled"); got != "" {
		t.Errorf("found %q", got)
	}
}

// Any text a person can type is a query of SQLite's that it understands.
func TestNoQueryIsTooMuch(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "a word"))
	for _, query := range []string{strings.Repeat("a ", 250), strings.Repeat("你", 500), strings.Repeat("a-", 250), `") OR ("`, "a AND", "NOT a", "{word}: a", "\x00"} {
		if _, err := a.index.Search(background, search.Parse(query)); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	}
	if strings.Contains(a.log.String(), "WARN") {
		t.Errorf("the index suffered:\n%s", a.log)
	}
}

func TestASearchEndsWithItsContext(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "word"))
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := a.index.Search(ctx, search.Parse("word")); !errors.Is(err, context.Canceled) || errors.Is(err, search.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	a.want("word", "s: [word]")
	a.must(a.index.Close(background))
	if _, err := a.index.Search(background, search.Parse("word")); !errors.Is(err, search.ErrUnavailable) || !errors.Is(err, persistence.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// A search that nobody waits for any more does not end the making of the index.
func TestAnAbandonedSearchLeavesTheIndexToTheNext(t *testing.T) {
	a := newArchive(t)
	for i := range 100 {
		a.keep(fmt.Sprint("s", i), int64(i), message(0, "user", "word"))
	}
	ctx, cancel := context.WithTimeout(background, time.Millisecond)
	defer cancel()
	_, _ = a.index.Search(ctx, search.Parse("word")) // ends early or does not: both are fine
	if got := a.found(a.index, "word"); !strings.HasPrefix(got, "s99: [word]") {
		t.Errorf("%s", got)
	}
}
