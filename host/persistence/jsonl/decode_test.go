package jsonl

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keylane/host/persistence"
	"keylane/host/session"
)

// craft makes a Zstandard frame (RFC 8878) with a window of 8 MiB that says it has claimed bytes of text, and has as many blocks of one
// byte, repeated, as blocks says: three bytes and one for 128 KiB of text.
func craft(claimed uint64, repeated byte, blocks int) []byte {
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xc0, 13 << 3} // content size of 8 bytes; window 2^(10+13)
	out = binary.LittleEndian.AppendUint64(out, claimed)
	for i := range blocks {
		header := uint32(maxBlockSize)<<3 | 1<<1
		if i == blocks-1 {
			header |= 1
		}
		out = append(out, byte(header), byte(header>>8), byte(header>>16), repeated)
	}
	return out
}

// allocated is how much memory something takes in all, which is no less than what it takes at any time.
func allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Whatever a frame says of itself or turns out to be, reading takes a bounded amount of memory, and what is before it is there.
func TestReadingTakesLittleMemoryWhateverAFrameSays(t *testing.T) {
	const text = 6400 * maxBlockSize // 800 MiB
	huge := craft(text, 'a', 6400)
	ended := craft(text+1, 'a', 6400)
	ended[len(ended)-4] &^= 1                 // the last block is not the last:
	ended = append(ended, 1<<3|1, 0, 0, '\n') // a raw block of one byte follows
	window := craft(1<<40, 'a', 1)
	window[5] = 0xf8 // 2^41
	wide := craft(text, 'a', 6400)
	wide[5] = 18 << 3 // 2^28
	for name, c := range map[string]struct {
		frame  []byte
		reason string
		most   int64
	}{
		"one row of 800 MiB":            {ended, "the row is longer than", 2*maxRow + maxWindow},
		"one row without an end":        {huge, "ends inside a line", 2*maxRow + maxWindow},
		"800 MiB and cut off":           {huge[:len(huge)-2], "", 2*maxRow + maxWindow},
		"a size that is not true":       {craft(1<<50, 'a', 1), "failed validation", maxWindow},
		"a small size that is not true": {craft(10, 'a', 6400), "failed validation", maxWindow},
		"a window of two terabytes":     {window, "failed validation", maxWindow},
		"a window of 256 MiB":           {wide, "window size exceeded", maxWindow},
		"more text than a frame has":    {craft(8193*maxBlockSize, 'a', 8193), "more than 1073741824 bytes", maxWindow},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t, t.TempDir(), CompressionZstd)
			path, sizes := store3(t, store)
			if err := store.Release(background, "s"); err != nil {
				t.Fatal(err)
			}
			write(t, path, append([]byte(read(t, path))[:sizes[2]], c.frame...))
			var page persistence.Page
			var err error
			took := allocated(func() { page, err = store.Page(background, "s", -1, 1) })
			if err != nil || page.Stored != 15 || len(page.Events) != 5 {
				t.Fatalf("%d events stored, %d on the page, %v", page.Stored, len(page.Events), err)
			}
			if took > c.most+(8<<20) {
				t.Errorf("reading took %d MiB", took>>20)
			}
			switch d := page.Damage; {
			case c.reason == "" && d != nil:
				t.Error(d)
			case c.reason != "" && (d == nil || !strings.Contains(d.Reason, c.reason) || d.Byte != sizes[2] || d.Seq != 15):
				t.Errorf("damage: %v", d)
			}
		})
	}
}

func TestAnUncompressedRowWithoutEndTakesLittleMemory(t *testing.T) {
	store := newStore(t, t.TempDir(), CompressionNone)
	path, sizes := store3(t, store)
	if err := store.Release(background, "s"); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<30); err != nil { // a hole of zeroes: no line end for a gibibyte
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	took := allocated(func() {
		page, err := store.Page(background, "s", -1, 1)
		if err != nil || page.Stored != 15 || page.Damage == nil || page.Damage.Byte != sizes[2] || !strings.Contains(page.Damage.Reason, "longer than") {
			t.Errorf("%d events, %v, %v", page.Stored, page.Damage, err)
		}
	})
	if took > maxRow+(8<<20) {
		t.Errorf("reading took %d MiB", took>>20)
	}
}

// turnsOf makes a history of some turns of 100 kB each.
func turnsOf(count int) []session.Event {
	var out []session.Event
	for range count {
		from := int64(len(out))
		out = append(out, turn(from)...)
		text, err := json.Marshal(map[string]any{"turn": 1, "filler": strings.Repeat("0123456789", 10_000)})
		if err != nil {
			panic(err)
		}
		out[from].Data = text
	}
	return out
}

