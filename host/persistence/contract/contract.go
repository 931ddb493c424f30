// Package contract is the test suite that every persistence.Store must pass. A store's own tests call Run and then test only what is its
// own: paths, encodings, crashes.
//
//	func TestContract(t *testing.T) {
//		contract.Run(t, func(t *testing.T) contract.Place { … })
//	}
//
// The suite knows nothing of files. What only a store's own means can do to a session, spoil it or tear its end off, the place does.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Opener opens one and the same place again and again, as hosts do that start one after the other. The suite closes what it opens.
type Opener func() (persistence.Store, error)

// Place is where stores keep sessions.
type Place struct {
	Open Opener
	// Damage spoils what is stored of a session so that event seq and what comes after cannot be read, while whole turns follow.
	Damage func(t *testing.T, id string, seq int64)
	// Tear leaves the session's last batch as a crash in the middle of its writing would.
	Tear func(t *testing.T, id string)
}

// Run runs the suite. place makes an empty place for each test.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for name, test := range map[string]func(*testing.T, Place){
		"a damaged log shows what is before the damage and is repaired with a copy": damaged,
		"a torn end is dropped for good by load and left out by everything else":    torn,
	} {
		t.Run(name, func(t *testing.T) { test(t, place(t)) })
	}
	for name, test := range map[string]func(*testing.T, Opener){
		"a created session leaves no trace before its first event": lazyCreation,
		"what was appended is there for the next host":             nextHost,
		"ids are taken once":                                      takenOnce,
		"unknown ids are not found":                               unknown,
		"append wants the next seq and otherwise changes nothing": nextSeq,
		"load closes an open turn for good and inspect does not":  openTurn,
		"append refuses what could not be read back":              refusals,
		"delete removes":                                          deletion,
		"list tells of every stored session":                      listing,
		"any id and any cwd can be stored":                        anyName,
		"operations at the same time do not disturb each other":   concurrency,
		"a closed store refuses":                                  closed,
		"a cancelled context is obeyed":                           cancelled,
		"one host at a time has a session open":                   locking,
		"pages cover a session once, whole turns each":            paging,
		"a page shows a cut turn as opening would close it":       openTurnPage,
		"a list tells title, last activity and blankness":         activity,
	} {
		t.Run(name, func(t *testing.T) { test(t, place(t).Open) })
	}
}

var background = context.Background()

func open(t *testing.T, opener Opener) persistence.Store {
	t.Helper()
	store, err := opener()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(background); err != nil {
			t.Error(err)
		}
	})
	return store
}

func header(id string) session.Header {
	return session.Header{ID: id, CreatedAt: 5, Cwd: "/srv/project", AgentPreset: "p"}
}

// turn is one whole turn of three events; from is its first seq.
func turn(from int64) []session.Event {
	return []session.Event{
		{Type: session.TypeTurnStart, Seq: from, Time: 100 + from, Data: json.RawMessage(`{"turn":1}`)},
		{Type: "plugin/unknown", Seq: from + 1, Time: 50, Data: json.RawMessage(`{"big":12345678901234567890}`), Ignorable: true},
		{Type: session.TypeTurnEnd, Seq: from + 2, Time: 100 + from, Data: json.RawMessage(`{"turn":1,"reason":{"kind":"completed"}}`)},
	}
}

func create(t *testing.T, store persistence.Store, id string, events ...session.Event) {
	t.Helper()
	if err := store.Create(background, header(id)); err != nil {
		t.Fatal(err)
	}
	if err := store.Append(background, id, events); err != nil {
		t.Fatal(err)
	}
}

