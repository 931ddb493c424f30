package jsonl

import (
	"bytes"
	"reflect"
	"testing"

	"keylane/host/session"
)

// FuzzLogLines: whatever lines follow a header, in plain text or inside a sound frame, reading them ends in a log that is valid, and in a place
// from which on there is nothing, a torn end or damage; what is before that place is the same log, without either.
func FuzzLogLines(f *testing.F) {
	line, err := testHeader.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	line = append(line, '\n')
	for _, batches := range shortLogs() {
		for _, batch := range batches {
			rows, err := session.AppendRows(nil, batch, session.WriteOptions{Pack: true})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(rows, false)
			f.Add(rows, true)
		}
	}
	for _, odd := range []string{"", "\n\r\n\n", "{}\n", "}{\n", `{"type":"turn/end","seq":0,"time":0,"data":{}}` + "\n", "\u2028\u2029\u0085\n", `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["\ud83d"]}}` + "\n"} {
		f.Add([]byte(odd), true)
		f.Add([]byte(odd), false)
	}
	plain, compressed := fuzzStores(f)
	f.Fuzz(func(t *testing.T, rows []byte, wrap bool) {
		if !wrap {
			judgeRead(t, plain, append(bytes.Clone(line), rows...))
			return
		}
		content := compressed.encode(nil, line)
		content = compressed.encode(content, rows)
		judgeRead(t, compressed, compressed.encode(content, []byte(`{"type":"turn/end","seq":7,"time":0,"data":{}}`+"\n")))
	})
}

// FuzzLogFrames is FuzzLogLines for whatever bytes follow the header's frame and a sound batch.
func FuzzLogFrames(f *testing.F) {
	_, store := fuzzStores(f)
	line, err := testHeader.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	rows, err := session.AppendRows(nil, turn(0), session.WriteOptions{Pack: true})
	if err != nil {
		f.Fatal(err)
	}
	sound := store.encode(store.encode(nil, append(line, '\n')), rows)
	next, err := session.AppendRows(nil, turn(5), session.WriteOptions{Pack: true})
	if err != nil {
		f.Fatal(err)
	}
	frame := store.encode(nil, next)
	f.Add(frame)
	f.Add(frame[:len(frame)-3])
	f.Add(append(bytes.Clone(frame[:20]), frame...))
	f.Add(make([]byte, 30))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58})
	f.Fuzz(func(t *testing.T, tail []byte) {
		v := judgeRead(t, store, append(bytes.Clone(sound), tail...))
		if v.length() < 5 {
			t.Fatalf("%d events of a sound batch of 5", v.length())
		}
	})
}

func fuzzStores(f *testing.F) (plain, compressed *Store) {
	f.Helper()
	stores := map[string]*Store{}
	for _, encoding := range encodings {
		store, err := New(Config{Root: f.TempDir(), Compression: encoding, PackChunks: true}, nil)
		if err != nil {
			f.Fatal(err)
		}
		stores[encoding] = store
	}
	return stores[CompressionNone], stores[CompressionZstd]
}

func judgeRead(t *testing.T, store *Store, content []byte) *survey {
	t.Helper()
	size := int64(len(content))
	file := bytes.NewReader(content)
	var events []session.Event
	v, err := store.whole(background, file, "p", size, func(p *pass) {
		p.checker = session.NewChecker()
		p.keep = func(e session.Event) { events = append(events, e) }
	})
	if err != nil {
		t.Fatal(err)
	}
	if v.length() != int64(len(events)) || session.Validate(events) != nil || v.End.At > size || v.End.Seq > v.length() {
		t.Fatalf("%d events, %+v, %v", len(events), v, session.Validate(events))
	}
	if v.Damage == nil && v.Cut < 0 {
		if v.End.At != size {
			t.Fatalf("nothing is wrong, and only %d of %d bytes were read", v.End.At, size)
		}
	}
	light, err := store.whole(background, file, "p", size, nil)
	if err != nil || light.length() < v.length() {
		t.Fatalf("read lightly: %d of %d events, %v", light.length(), v.length(), err)
	}
	for _, start := range []int64{0, v.length() / 2, v.length() - 1} {
		if start < 0 {
			continue
		}
		got, err := store.events(background, file, "p", size, light, start, v.length())
		if err != nil || !reflect.DeepEqual(got, append([]session.Event{}, events[start:]...)) {
			t.Fatalf("from %d: %d events of %d, %v", start, len(got), v.length()-start, err)
		}
	}
	before, err := store.whole(background, file, "p", v.End.At, func(p *pass) { p.checker = session.NewChecker() })
	if err != nil || before.Damage != nil || before.Cut >= 0 || before.length() != v.End.Seq {
		t.Fatalf("cut at %d: %+v, %v; want %d events", v.End.At, before, err, v.End.Seq)
	}
	return v
}
