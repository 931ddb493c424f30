package jsonl

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/session"
)

// indexedPlace is a store whose sessions are large enough to be indexed.
type indexedPlace struct {
	t           *testing.T
	root, cache string
	encoding    string
}

func newIndexed(t *testing.T, encoding string) indexedPlace {
	folder := t.TempDir()
	return indexedPlace{t, filepath.Join(folder, "sessions"), filepath.Join(folder, "cache"), encoding}
}

func (p indexedPlace) open() *Store {
	p.t.Helper()
	store, err := New(Config{Root: p.root, Cache: p.cache, Compression: p.encoding, PackChunks: true}, clock.System())
	if err != nil {
		p.t.Fatal(err)
	}
	store.disk = quickDisk{}
	p.t.Cleanup(func() {
		if err := store.Close(background); err != nil {
			p.t.Error(err)
		}
	})
	return store
}

// long is a turn of five events that does not compress.
func long(from int64) []session.Event {
	events := turn(from)
	noise := make([]byte, 0, 3000)
	state := uint32(from + 1)
	for range 3000 {
		state = state*1664525 + 1013904223
		noise = append(noise, 'a'+byte(state>>24)%26)
	}
	events[1].Type, events[1].Data = "x/noise", json.RawMessage(`"`+string(noise)+`"`)
	return events
}

func (p indexedPlace) fill(store *Store, turns int) {
	p.t.Helper()
	length, err := store.Length(background, "s")
	if err != nil {
		if err := store.Create(background, testHeader); err != nil {
			p.t.Fatal(err)
		}
	}
	for range turns {
		if err := store.Append(background, "s", long(length)); err != nil {
			p.t.Fatal(err)
		}
		length += 5
	}
}

// agree checks that what the index tells is what the log tells, page for page and in the list.
func (p indexedPlace) agree(when string) {
	p.t.Helper()
	_, events, err := newStore(p.t, p.root, p.encoding).Inspect(background, "s")
	if err != nil {
		p.t.Fatalf("%s: %v", when, err)
	}
	store := p.open()
	for _, turns := range []int{1, 3, 1000} {
		for _, before := range []int64{-1, 5, 12, int64(len(events)) - 7} {
			page, err := store.Page(background, "s", before, turns)
			start, end, more := session.TurnPage(events, before, turns)
			if err != nil || !reflect.DeepEqual(page.Events, append([]session.Event{}, events[start:end]...)) || page.HasMore != more {
				p.t.Fatalf("%s: %d turns before %d: %d events, %v, %v; want [%d,%d), %v", when, turns, before, len(page.Events), page.HasMore, err, start, end, more)
			}
			if got, want := page.Projection, session.Project(testHeader, events); !reflect.DeepEqual(got.Turns, want.Turns) || got.LastActivity != want.LastActivity || got.Title != want.Title {
				p.t.Fatalf("%s: projection %+v, want %+v", when, got, want)
			}
		}
	}
	entries, err := store.List(background)
	if err != nil || len(entries) != 1 || entries[0].Problem != nil || entries[0].Blank || entries[0].Header != testHeader {
		p.t.Fatalf("%s: listed %+v, %v", when, entries, err)
	}
}

func (p indexedPlace) files() (sidecar, list string) {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.cache, "*", "*"))
	if err != nil || len(found) != 2 || filepath.Base(found[0]) != "list" {
		p.t.Fatalf("index: %q, %v", found, err)
	}
	return found[1], found[0]
}

// Whatever became of the index, or of the log since it was made, the log is what is told.
func TestTheIndexIsNeverBelievedAgainstTheLog(t *testing.T) {
	for _, encoding := range encodings {
		p := newIndexed(t, encoding)
		first := p.open()
		p.fill(first, 40)
		if err := first.Release(background, "s"); err != nil {
			t.Fatal(err)
		}
		p.agree("fresh")
		sidecar, list := p.files()
		good, goodList := read(t, sidecar), read(t, list)
		for name, spoil := range map[string]func(){
			"no index":    func() { _ = os.RemoveAll(p.cache) },
			"empty files": func() { write(t, sidecar, nil); write(t, list, nil) },
			"cut": func() {
				write(t, sidecar, []byte(good[:len(good)/2]))
				write(t, list, []byte(goodList[:len(goodList)-3]))
			},
			"a flipped digit": func() { write(t, sidecar, []byte(strings.Replace(good, `"seq":5`, `"seq":6`, 1))) },
			"another version": func() { write(t, sidecar, []byte(strings.Replace(good, "index 1", "index 2", 1))) },
			"directories":     func() { _ = os.RemoveAll(p.cache); _ = os.MkdirAll(sidecar, 0o700); _ = os.MkdirAll(list, 0o700) },
			"an older log's": func() {
				store := p.open()
				p.fill(store, 2)
				_ = store.Close(background)
				write(t, sidecar, []byte(good))
				write(t, list, []byte(goodList))
			},
			"of a log cut since":    func() { p.cutTurn() },
			"of a log written anew": func() { p.rewrite() },
		} {
			spoil()
			p.agree(encoding + "/" + name)
			_ = os.RemoveAll(p.cache)
			p.agree(encoding + "/" + name + ", made anew")
		}
	}
}

