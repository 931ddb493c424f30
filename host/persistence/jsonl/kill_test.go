package jsonl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/session"
)

// kills is how often the test below kills a host: few in the gate, 500 by hand (-kills=500, target kill_500).
var kills = flag.Int("kills", 25, "how many hosts TestKilledHosts kills")

// busyHost is the argument that makes this test binary the host that gets killed.
const busyHost = "-busy-host="

func TestMain(m *testing.M) {
	for _, argument := range os.Args[1:] {
		if place, ok := strings.CutPrefix(argument, busyHost); ok {
			root, rest, _ := strings.Cut(place, "|")
			encoding, id, _ := strings.Cut(rest, "|")
			if err := beBusy(root, encoding, id); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

// beBusy is a host in the middle of a turn that does not end: it goes on with the session or begins it, appends as a stream of a model and
// its tools does, and says after every barrier how far the log is durable.
func beBusy(root, encoding, id string) error {
	system := clock.System()
	store, err := New(Config{Root: root, Compression: encoding, PackChunks: true, Cache: root + ".cache"}, system)
	if err != nil {
		return err
	}
	ctx := context.Background()
	header, events, err := store.Load(ctx, id)
	if err != nil {
		header, events = session.Header{ID: id, CreatedAt: 5, Cwd: "/srv/project"}, nil
	}
	log, err := session.NewLog(header, events, system)
	if err != nil {
		return err
	}
	writer, err := persistence.Attach(store, log, system, slog.New(slog.DiscardHandler), persistence.WithDelay(time.Millisecond))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(len(events))))
	turn := log.Projection().Turns + 1
	if _, err := log.Append(session.TypeTurnStart, session.TurnStart{Turn: turn}); err != nil {
		return err
	}
	for step := 1; ; step++ {
		if _, err := log.Append(session.TypeStepStart, session.StepStart{Turn: turn, Step: step}); err != nil {
			return err
		}
		for range random.IntN(60) {
			text, err := json.Marshal(strings.Repeat("some words ", 1+random.IntN(20)))
			if err != nil {
				return err
			}
			chunk := session.AssistantChunk{Turn: turn, Step: step, Chunk: json.RawMessage(`{"type":"text-delta","index":0,"text":` + string(text) + `}`)}
			if _, err := log.Append(session.TypeAssistantChunk, chunk); err != nil {
				return err
			}
		}
		if _, err := log.Append(session.TypeStepEnd, session.StepEnd{Turn: turn, Step: step}); err != nil {
			return err
		}
		length := log.Len()
		if err := writer.Flush(ctx); err != nil {
			return err
		}
		if _, err := fmt.Println(length); err != nil {
			return err
		}
	}
}

// Whenever a host is killed in the middle of a turn, its session opens at once in the next one, and every event it said is durable is there.
func TestKilledHosts(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	torn := 0
	for round := range *kills {
		// A few sessions, most of them killed more than once, and in both encodings.
		encoding := encodings[round%2]
		place := filepath.Join(root, encoding)
		id := fmt.Sprint("session-", round/8)
		acknowledged := runAndKill(t, place, encoding, id, random)
		store, err := New(Config{Root: place, Compression: encoding, PackChunks: true, Cache: place + ".cache"}, clock.System())
		if err != nil {
			t.Fatal(err)
		}
		torn += judge(t, store, id, acknowledged)
		if err := store.Close(background); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d hosts killed, %d logs had a torn end", *kills, torn)
}

// runAndKill runs a host until some random moment and says how many events it had acknowledged.
func runAndKill(t *testing.T, root, encoding, id string, random *rand.Rand) int64 {
	t.Helper()
	command := exec.Command(os.Args[0], busyHost+root+"|"+encoding+"|"+id)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	command.Stderr = &complaints
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	acknowledged := int64(0)
	take := func() bool {
		if !lines.Scan() {
			return false
		}
		if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil { // the kill may cut a line
			acknowledged = n
		}
		return true
	}
	for range random.IntN(12) {
		if !take() {
			t.Fatalf("the host gave up: %s", complaints.String())
		}
	}
	if acknowledged > 0 {
		wantHeldBy(t, root, encoding, id, command.Process.Pid)
	}
	moment, release := clock.System().After(time.Duration(random.IntN(4000)) * time.Microsecond)
	<-moment
	release()
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for take() { // what it had said before it died
	}
	_, _ = io.Copy(io.Discard, output)
	_ = command.Wait() // killed, as it was told
	return acknowledged
}

// wantHeldBy tries to open a session that another process has open: it reads, it does not write, and it knows the process.
func wantHeldBy(t *testing.T, root, encoding, id string, pid int) {
	t.Helper()
	store := newStore(t, root, encoding)
	var locked *persistence.LockedError
	if _, _, err := store.Load(background, id); !errors.As(err, &locked) || locked.Holder.PID != pid {
		t.Errorf("loading what process %d has open: %v", pid, err)
	}
	page, err := store.Page(background, id, -1, 1)
	if err != nil || page.LockedBy == nil || page.LockedBy.PID != pid || len(page.Events) == 0 {
		t.Errorf("reading what process %d has open: %d events, held by %v, %v", pid, len(page.Events), page.LockedBy, err)
	}
}

func judge(t *testing.T, store *Store, id string, acknowledged int64) (torn int) {
	t.Helper()
	if entries, err := store.List(background); err != nil {
		t.Fatal(err)
	} else {
		for _, e := range entries {
			if e.Problem != nil || e.LockedBy != nil {
				t.Fatalf("listed: %+v", e)
			}
		}
	}
	_, events, err := store.Inspect(background, id)
	if acknowledged == 0 && err != nil {
		return 0 // it was killed before its first event was durable
	}
	if err != nil || int64(len(events)) < acknowledged {
		t.Fatalf("%d events of %d acknowledged, %v", len(events), acknowledged, err)
	}
	page, err := store.Page(background, id, -1, 1)
	if err != nil || page.Stored != int64(len(events)) || page.Projection.OpenTurn != 0 {
		t.Fatalf("page: %d of %d events, %v", page.Stored, len(events), err)
	}
	path, err := store.find(id)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := store.readAll(background, path, nil); err == nil && v.Cut >= 0 {
		torn = 1
	}
	_, loaded, err := store.Load(background, id)
	if err != nil || len(loaded) < len(events) || loaded[len(loaded)-1].Type != session.TypeTurnEnd {
		t.Fatalf("loaded %d of %d events, %v", len(loaded), len(events), err)
	}
	if err := store.Release(background, id); err != nil {
		t.Fatal(err)
	}
	return torn
}
