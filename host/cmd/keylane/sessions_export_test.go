package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"keylane/host/session"
)

func TestAnExportIsTheWholeLogAndReadsBack(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	for name, turns := range map[string]int{"short": 1, "long": 77} {
		path := storedSession(t, store, name, "/srv/a", "A title", turns, longAgo)
		header, events, err := store.Inspect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		text := keylane(t, home, "sessions", "export", name).want(t, exitOK).out
		for _, lenient := range []bool{false, true} { // as the store reads, and as seeding does
			gotHeader, got, err := session.Read(strings.NewReader(text), session.ReadOptions{Lenient: lenient})
			if err != nil || gotHeader != header || !reflect.DeepEqual(got, events) {
				t.Errorf("%s: read back: %d events of %d, %+v, %v", name, len(got), len(events), gotHeader, err)
			}
		}
		spoil(t, path, turns)
		o := keylane(t, home, "sessions", "export", name).want(t, exitFailed, "session-damaged", path)
		if _, got, err := session.Read(strings.NewReader(o.out), session.ReadOptions{}); err != nil || len(got) != len(events)-11 {
			t.Errorf("%s: of the damaged log %d events were exported, %v", name, len(got), err)
		}
	}
	keylane(t, home, "sessions", "export", "nobody").want(t, exitNotFound)
}

func TestATranscriptTellsWhatWasSaidAndDone(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := storedSession(t, shelfOf(t, home), "s", "/srv/a", "A title", 2, longAgo)
	to := filepath.Join(t.TempDir(), "s.md")
	keylane(t, home, "sessions", "export", "s", "--format", "markdown", "--to", to).want(t, exitOK, "22 events")
	const want = "# A title\n\n- session: `s`\n- folder: `/srv/a`\n- created: 2026-01-02T03:04:04.000Z\n" +
		"\n## Turn 1 (2026-01-02T03:04:05.000Z)\n\n### You\n\nQuestion 1\n\n### Agent\n\nAnswer 1\n\n**Calls `bash`**\n\n```json\n{\"command\":\"ls\"}\n```\n" +
		"\n**Result**\n\n````text\n```\nfile \x1b[31mred\x1b[0m\n```\n````\n" +
		"\n## Turn 2 (2026-01-02T03:04:05.000Z)\n"
	if got := contentOf(t, to); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	spoil(t, path, 2)
	keylane(t, home, "sessions", "export", "s", "--format", "markdown", "--to", to, "--force").want(t, exitFailed, "session-damaged")
	if got := contentOf(t, to); !strings.Contains(got, "The rest of this session cannot be read") || strings.Contains(got, "Question 2") {
		t.Errorf("of a damaged log:\n%s", got)
	}
}

func TestAnExportReplacesNothingUnasked(t *testing.T) {
	folder := t.TempDir()
	home, to := filepath.Join(folder, "home"), filepath.Join(folder, "out", "s.jsonl")
	storedSession(t, shelfOf(t, home), "s", "/srv/a", "A title", 1, longAgo)
	keylane(t, home, "sessions", "export", "s", "--to", to).want(t, exitFailed, "no such file")
	if err := os.Mkdir(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, to, "mine")
	keylane(t, home, "sessions", "export", "s", "--to", to).want(t, exitFailed, to, "--force")
	if contentOf(t, to) != "mine" {
		t.Error("it was replaced")
	}
	keylane(t, home, "sessions", "export", "s", "--to", to, "--force", "--json").want(t, exitOK, `"events": 11`)
	if !strings.HasPrefix(contentOf(t, to), `{"type":"session"`) {
		t.Error("it was not replaced")
	}
	keylane(t, home, "sessions", "export", "nobody", "--to", to+"2").want(t, exitNotFound)
	left, err := os.ReadDir(filepath.Dir(to))
	if err != nil || len(left) != 1 {
		t.Errorf("an export that failed left %v (%v)", left, err)
	}
}

// fill writes many sessions as files, without a store: it is the number that counts.
func fill(t *testing.T, root string, sessions int) {
	t.Helper()
	store := shelfOf(t, filepath.Dir(root))
	events := turnOf(t, 1, 0, "One of many", longAgo)
	for i := range sessions {
		header := session.Header{ID: fmt.Sprintf("session-%04d", i), CreatedAt: 1, Cwd: fmt.Sprintf("/srv/%d", i%20)}
		path := strings.TrimSuffix(store.Locate(header), ".zstd")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := session.Write(&text, header, events, session.WriteOptions{Pack: true}); err != nil {
			t.Fatal(err)
		}
		write(t, path, text.String())
	}
}

func TestAThousandSessions(t *testing.T) {
	folder := t.TempDir()
	home := filepath.Join(folder, "home")
	fill(t, filepath.Join(home, "sessions"), 1000)
	write(t, filepath.Join(home, "config.yml"), "- id: session-persistence\n  config: {compression: none}\n")
	broken := filepath.Join(home, "sessions", "--srv-7--", "session-0007", "session.jsonl")
	write(t, broken, "this was a session once")
	if lines := strings.Count(keylane(t, home, "sessions", "list").want(t, exitOK).out, "\n"); lines != 1000 {
		t.Errorf("%d sessions are listed", lines)
	}
	to := filepath.Join(folder, "all")
	o := keylane(t, home, "sessions", "export", "--all", "--to", to).want(t, exitFailed, "999 sessions in", broken, "1 session not or not whole", "list --damaged")
	if strings.ContainsAny(o.out+o.err, "\r\x1b") {
		t.Errorf("progress or colour without a terminal:\n%q", o.err)
	}
	files, err := os.ReadDir(to)
	if err != nil || len(files) != 999 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	file, err := os.Open(filepath.Join(to, "session-0999.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if header, events, err := session.Read(file, session.ReadOptions{}); err != nil || header.ID != "session-0999" || len(events) != 11 {
		t.Errorf("%+v, %d events, %v", header, len(events), err)
	}
}

func TestNoIdLeadsOutOfTheFolderOfAnExport(t *testing.T) {
	folder := t.TempDir()
	home, to := filepath.Join(folder, "home"), filepath.Join(folder, "a", "b")
	store := shelfOf(t, home)
	for _, id := range []string{"../up", "/srv/root", "..", "a b"} {
		storedSession(t, store, id, "/srv/a", "A title", 1, longAgo.Add(time.Minute))
	}
	keylane(t, home, "sessions", "export", "--all", "--to", to).want(t, exitOK, "4 sessions")
	files, err := os.ReadDir(to)
	if err != nil || len(files) != 4 {
		t.Errorf("%v %v", files, err)
	}
	if above, err := os.ReadDir(filepath.Dir(to)); err != nil || len(above) != 1 {
		t.Errorf("%v %v", above, err)
	}
}
