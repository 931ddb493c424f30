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

// What export and repair hold of a log must not grow with it.
func TestALongLogIsNotHeldInMemory(t *testing.T) {
	folder := t.TempDir()
	home := filepath.Join(folder, "home")
	store := shelfOf(t, home)
	size := longSession(t, store, "long", 1500)
	longSession(t, store, "short", 30)
	peaks := func(name string, arguments ...string) {
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
	peaks("repair", "--dry-run")
	peaks("export", "--to")
	if info, err := os.Stat(filepath.Join(folder, "long.jsonl")); err != nil || info.Size() < size {
		t.Errorf("the export has %d bytes of %d, %v", info.Size(), size, err)
	}
	for _, id := range []string{"short", "long"} {
		path := store.Locate(session.Header{ID: id, Cwd: "/srv/a"})
		content := []byte(contentOf(t, path))
		content[len(content)-1] ^= 0xff // the checksum of the last frame: only that one is lost
		write(t, path, string(content))
	}
	peaks("repair")
	if page, err := store.Page(t.Context(), "long", -1, 1); err != nil || page.Damage != nil || page.Projection.Turns < 1400 {
		t.Errorf("repaired it has %d turns, %v, %v", page.Projection.Turns, page.Damage, err)
	}
}

// longSession stores a session of that many turns with forty thousand characters of noise each, half of them in a message, and tells how many bytes it has as text.
func longSession(t *testing.T, store *jsonl.Store, id string, turns int) (size int64) {
	t.Helper()
	if err := store.Create(t.Context(), session.Header{ID: id, CreatedAt: longAgo.UnixMilli(), Cwd: "/srv/a"}); err != nil {
		t.Fatal(err)
	}
	words := strings.Repeat("Nobody needs it. ", 1200)
	noise := json.RawMessage(`{"noise":"` + words + `"}`)
	var batch []session.Event
	for turn, seq := 1, int64(0); turn <= turns; turn++ {
		events := turnOf(t, turn, seq, "A title", longAgo)
		events = append(events, session.Event{Type: "noise/made", Seq: seq + int64(len(events)), Time: longAgo.UnixMilli(), Data: noise, Ignorable: true})
		events = append(events, session.Event{Type: session.TypeUserMessage, Seq: seq + int64(len(events)), Time: longAgo.UnixMilli(), SurfaceOp: &session.SurfaceOp{},
			Data: json.RawMessage(`{"id":"m","role":"user","source":{"kind":"plugin","plugin":"p"},"content":[{"type":"text","text":"` + words + `"}]}`)})
		seq += int64(len(events))
		size += 2 * int64(len(words))
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