// cutTurn takes the last piece of the file away.
func (p indexedPlace) cutTurn() {
	p.t.Helper()
	store := newStore(p.t, p.root, p.encoding)
	_, events, err := store.Inspect(background, "s")
	if err != nil {
		p.t.Fatal(err)
	}
	path := store.Locate(testHeader)
	if err := os.Truncate(path, pieceAt(p.t, store, path, int64(len(events))-5)); err != nil {
		p.t.Fatal(err)
	}
}

// rewrite makes the log another one of the same size and inode: its first noise differs by one letter.
func (p indexedPlace) rewrite() {
	p.t.Helper()
	store := newStore(p.t, p.root, CompressionNone)
	if p.encoding != CompressionNone {
		return // with compression another text has another size, and that is told
	}
	path := store.Locate(testHeader)
	content := []byte(read(p.t, path))
	at := bytes.Index(content, []byte(`"data":"`)) + len(`"data":"`)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("A"), int64(at)); err != nil {
		p.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		p.t.Fatal(err)
	}
}

// A log that has only grown is read on from where its index ends, and comes out as one that was read whole.
func TestAGrownLogIsReadOnFromItsIndex(t *testing.T) {
	for _, encoding := range encodings {
		p := newIndexed(t, encoding)
		store := p.open()
		p.fill(store, 40)
		reader := p.open() // another host: it looks while the first writes
		for range 5 {
			if _, err := reader.Page(background, "s", -1, 1); err != nil {
				t.Fatal(err)
			}
			p.fill(store, 3)
		}
		file, err := os.Open(store.Locate(testHeader))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		var have indexed
		if !readIndex(reader.indexPath("s"), &have) || have.Key == keyOf(info) {
			t.Fatal("there is no older index to go on from")
		}
		grown := reader.grown(background, file, store.Locate(testHeader), have, keyOf(info))
		if grown == nil {
			t.Fatal("the index was of no use although the log has only grown")
		}
		whole, err := reader.readAll(background, store.Locate(testHeader), nil)
		if err != nil {
			t.Fatal(err)
		}
		a, b := *grown, *whole
		for _, v := range []*survey{&a, &b} {
			if len(v.Marks) < 2 || v.Marks[0] != whole.Marks[0] {
				t.Errorf("%s: marks %v", encoding, v.Marks)
			}
			v.Marks = nil
		}
		if one, two := text(t, a), text(t, b); one != two {
			t.Errorf("%s: read on:\n%.600s\nread whole:\n%.600s", encoding, one, two)
		}
		if err := store.Release(background, "s"); err != nil {
			t.Fatal(err)
		}
		p.agree(encoding)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// An index that lies with a right checksum about a file it has the right key of is a mistake of ours; the page is still the log's.
func TestAnIndexThatLiesIsFoundOut(t *testing.T) {
	for name, lie := range map[string]func(*survey){
		"marks that lead nowhere": func(v *survey) {
			for i := range v.Marks {
				v.Marks[i].At += 3
			}
		},
		"a log that is longer": func(v *survey) { v.Starts = append(v.Starts, 100000); v.Follower.Add(session.Event{Seq: 100010}) },
	} {
		p := newIndexed(t, CompressionZstd)
		store := p.open()
		p.fill(store, 40)
		if err := store.Release(background, "s"); err != nil {
			t.Fatal(err)
		}
		var have indexed
		if !readIndex(store.indexPath("s"), &have) {
			t.Fatal("no index")
		}
		lie(have.Survey)
		store.writeIndex(store.indexPath("s"), have)
		page, err := p.open().Page(background, "s", -1, 2)
		if err != nil || len(page.Events) != 10 || page.Length != 200 {
			t.Errorf("%s: %d of %d events, %v", name, len(page.Events), page.Length, err)
		}
	}
}

// Deleting a session deletes what the index kept of it.
func TestNothingOfADeletedSessionStaysInTheIndex(t *testing.T) {
	p := newIndexed(t, CompressionZstd)
	store := p.open()
	p.fill(store, 40)
	if err := store.Release(background, "s"); err != nil {
		t.Fatal(err)
	}
	p.agree("before")
	sidecar, list := p.files()
	if err := store.Delete(background, "s"); err != nil {
		t.Fatal(err)
	}
	if entries, err := store.List(background); err != nil || len(entries) != 0 {
		t.Errorf("listed: %+v, %v", entries, err)
	}
	if _, err := os.Stat(sidecar); !os.IsNotExist(err) {
		t.Errorf("the session's index is still there: %v", err)
	}
	if strings.Contains(read(t, list), "srv/project") {
		t.Error("the list still has it")
	}
}

var _ persistence.Store = (*Store)(nil)
