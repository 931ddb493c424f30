package seed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/llm/recorded"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/seed"
)

// corpus is where the logs of another program are; without them the test is skipped.
func corpus(t *testing.T) string {
	t.Helper()
	logs, err := seed.Corpus()
	if err != nil {
		t.Skip(err)
	}
	return logs
}

// tally counts what became of the logs of one folder.
type tally struct {
	files, parsed, seeded, headerOnly, open, opened, withCalls, derived, calls, incomplete int
	reasons                                                                                map[string]int
}

func TestEveryLogOfTheCorpusParsesOpensAndDerives(t *testing.T) {
	logs := corpus(t)
	store, err := jsonl.New(jsonl.Config{Root: t.TempDir(), PackChunks: true}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	tallies := map[string]*tally{}
	folders := []string{"projected", "enveloped", "on-disk"}
	for _, folder := range folders {
		tallies[folder] = &tally{reasons: map[string]int{}}
	}
	for _, folder := range folders[:2] {
		names, err := filepath.Glob(filepath.Join(logs, folder, "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			t.Run(folder+"/"+filepath.Base(name), func(t *testing.T) {
				textLog(t, store, tallies[folder], name, fmt.Sprintf("%s-%d", folder, i))
			})
		}
	}
	t.Run("on-disk", func(t *testing.T) { onDisk(t, logs, tallies["on-disk"]) })

	if got := tallies["projected"].files + tallies["enveloped"].files; got != 137 {
		t.Errorf("the corpus has %d text logs, 137 were expected", got)
	}
	if got := tallies["on-disk"].files; got != 1 {
		t.Errorf("the corpus has %d logs on disk, 1 was expected", got)
	}
	t.Log(table(folders, tallies))
}

func textLog(t *testing.T, store persistence.Store, count *tally, path, id string) {
	count.files++
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	original, events, err := session.Read(strings.NewReader(string(text)), session.ReadOptions{Lenient: true})
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	count.parsed++
	state := session.Project(original, events)
	open := state.Blank || state.OpenTurn != 0
	if open {
		count.open++
	}
	seedAndOpen(t, store, count, text, id, open)
	deriveScripts(t, count, original, events)
}

// seedAndOpen puts a log into the store and demands that what is loaded is what was seeded, and that a live log can go on with it.
func seedAndOpen(t *testing.T, store persistence.Store, count *tally, text []byte, id string, open bool) {
	ctx := context.Background()
	if open {
		if _, err := seed.Session(ctx, store, text, seed.Options{SessionID: id, Cwd: "/srv/a b/ä"}); err == nil {
			t.Error("a log that does not end in turn/end was seeded without AllowOpen")
		}
	}
	last := time.UnixMilli(1_700_000_000_000)
	header, err := seed.Session(ctx, store, text, seed.Options{SessionID: id, Cwd: "/srv/corpus", LastActivity: last, AllowOpen: open})
	if err != nil {
		t.Fatalf("seed: %v", err)
	}
	count.seeded++
	stored, before, err := store.Inspect(ctx, id)
	if err != nil {
		t.Fatalf("inspect: %v", err)
	}
	page, err := store.Page(ctx, id, -1, 1000)
	if err != nil || page.Damage != nil || page.Stored != int64(len(before)) || int64(len(page.Events)) != page.Length {
		t.Errorf("%s: a page of %d of %d events, %v, %v", id, page.Stored, len(before), page.Damage, err)
	}
	loaded, after, err := store.Load(ctx, id)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	if stored != header || loaded != header {
		t.Errorf("header changed: seeded %+v, inspected %+v, loaded %+v", header, stored, loaded)
	}
	sameEvents(t, text, before)
	if len(after) > len(before) != (session.Project(header, before).OpenTurn != 0) || !reflect.DeepEqual(after[:len(before)], before) {
		t.Errorf("load changed the log in another way than by closing its open turn: %d events before, %d after", len(before), len(after))
	}
	if len(before) == 0 {
		count.headerOnly++
	} else if got := before[len(before)-1].Time; got != last.UnixMilli() {
		t.Errorf("last activity at %d, want %d", got, last.UnixMilli())
	}
	live, err := session.NewLog(loaded, after, clock.System())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	if _, err := live.History(); err != nil {
		t.Fatalf("history: %v", err)
	}
	count.opened++
}

