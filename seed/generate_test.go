package seed_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/seed"
)

func TestAGeneratedHistoryIsALogAndAlwaysTheSame(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var sums [][32]byte
	for range 2 {
		store, err := jsonl.New(jsonl.Config{Root: t.TempDir(), PackChunks: true}, clock.System())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close(background)
		header, err := seed.Generate(background, store, seed.History{SessionID: "generated", Cwd: "/srv/ada", Turns: 30, LastActivity: at})
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(store.Locate(header))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sha256.Sum256(content))
		_, events, err := store.Load(background, "generated")
		if err != nil {
			t.Fatal(err)
		}
		p := session.Project(header, events)
		if p.Turns != 30 || p.OpenTurn != 0 || p.Title != "Generated generated" || at.UnixMilli()-p.LastActivity > 1000 || p.LastActivity < at.UnixMilli() && at.UnixMilli()-p.LastActivity > 60_000 {
			t.Errorf("%+v", p)
		}
	}
	if !bytes.Equal(sums[0][:], sums[1][:]) {
		t.Error("twice generated, two different logs")
	}
}
