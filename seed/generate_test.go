package seed_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
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

// The sizes that scenarios and benchmarks use: as long as ordered, each prompt where it belongs, listed in the order of their activity.
func TestGeneratedHistoriesHaveTheSizesOrdered(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := newStore(t)
	defer store.Close(background)
	for _, turns := range []int{88, 500} {
		id := fmt.Sprint("long-", turns)
		if _, err := seed.Generate(background, store, seed.History{SessionID: id, Cwd: "/srv/ada", Turns: turns, LastActivity: at}); err != nil {
			t.Fatal(err)
		}
		header, events, err := store.Inspect(background, id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.NewLog(header, events, clock.System()); err != nil {
			t.Errorf("%s is no log that goes on: %v", id, err)
		}
		turn := 0
		for _, e := range events {
			if message, ok, err := session.MessageOf(e); err != nil {
				t.Fatal(err)
			} else if ok && message.Source.Kind == session.SourceUser {
				turn++
				if !strings.HasPrefix(message.Text(), fmt.Sprintf("Prompt %d:", turn)) || at.UnixMilli()-e.Time < int64(turns-turn)*60_000-1000 {
					t.Errorf("%s: prompt %d is %q at %d", id, turn, message.Text(), e.Time)
				}
			}
		}
		if turn != turns {
			t.Errorf("%s has %d turns", id, turn)
		}
	}
}

// A rich history has a pair of calls in every eighth turn and a fence in every eleventh, and is a log that a host could go on with.
func TestARichHistoryHasPairsOfCallsAndFences(t *testing.T) {
	store := newStore(t)
	defer store.Close(background)
	h := seed.History{SessionID: "rich", Cwd: "/srv/ada", Turns: 88, Rich: true, LastActivity: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if _, err := seed.Generate(background, store, h); err != nil {
		t.Fatal(err)
	}
	header, events, err := store.Inspect(background, "rich")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.NewLog(header, events, clock.System()); err != nil {
		t.Errorf("no log that goes on: %v", err)
	}
	calls, fences := 0, 0
	for _, e := range events {
		switch e.Type {
		case session.TypeToolCall:
			calls++
		case session.TypeAssistantMessage:
			fences += strings.Count(string(e.Data), "```ts")
		}
	}
	if calls != 2*88/8 || fences != 88/11 {
		t.Errorf("%d calls and %d fences", calls, fences)
	}
}

func TestAThousandSessionsAreListedWithTheirActivity(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := newStore(t)
	defer store.Close(background)
	want := map[string]int64{}
	for i := range 1000 {
		id := fmt.Sprintf("many-%03d", i)
		when := at.Add(-time.Duration(i) * time.Hour)
		if _, err := seed.Generate(background, store, seed.History{SessionID: id, Cwd: "/srv/ada", Turns: 1, Chunks: 2, LastActivity: when}); err != nil {
			t.Fatal(err)
		}
		want[id] = when.UnixMilli()
	}
	entries, err := store.List(background)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%d sessions are listed, %v", len(entries), err)
	}
	for _, e := range entries {
		if late := e.LastActivity - want[e.Header.ID]; e.Problem != nil || late < 0 || late > 1000 {
			t.Errorf("%s: active %d ms after its time, %v", e.Header.ID, late, e.Problem)
		}
	}
}

func TestWhatIsNoHistoryIsRefusedAndLeavesNothing(t *testing.T) {
	store := newStore(t)
	defer store.Close(background)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, h := range map[string]seed.History{
		"no turn":      {SessionID: "s", Cwd: "/srv", LastActivity: at},
		"no time":      {SessionID: "s", Cwd: "/srv", Turns: 1},
		"no id":        {Cwd: "/srv", Turns: 1, LastActivity: at},
		"relative cwd": {SessionID: "s", Cwd: "here", Turns: 1, LastActivity: at},
		"before time":  {SessionID: "s", Cwd: "/srv", Turns: 100, LastActivity: time.UnixMilli(1000)},
	} {
		if _, err := seed.Generate(background, store, h); err == nil {
			t.Errorf("%s: generated", name)
		}
	}
	if entries, err := store.List(background); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
