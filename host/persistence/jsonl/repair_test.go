package jsonl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keylane/host/persistence"
	"keylane/host/session"
)

// brokenFrame stores a log whose frames are each several rows, one of which breaks a rule in the middle of its frame: what stands before it
// there is sound. It returns the sound events.
func brokenFrame(t *testing.T, store *Store) (path string, sound []session.Event) {
	t.Helper()
	head, err := testHeader.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	rows := func(events ...session.Event) []byte {
		text, err := session.AppendRows(nil, events, session.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	opened := turn(10)[:2]
	sound = append(append(turn(0), turn(5)...), opened...)
	content := store.encode(nil, append(head, '\n'))
	content = store.encode(content, rows(turn(0)...))
	content = store.encode(content, rows(turn(5)...))
	content = store.encode(content, append(rows(opened...), append([]byte("garbage\n"), rows(turn(12)...)...)...))
	path = store.Locate(testHeader)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, content)
	return path, sound
}

// What is sound in a frame that is not is written again, before what closes the log.
func TestARepairKeepsWhatIsSoundInABrokenFrame(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			store := newStore(t, t.TempDir(), encoding)
			_, sound := brokenFrame(t, store)
			want := append(sound[:len(sound):len(sound)], session.Repair(testHeader, sound)...)
			done, err := store.Repair(background, "s")
			if err != nil || done.Damage == nil || done.Damage.Seq != int64(len(sound)) || done.Length != int64(len(want)) || len(want) == len(sound) {
				t.Fatalf("%+v, %v", done, err)
			}
			_, events, err := newStore(t, store.root, encoding).Load(background, "s")
			if err != nil || !reflect.DeepEqual(events, want) {
				t.Fatalf("%d events of %d, %v", len(events), len(want), err)
			}
		})
	}
}

// A host that has the session open goes on with it after the repair, with what it knows of it.
func TestARepairedLogIsGoneOnWith(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			store := newStore(t, t.TempDir(), encoding)
			brokenFrame(t, store)
			done, err := store.Repair(background, "s")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				length, err := store.Length(background, "s")
				if err != nil {
					t.Fatal(err)
				}
				if err := store.Append(background, "s", turn(length)); err != nil {
					t.Fatal(err)
				}
			}
			page, err := store.Page(background, "s", -1, 100)
			if err != nil || page.Stored != done.Length+10 || page.Projection.Turns != 5 {
				t.Fatalf("%d events in %d turns, %v", page.Stored, page.Projection.Turns, err)
			}
			_, events, err := newStore(t, store.root, encoding).Inspect(background, "s")
			if err != nil || !reflect.DeepEqual(events, page.Events) {
				t.Errorf("%d events, %d in the page, %v", len(events), len(page.Events), err)
			}
		})
	}
}

// endsAfter is a context that ends by itself when it was asked so often.
type endsAfter struct {
	context.Context
	left int
}

func (e *endsAfter) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// A repair that is interrupted has changed nothing and left no copy; one that is not was interrupted too late and is whole.
func TestARepairThatIsInterruptedChangesNothing(t *testing.T) {
	interrupted := 0
	for asked := 0; ; asked++ {
		store := newStore(t, t.TempDir(), CompressionZstd)
		path, _ := brokenFrame(t, store)
		before := read(t, path)
		_, err := store.Repair(&endsAfter{background, asked}, "s")
		if err == nil {
			break
		}
		interrupted++
		left, globbing := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if !errors.Is(err, context.Canceled) || read(t, path) != before || globbing != nil || len(left) != 1 {
			t.Fatalf("asked %d times: %v; there are %q", asked, err, left)
		}
		if _, err := store.Repair(background, "s"); err != nil {
			t.Fatalf("asked %d times: the next repair: %v", asked, err)
		}
	}
	if interrupted < 5 {
		t.Errorf("interrupted %d times", interrupted)
	}
}

// The events that a repair holds are those of one frame, however long the log is.
func TestARepairHoldsOneFrame(t *testing.T) {
	for _, encoding := range encodings {
		store := newStore(t, t.TempDir(), encoding)
		store.disk = quickDisk{}
		if err := store.Create(background, testHeader); err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("x", 10_000)
		var events []session.Event
		for i := range 200 {
			events = append(events, session.Event{Type: "x/long", Seq: int64(i), Time: 1, Data: fmt.Appendf(nil, `{"text":%q}`, text), Ignorable: true})
		}
		if err := store.Append(background, "s", events); err != nil { // as many frames as it takes
			t.Fatal(err)
		}
		_, rest, err := store.lookForRest(background, store.Locate(testHeader))
		var damage *persistence.Damage
		if errors.As(err, &damage) || err != nil || len(rest) != 0 || cap(rest) > 2*pieceText/len(text) {
			t.Errorf("%s: %d events of room for %d, %v", encoding, len(rest), cap(rest), err)
		}
	}
}
