package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
)

// outcome is how a run of the command came out.
type outcome struct {
	code     int
	out, err string
	peak     int64 // bytes of memory that the process had at the most, garbage included; 0 when nobody asked the system
}

// keylane runs the command as a process of its own, without a terminal.
func keylane(t *testing.T, home string, arguments ...string) outcome {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, arguments...)
	command.Env = append(os.Environ(), asCommand+"=1", "KEYLANE_HOME="+home)
	command.Dir = filepath.Dir(home)
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	peak := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10 // Linux counts kB
	return outcome{command.ProcessState.ExitCode(), out.String(), problems.String(), peak}
}

// want fails unless the command ended with a code and said something.
func (o outcome) want(t *testing.T, code int, says ...string) outcome {
	t.Helper()
	if o.code != code {
		t.Errorf("exit %d, want %d", o.code, code)
	}
	for _, text := range says {
		if !strings.Contains(o.out+o.err, text) {
			t.Errorf("it does not say %q", text)
		}
	}
	if t.Failed() {
		t.Fatalf("out:\n%s\nerr:\n%s", o.out, o.err)
	}
	return o
}

// shelfOf is the store below a home, as a host would have it.
func shelfOf(t *testing.T, home string) *jsonl.Store {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(home, "sessions"), PackChunks: true}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return store
}