// sameEvents demands that the stored events say what the fixture says, apart from times and tokens.
func sameEvents(t *testing.T, text []byte, stored []session.Event) {
	t.Helper()
	_, want, err := session.Read(strings.NewReader(string(text)), session.ReadOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(stored) {
		t.Fatalf("%d events in the text, %d stored", len(want), len(stored))
	}
	for i := range want {
		a, b := want[i], stored[i]
		a.Time, b.Time = 0, 0
		if !strings.Contains(string(a.Data), "{{") && string(a.Data) != string(b.Data) {
			t.Fatalf("event %d: data %s became %s", i, a.Data, b.Data)
		}
		a.Data, b.Data = json.RawMessage("{}"), json.RawMessage("{}")
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("event %d: envelope %+v became %+v", i, a, b)
		}
	}
}

// deriveScripts derives what replay would answer model calls with. A recorded call that never finished cannot be replayed; anything else
// that goes wrong is an error.
func deriveScripts(t *testing.T, count *tally, header session.Header, events []session.Event) {
	hasCalls := false
	for _, e := range events {
		hasCalls = hasCalls || e.Type == session.TypeAssistantChunk
	}
	if !hasCalls {
		return
	}
	count.withCalls++
	scripts, err := recorded.DeriveSession(header, events)
	cut, other := recorded.Unfinished(err)
	if other != nil {
		t.Errorf("derive: %v", other)
		return
	}
	if len(cut) > 0 {
		count.incomplete++
		count.reasons[cut[0].Error()]++
		return
	}
	calls := 0
	for _, script := range scripts {
		calls += len(script.Calls)
	}
	if calls == 0 {
		t.Error("derive: chunks but no call")
		return
	}
	count.derived++
	count.calls += calls
}

// onDisk opens a copy of the session directory as the other program wrote it.
func onDisk(t *testing.T, logs string, count *tally) {
	root := t.TempDir()
	if err := seed.CopyTree(filepath.Join(logs, "on-disk"), root); err != nil {
		t.Fatal(err)
	}
	store, err := jsonl.New(jsonl.Config{Root: root, PackChunks: true}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := store.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		count.files++
		if entry.Problem != nil {
			t.Fatalf("list: %s: %v", entry.Path, entry.Problem)
		}
		header, events, err := store.Load(context.Background(), entry.Header.ID)
		if err != nil {
			t.Fatalf("load: %v", err)
		}
		count.parsed++
		if _, err := session.NewLog(header, events, clock.System()); err != nil {
			t.Fatalf("open: %v", err)
		}
		count.opened++
		var text strings.Builder
		if err := session.Write(&text, header, events, session.WriteOptions{Pack: true}); err != nil {
			t.Fatal(err)
		}
		other, err := jsonl.New(jsonl.Config{Root: t.TempDir(), PackChunks: true}, clock.System())
		if err != nil {
			t.Fatal(err)
		}
		seedAndOpen(t, other, count, []byte(text.String()), entry.Header.ID, false)
		count.opened--
		deriveScripts(t, count, header, events)
	}
}

func table(folders []string, tallies map[string]*tally) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%-10s %6s %7s %7s %12s %7s %7s %11s %8s %6s %11s\n", "folder", "files", "parsed", "seeded", "header only",
		"open", "opened", "with calls", "derived", "calls", "incomplete")
	for _, folder := range folders {
		c := tallies[folder]
		fmt.Fprintf(&out, "%-10s %6d %7d %7d %12d %7d %7d %11d %8d %6d %11d\n", folder, c.files, c.parsed, c.seeded, c.headerOnly, c.open,
			c.opened, c.withCalls, c.derived, c.calls, c.incomplete)
	}
	for _, folder := range folders {
		for reason, times := range tallies[folder].reasons {
			fmt.Fprintf(&out, "incomplete in %s (%d×): %s\n", folder, times, reason)
		}
	}
	return out.String()
}