func wantStored(t *testing.T, store persistence.Store, id string, want []session.Event) {
	t.Helper()
	for name, read := range map[string]func(context.Context, string) (session.Header, []session.Event, error){"inspect": store.Inspect, "load": store.Load} {
		h, got, err := read(background, id)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case h != header(id):
			t.Errorf("%s: header %+v", name, h)
		case len(got)+len(want) > 0 && !reflect.DeepEqual(got, want):
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if length, err := store.Length(background, id); err != nil || length != int64(len(want)) {
		t.Errorf("length is %d, %v; want %d", length, err, len(want))
	}
}

func release(t *testing.T, store persistence.Store, id string) {
	t.Helper()
	if err := store.Release(background, id); err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, store persistence.Store) []string {
	t.Helper()
	entries, err := store.List(background)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		if entry.Problem != nil {
			t.Errorf("%s: %v", entry.Path, entry.Problem)
		}
		if entry.Path != store.Locate(entry.Header) || entry.Size == 0 || entry.ModTime.IsZero() {
			t.Errorf("entry %+v is not where %s says", entry, store.Locate(entry.Header))
		}
		out = append(out, entry.Header.ID)
	}
	slices.Sort(out)
	return out
}

func lazyCreation(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s")
	wantStored(t, store, "s", nil)
	if got := ids(t, store); len(got) != 0 {
		t.Errorf("listed: %q", got)
	}
	if _, _, err := open(t, opener).Load(background, "s"); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("another host finds it: %v", err)
	}
}

func nextHost(t *testing.T, opener Opener) {
	first := open(t, opener)
	create(t, first, "s", turn(0)...)
	if err := first.Append(background, "s", turn(3)); err != nil {
		t.Fatal(err)
	}
	wantStored(t, first, "s", append(turn(0), turn(3)...))
	release(t, first, "s")
	second := open(t, opener)
	if err := second.Append(background, "s", turn(6)); err != nil {
		t.Fatal(err)
	}
	wantStored(t, second, "s", slices.Concat(turn(0), turn(3), turn(6)))
}

func takenOnce(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s")
	if err := store.Create(background, header("s")); !errors.Is(err, persistence.ErrExists) {
		t.Errorf("a created id was taken: %v", err)
	}
	if err := store.Append(background, "s", turn(0)); err != nil {
		t.Fatal(err)
	}
	elsewhere := header("s")
	elsewhere.Cwd = "/another/project"
	if err := open(t, opener).Create(background, elsewhere); !errors.Is(err, persistence.ErrExists) {
		t.Errorf("a stored id was taken: %v", err)
	}
	late, later := open(t, opener), open(t, opener)
	create(t, late, "race")
	create(t, later, "race", turn(0)...)
	if err := late.Append(background, "race", turn(0)); !errors.Is(err, persistence.ErrExists) {
		t.Errorf("a session was overwritten: %v", err)
	}
}