// stored puts a session of some turns into the store, one batch each, the last message being written at a time.
func storedSession(t *testing.T, store *jsonl.Store, id, cwd, title string, turns int, at time.Time) (path string) {
	t.Helper()
	header := session.Header{ID: id, CreatedAt: at.UnixMilli() - 1000, Cwd: cwd}
	if err := store.Create(t.Context(), header); err != nil {
		t.Fatal(err)
	}
	for turn, seq := 1, int64(0); turn <= turns; turn++ {
		events := turnOf(t, turn, seq, title, at)
		if err := store.Append(t.Context(), id, events); err != nil {
			t.Fatal(err)
		}
		seq += int64(len(events))
	}
	if err := store.Release(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return store.Locate(header)
}

func turnOf(t *testing.T, turn int, seq int64, title string, at time.Time) []session.Event {
	t.Helper()
	var out []session.Event
	add := func(typ string, data any) {
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		e := session.Event{Type: typ, Seq: seq + int64(len(out)), Time: at.UnixMilli(), Data: text}
		if session.IsSurface(typ) {
			e.SurfaceOp = &session.SurfaceOp{}
		}
		out = append(out, e)
	}
	model := session.Source{Kind: session.SourceModel, Provider: "p", Model: "m"}
	add(session.TypeTurnStart, session.TurnStart{Turn: turn})
	add(session.TypeStepStart, session.StepStart{Turn: turn, Step: 1})
	add(session.TypeUserMessage, session.Message{ID: fmt.Sprint("u", turn), Role: session.RoleUser, Source: session.Source{Kind: session.SourceUser},
		Content: []session.Block{{Type: session.BlockText, Text: fmt.Sprintf("Question %d", turn)}}})
	add(session.TypeTitle, session.Title{Title: title, MessageSeqs: []int64{seq + 2}, Source: session.TitleSource{Kind: session.TitleUser}})
	for _, piece := range []string{"Ans", "wer"} {
		add(session.TypeAssistantChunk, session.AssistantChunk{Turn: turn, Step: 1, Chunk: json.RawMessage(`{"type":"text-delta","index":0,"text":"` + piece + `"}`)})
	}
	add(session.TypeAssistantMessage, session.AssistantMessage{Turn: turn, Step: 1, Usage: &session.Usage{InputTokens: 1000, OutputTokens: 7},
		Message: session.Message{ID: fmt.Sprint("a", turn), Role: session.RoleAssistant, Source: model, Content: []session.Block{
			{Type: session.BlockText, Text: fmt.Sprintf("Answer %d", turn)},
			{Type: session.BlockToolCall, ID: fmt.Sprint("c", turn), Name: "bash", Arguments: `{"command":"ls"}`}}}})
	add(session.TypeToolCall, session.ToolCall{Turn: turn, Step: 1, CallID: fmt.Sprint("c", turn), Name: "bash", Arguments: `{"command":"ls"}`})
	add(session.TypeToolResult, session.ToolResult{Turn: turn, Step: 1, Message: session.Message{ID: fmt.Sprint("r", turn), Role: session.RoleUser,
		Source: session.Source{Kind: session.SourceTool, CallID: fmt.Sprint("c", turn)}, Content: []session.Block{{Type: session.BlockToolResult,
			ToolCallID: fmt.Sprint("c", turn), Content: []session.Block{{Type: session.BlockText, Text: "```\nfile \x1b[31mred\x1b[0m\n```"}}}}}})
	add(session.TypeStepEnd, session.StepEnd{Turn: turn, Step: 1})
	add(session.TypeTurnEnd, session.TurnEnd{Turn: turn, Reason: session.TurnReason{Kind: session.ReasonCompleted}})
	return out
}

// spoil changes the last byte before some frame's start: the checksum of the one before is wrong then.
func spoil(t *testing.T, path string, frame int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for range frame + 1 {
		at += 4 + bytes.Index(content[at+4:], []byte{0x28, 0xb5, 0x2f, 0xfd})
	}
	content[at-1] ^= 0xff
	write(t, path, string(content))
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var longAgo = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestTheListIsNewestFirstAndFiltered(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	storedSession(t, store, "old", "/srv/a", "The old one", 1, longAgo)
	storedSession(t, store, "new", "/srv/a/below", "The new one", 2, longAgo.Add(time.Hour))
	spoil(t, storedSession(t, store, "sick", "/srv/ab", "The sick one", 3, longAgo.Add(time.Minute)), 2)
	newer := storedSession(t, store, "newer", "/srv/ab", "", 1, longAgo)
	write(t, newer, string(rawFrame(`{"type":"session","version":9,"id":"newer"}`+"\n")))
	if err := os.Chtimes(newer, longAgo, longAgo.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}

	lines := keylane(t, home, "sessions", "list").want(t, exitOK).out
	if want := "2026-01-02T04:04:05.000Z\tnew\tsound\t/srv/a/below\tThe new one\n2026-01-02T03:05:05.000Z\tsick\tdamaged\t/srv/ab\tThe sick one\n" +
		"2026-01-02T03:04:05.000Z\told\tsound\t/srv/a\tThe old one\n2026-01-02T02:04:05.000Z\tnewer\tunsupported\t\t\n"; lines != want {
		t.Errorf("got\n%s\nwant\n%s", lines, want)
	}
	var parsed struct {
		Total    int
		Sessions []map[string]any
	}
	for _, c := range []struct {
		arguments []string
		code      int
		total     int
		ids       string
	}{
		{nil, exitOK, 4, "new sick old newer"},
		{[]string{"--limit", "1"}, exitOK, 4, "new"},
		{[]string{"--limit", "0"}, exitOK, 4, "new sick old newer"},
		{[]string{"--cwd", "/srv/a"}, exitOK, 2, "new old"},
		{[]string{"--damaged"}, exitFailed, 2, "sick newer"},
		{[]string{"--damaged", "--cwd", "/srv/a"}, exitOK, 0, ""},
	} {
		o := keylane(t, home, append([]string{"sessions", "list", "--json"}, c.arguments...)...).want(t, c.code)
		if err := json.Unmarshal([]byte(o.out), &parsed); err != nil || o.err != "" {
			t.Fatalf("%v: %v %s", c.arguments, err, o.err)
		}
		var ids []string
		for _, s := range parsed.Sessions {
			ids = append(ids, s["id"].(string))
		}
		if got := strings.Join(ids, " "); got != c.ids || parsed.Total != c.total {
			t.Errorf("%v: %s of %d", c.arguments, got, parsed.Total)
		}
	}
	o := keylane(t, home, "sessions", "list", "--json", "--damaged")
	for _, want := range []string{`"state": "damaged"`, `"code": "session-damaged"`, `"row": `, `"keptEvents": 11`, `"next": "keylane sessions repair sick --dry-run"`,
		`"code": "session-unsupported"`, `"next": "upgrade keylane"`} {
		o.want(t, exitFailed, want)
	}
}

// rawFrame is text as an uncompressed Zstandard frame (RFC 8878): single segment, one raw block.
func rawFrame(text string) []byte {
	size := len(text)
	block := size<<3 | 1
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, byte(size), byte(block), byte(block >> 8), byte(block >> 16)}, text...)
}