// An earlier keylane stored a history in one frame: it is read as any other, a page of it in memory for the page.
func TestALogOfOneLargeFrameIsReadAsAnyOther(t *testing.T) {
	events := turnsOf(400) // 40 MB of text
	root := t.TempDir()
	store := newStore(t, root, CompressionZstd)
	line, err := testHeader.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := session.AppendRows(nil, events, session.WriteOptions{Pack: true})
	if err != nil {
		t.Fatal(err)
	}
	path := store.Locate(testHeader)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	head := store.encode(nil, append(line, '\n'))
	content := store.encode(head, rows)
	write(t, path, content)

	if _, got, err := store.Inspect(background, "s"); err != nil || !reflect.DeepEqual(got, events) {
		t.Fatalf("%d events of %d, %v", len(got), len(events), err)
	}
	for _, before := range []int64{-1, 1000, 5} {
		want, end, _ := session.TurnPage(events, before, 1)
		page, err := store.Page(background, "s", before, 1)
		if err != nil || !reflect.DeepEqual(page.Events, events[want:end]) {
			t.Errorf("page before %d: %d events, %v", before, len(page.Events), err)
		}
	}

	spoiled := append([]byte(nil), content...)
	spoiled[len(spoiled)-1] ^= 0xff // the checksum: nothing of the frame counts, although every row of it can be read
	write(t, path, spoiled)
	page, err := store.Page(background, "s", -1, 1)
	if err != nil || page.Stored != 0 || page.Damage == nil || page.Damage.Byte != int64(len(head)) || page.Damage.Row != 2 {
		t.Errorf("a spoiled frame: %d events, %v, %v", page.Stored, page.Damage, err)
	}

	write(t, path, content[:len(content)-len(content)/3])
	_, got, err := store.Load(background, "s")
	if err != nil || len(got) < len(events)/3 || !reflect.DeepEqual(got[:len(events)/3], events[:len(events)/3]) {
		t.Errorf("a frame that is cut off: %d events of %d, %v", len(got), len(events), err)
	}
}

// A batch of a whole history goes into many frames at once, so that a page of it need not decompress all of it.
func TestALargeBatchIsManyFrames(t *testing.T) {
	events := turnsOf(60)
	for _, encoding := range encodings {
		store := newStore(t, t.TempDir(), encoding)
		if err := store.Create(background, testHeader); err != nil {
			t.Fatal(err)
		}
		for _, batch := range [][]session.Event{events[:150], events[150:]} { // as a new file, and appended
			if err := store.Append(background, "s", batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Release(background, "s"); err != nil {
			t.Fatal(err)
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
		v, err := store.whole(background, file, "p", info.Size(), nil)
		if err != nil || v.Damage != nil || v.Cut >= 0 || v.length() != int64(len(events)) {
			t.Fatalf("%+v %v", v, err)
		}
		frames := 0
		for at := int64(0); store.compressed && at < info.Size(); frames++ {
			next, err := scanFrame(file, at, info.Size())
			if err != nil {
				t.Fatal(err)
			}
			text, err := store.decompress(file, next)
			if err != nil || len(text) > 2*pieceText {
				t.Errorf("a frame of %d bytes of text, %v", len(text), err)
			}
			at = next.end
		}
		if store.compressed && frames < 20 {
			t.Errorf("%d frames", frames)
		}
		if _, got, err := store.Inspect(background, "s"); err != nil || !reflect.DeepEqual(got, events) {
			t.Errorf("%d events, %v", len(got), err)
		}
	}
}

func TestAnEventThatCouldNotBeReadAgainIsRefused(t *testing.T) {
	store := newStore(t, t.TempDir(), CompressionZstd)
	path, _ := store3(t, store)
	before := read(t, path)
	large := session.Event{Type: "odd", Seq: 15, Data: json.RawMessage(`"` + strings.Repeat("a", maxRow) + `"`)}
	if err := store.Append(background, "s", []session.Event{large}); err == nil || !strings.Contains(err.Error(), "too large to be stored") {
		t.Error(err)
	}
	if read(t, path) != before {
		t.Error("something was written")
	}
	if err := store.Append(background, "s", turn(15)); err != nil {
		t.Errorf("the session cannot go on: %v", err)
	}
}

// The window and the size of a frame are its encoder's choice; what other programs choose is read as well.
func TestFramesOfOtherEncodersAreRead(t *testing.T) {
	events := turnsOf(30)
	line, err := testHeader.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBestCompression} {
		for _, size := range []int{0, 32 << 20} {
			store := newStore(t, t.TempDir(), CompressionZstd)
			path := store.Locate(testHeader)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			options := []zstd.EOption{zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1)}
			if size > 0 {
				options = append(options, zstd.WithWindowSize(size))
			}
			var text strings.Builder
			for _, batch := range [][]session.Event{nil, events[:5], events[5:]} {
				encoder, err := zstd.NewWriter(&text, options...) // streaming: the frame does not say how much text it has
				if err != nil {
					t.Fatal(err)
				}
				rows := append(line, '\n')
				if batch != nil {
					if rows, err = session.AppendRows(nil, batch, session.WriteOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				_, err = encoder.Write(rows)
				if err = errors.Join(err, encoder.Close()); err != nil {
					t.Fatal(err)
				}
			}
			write(t, path, []byte(text.String()))
			if _, got, err := store.Inspect(background, "s"); err != nil || !reflect.DeepEqual(got, events) {
				t.Errorf("level %v, window %d: %d events, %v", level, size, len(got), err)
			}
		}
	}
}