func unknown(t *testing.T, opener Opener) {
	store := open(t, opener)
	_, _, loaded := store.Load(background, "s")
	_, _, inspected := store.Inspect(background, "s")
	_, measured := store.Length(background, "s")
	for name, err := range map[string]error{
		"load": loaded, "inspect": inspected, "length": measured, "append": store.Append(background, "s", turn(0)), "delete": store.Delete(background, "s"),
	} {
		if !errors.Is(err, persistence.ErrNotFound) || !strings.Contains(err.Error(), `"s"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func nextSeq(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", turn(0)...)
	gap := turn(3)
	gap[1].Seq = 9
	for name, events := range map[string][]session.Event{"again": turn(0), "too far": turn(4), "with a gap": gap} {
		if err := store.Append(background, "s", events); err == nil || !strings.Contains(err.Error(), "seq mismatch") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := store.Append(background, "s", nil); err != nil {
		t.Errorf("no events: %v", err)
	}
	wantStored(t, store, "s", turn(0))
}

func openTurn(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", turn(0)[:2]...)
	_, events, err := store.Inspect(background, "s")
	if err != nil || len(events) != 2 {
		t.Fatalf("inspect: %d events, %v", len(events), err)
	}
	_, events, err = store.Load(background, "s")
	if err != nil || len(events) != 3 || events[2].Type != session.TypeTurnEnd {
		t.Fatalf("load: %+v, %v", events, err)
	}
	release(t, store, "s")
	other := open(t, opener)
	wantStored(t, other, "s", events)
	release(t, other, "s")
	if err := store.Append(background, "s", turn(3)); err != nil {
		t.Error(err)
	}
}

func refusals(t *testing.T, opener Opener) {
	store := open(t, opener)
	if err := store.Create(background, session.Header{ID: "s", Cwd: "relative"}); err == nil {
		t.Error("an invalid header was accepted")
	}
	create(t, store, "s", turn(0)...)
	for name, data := range map[string]string{"no data": "", "not JSON": "{", "minus zero": "-0", "same key twice": `{"a":1,"a":2}`} {
		events := turn(3)
		events[2].Data = json.RawMessage(data)
		if err := store.Append(background, "s", events); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	wantStored(t, store, "s", turn(0))
}

func deletion(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", turn(0)...)
	create(t, store, "created")
	for _, id := range []string{"s", "created"} {
		if err := store.Delete(background, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, _, err := store.Load(background, id); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("%s is still there: %v", id, err)
		}
	}
	if got := ids(t, store); len(got) != 0 {
		t.Errorf("listed: %q", got)
	}
	create(t, store, "s", turn(0)...)
	wantStored(t, store, "s", turn(0))
}

func listing(t *testing.T, opener Opener) {
	store := open(t, opener)
	if got := ids(t, store); len(got) != 0 {
		t.Errorf("an empty place lists %q", got)
	}
	for _, id := range []string{"a", "b"} {
		create(t, store, id, turn(0)...)
	}
	for _, reader := range []persistence.Store{store, open(t, opener)} {
		if got := ids(t, reader); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("listed: %q", got)
		}
	}
}

func anyName(t *testing.T, opener Opener) {
	store := open(t, opener)
	names := []string{".", "..", "a/b", "A", "a", "~", "~002E", "ü😀", "-", "session-1", "..\\x", "a\x00b", "tmp.tmp"}
	for i, id := range names {
		h := session.Header{ID: id, Cwd: []string{"", "/", "/a b/ü", "/a/../b", "/" + strings.Repeat("long", 100)}[i%5]}
		if err := store.Create(background, h); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if err := store.Append(background, id, turn(0)); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		release(t, store, id)
		if got, events, err := open(t, opener).Load(background, id); err != nil || got != h || len(events) != 3 {
			t.Errorf("%q: %+v, %d events, %v", id, got, len(events), err)
		}
	}
	slices.Sort(names)
	if got := ids(t, store); !slices.Equal(got, names) {
		t.Errorf("listed %q, want %q", got, names)
	}
}

func concurrency(t *testing.T, opener Opener) {
	store := open(t, opener)
	var group sync.WaitGroup
	for i := range 4 {
		id := fmt.Sprint("s", i)
		create(t, store, id, turn(0)...)
		group.Go(func() {
			for from := int64(3); from < 15; from += 3 {
				if err := store.Append(background, id, turn(from)); err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range 8 {
				if _, events, err := store.Inspect(background, id); err != nil || len(events)%3 != 0 {
					t.Errorf("%d events, %v", len(events), err)
				}
				if _, err := store.List(background); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range 4 {
		if length, err := store.Length(background, fmt.Sprint("s", i)); err != nil || length != 15 {
			t.Errorf("s%d: %d events, %v", i, length, err)
		}
	}
}

func closed(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", turn(0)...)
	if err := store.Close(background); err != nil {
		t.Fatal(err)
	}
	_, _, loaded := store.Load(background, "s")
	_, listed := store.List(background)
	for name, err := range map[string]error{"load": loaded, "list": listed, "append": store.Append(background, "s", turn(3)), "create": store.Create(background, header("n"))} {
		if !errors.Is(err, persistence.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func cancelled(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", turn(0)...)
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, _, loaded := store.Load(ctx, "s")
	_, listed := store.List(ctx)
	for name, err := range map[string]error{"load": loaded, "list": listed, "append": store.Append(ctx, "s", turn(3))} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantStored(t, store, "s", turn(0))
}