func TestASessionIsShown(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	path := storedSession(t, store, "s", "/srv/a", "A title", 30, longAgo)
	keylane(t, home, "sessions", "show", "s").want(t, exitOK, "A title\n", "/srv/a", "30 turns, 30 steps, 330 events", "30 000 in, 210 out", path, "sound")
	keylane(t, home, "sessions", "show", "s", "--json").want(t, exitOK, `"turns": 30`, `"events": 330`, `"inputTokens": 30000`, `"lastActivity": "2026-01-02T03:04:05.000Z"`)
	turn := keylane(t, home, "sessions", "show", "s", "--turn", "2").want(t, exitOK, "## Turn 2", "Question 2\n", "Answer 2\n", "**Calls `bash`**", "````text\n```\nfile").out
	if strings.Contains(turn, "Question 1\n") || strings.Contains(turn, "Question 3") {
		t.Errorf("other turns are shown:\n%s", turn)
	}
	_, events, err := store.Inspect(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := session.AppendRows(nil, events, session.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := keylane(t, home, "sessions", "show", "s", "--events").want(t, exitOK).out; got != string(rows) {
		t.Errorf("%d bytes of events, want %d", len(got), len(rows))
	}
	if got := keylane(t, home, "sessions", "show", "s", "--events", "--turn", "3").want(t, exitOK).out; strings.Count(got, "\n") != 11 || !strings.Contains(got, `"turn":3`) {
		t.Errorf("turn 3:\n%s", got)
	}
	keylane(t, home, "sessions", "show", "s", "--turn", "31").want(t, exitNotFound, "no turn 31", "30 turns")
	keylane(t, home, "sessions", "show", "nobody").want(t, exitNotFound, "session-not-found", "Next: keylane sessions list")
	keylane(t, home, "sessions", "show", "s", "--json", "--events").want(t, exitMisused)

	spoil(t, path, 3)
	keylane(t, home, "sessions", "show", "s").want(t, exitFailed, "2 turns", "damaged", path, "Next: keylane sessions repair s --dry-run")
	keylane(t, home, "sessions", "show", "s", "--turn", "2").want(t, exitFailed, "Question 2", "session-damaged")
	keylane(t, home, "sessions", "show", "s", "--turn", "9").want(t, exitFailed, "session-damaged")
}

func TestARepairSaysWhatIsLostAndKeepsACopy(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	path := storedSession(t, store, "s", "/srv/a", "A title", 3, longAgo)
	spoil(t, path, 2)
	before := contentOf(t, path)
	keylane(t, home, "sessions", "repair", "s", "--dry-run").want(t, exitFailed, path, "Kept: 11 events", "Lost: ", "Nothing was changed", "Next: keylane sessions repair s\n")
	if contentOf(t, path) != before {
		t.Fatal("a dry run changed the log")
	}
	o := keylane(t, home, "sessions", "repair", "s", "--json").want(t, exitOK, `"repaired": true`, `"events": 11`)
	var told struct{ Backup string }
	if err := json.Unmarshal([]byte(o.out), &told); err != nil || contentOf(t, told.Backup) != before {
		t.Errorf("the copy is not the log as it was (%v)", err)
	}
	if _, events, err := store.Inspect(t.Context(), "s"); err != nil || len(events) != 11 {
		t.Errorf("%d events, %v", len(events), err)
	}
	after := contentOf(t, path)
	keylane(t, home, "sessions", "repair", "s").want(t, exitOK, "not damaged; nothing was done")
	keylane(t, home, "sessions", "repair", "s", "--dry-run").want(t, exitOK, "not damaged")
	if copies, err := filepath.Glob(path + ".*.bak"); err != nil || len(copies) != 1 || contentOf(t, path) != after {
		t.Errorf("the second repair did something: %v %v", copies, err)
	}
	write(t, path, "this was a session once")
	keylane(t, home, "sessions", "repair", "s").want(t, exitFailed, "session-unreadable", path, "Next: ")
	keylane(t, home, "sessions", "repair", "nobody").want(t, exitNotFound)
}

func TestASessionThatIsOpenElsewhereIsReadAndNotTouched(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	path := storedSession(t, store, "s", "/srv/a", "A title", 3, longAgo)
	if _, _, err := store.Load(t.Context(), "s"); err != nil { // this process holds it now
		t.Fatal(err)
	}
	spoil(t, path, 2)
	before := contentOf(t, path)
	holds := fmt.Sprintf("process %d since ", os.Getpid())
	for _, arguments := range [][]string{{"repair", "s"}, {"repair", "s", "--dry-run"}, {"delete", "s", "--yes"}} {
		keylane(t, home, append([]string{"sessions"}, arguments...)...).want(t, exitLocked, "session-locked", holds, "Next: ")
	}
	if contentOf(t, path) != before {
		t.Error("the log was touched")
	}
	keylane(t, home, "sessions", "list").want(t, exitOK, "\tdamaged,open\t")
	keylane(t, home, "sessions", "list", "--json").want(t, exitOK, fmt.Sprintf(`"pid": %d`, os.Getpid()))
	keylane(t, home, "sessions", "show", "s", "--turn", "1").want(t, exitFailed, "Question 1")
	if err := store.Release(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	keylane(t, home, "sessions", "delete", "s", "nobody", "--yes").want(t, exitNotFound, "Deleted s", `no session "nobody"`)
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the session's folder is there still: %v", err)
	}
}

func TestWithoutATerminalADeleteNeedsYes(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := storedSession(t, shelfOf(t, home), "s", "/srv/a", "A title", 1, longAgo)
	keylane(t, home, "sessions", "delete", "s").want(t, exitMisused, "--yes")
	contentOf(t, path)
}

func TestTheStoreIsTheOneOfTheComposition(t *testing.T) {
	folder := t.TempDir()
	home := filepath.Join(folder, "home")
	keylane(t, home, "sessions", "list").want(t, exitNotFound, home)
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("looking made a home: %v", err)
	}
	elsewhere := shelfOf(t, folder)
	storedSession(t, elsewhere, "s", "/srv/a", "Elsewhere", 1, longAgo)
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, "config.yml")
	// What is wrong with the model's row does not matter here.
	write(t, config, fmt.Sprintf("- id: session-persistence\n  config: {root: %q}\n- id: llm-deepseek\n  config: {nonsense: true}\n", filepath.Join(folder, "sessions")))
	keylane(t, home, "sessions", "list").want(t, exitOK, "Elsewhere")
	if _, err := os.Stat(filepath.Join(home, "workspaces.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("more than the store was started: %v", err)
	}
	write(t, config, "- id: session-persistence\n  config: {rot: x}\n")
	keylane(t, home, "sessions", "list").want(t, exitFailed, config+":2:12:", `unknown key "rot"`)
	write(t, config, "- id: session-persistence\n  disabled: true\n")
	keylane(t, home, "sessions", "list").want(t, exitFailed, "no session store", "is disabled")
}

func TestACommandLineAboutSessionsThatMakesNoSense(t *testing.T) {
	for _, arguments := range []string{"", "show", "show a b", "show a --turn -1", "list --limit -1", "list extra", "export", "export a --all", "export --all", "export a --json", "export a --format odd", "repair", "delete"} {
		code, out, problems := invoke(t, append([]string{"sessions"}, strings.Fields(arguments)...)...)
		if code != exitMisused || out != "" || problems == "" {
			t.Errorf("%q: exit %d, out %q, err %q", arguments, code, out, problems)
		}
	}
}
