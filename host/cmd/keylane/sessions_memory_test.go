package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/persistence/jsonl"
	"keylane/host/session"
)

// What export and repair's look at a log hold of it must not grow with it.
func TestALongLogIsNotHeldInMemory(t *testing.T) {
	folder := t.TempDir()
	home := filepath.Join(folder, "home")
	store := shelfOf(t, home)
	size := longSession(t, store, "long", 1500)
	longSession(t, store, "short", 30)
	for name, arguments := range map[string][]string{"repair": {"--dry-run"}, "export": {"--to"}} {
		peak := map[string]int64{}
		for _, id := range []string{"short", "long"} {
			given := append([]string{"sessions", name, id}, arguments...)
			if name == "export" {
				given = append(given, filepath.Join(folder, id+".jsonl"))
			}
			peak[id] = keylane(t, home, given...).want(t, exitOK).peak
		}
		t.Logf("%s: %d MB of a short log, %d MB of one of %d MB", name, peak["short"]>>20, peak["long"]>>20, size>>20)
		if peak["long"]-peak["short"] > size/2 {
			t.Errorf("%s holds the log: %d MB of a short one, %d MB of one of %d MB", name, peak["short"]>>20, peak["long"]>>20, size>>20)
		}
	}
	if info, err := os.Stat(filepath.Join(folder, "long.jsonl")); err != nil || info.Size() < size {
		t.Errorf("the export has %d bytes of %d, %v", info.Size(), size, err)
	}
}

// longSession stores a session of that many turns with forty thousand characters of noise each, and tells how many bytes it has as text.
func longSession(t *testing.T, store *jsonl.Store, id string, turns int) (size int64) {
	t.Helper()
	if err := store.Create(t.Context(), session.Header{ID: id, CreatedAt: longAgo.UnixMilli(), Cwd: "/srv/a"}); err != nil {
		t.Fatal(err)
	}
	noise := json.RawMessage(`{"noise":"` + strings.Repeat("Nobody needs it. ", 2400) + `"}`)
	var batch []session.Event
	for turn, seq := 1, int64(0); turn <= turns; turn++ {
		events := turnOf(t, turn, seq, "A title", longAgo)
		events = append(events, session.Event{Type: "noise/made", Seq: seq + int64(len(events)), Time: longAgo.UnixMilli(), Data: noise, Ignorable: true})
		seq += int64(len(events))
		size += int64(len(noise))
		if batch = append(batch, events...); turn%100 == 0 || turn == turns {
			if err := store.Append(t.Context(), id, batch); err != nil {
				t.Fatal(err)
			}
			batch = nil
		}
	}
	if err := store.Release(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return size
}
