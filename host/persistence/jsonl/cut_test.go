package jsonl

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"keylane/host/session"
)

// shortLogs are three logs, batch by batch, that differ in what a cut can hit: packed rows, text that looks like line ends or structure, and
// batches of many rows.
func shortLogs() map[string][][]session.Event {
	event := func(typ, data string) session.Event {
		return session.Event{Type: typ, Time: 7, Data: json.RawMessage(data)}
	}
	begin, end := event(session.TypeTurnStart, `{"turn":1}`), event(session.TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`)
	hostile := event("x/odd", "{\"text\":\"\u2028 \u2029 \u0085 }{ \\n\\r \\u0000 {\\\"type\\\":\\\"turn/end\\\"}\"}")
	var many []session.Event
	for i := range 12 {
		many = append(many, event("x/small", fmt.Sprintf(`{"i":%d}`, i)))
	}
	logs := map[string][][]session.Event{
		"packed":  {turn(0), turn(5), turn(10)},
		"hostile": {{begin, hostile, end}, {hostile, hostile}, {begin, hostile, hostile}},
		"many":    {append([]session.Event{begin}, many...), append(append([]session.Event{}, many...), end), {event("x/last", strings.Repeat("[", 9)+strings.Repeat("]", 9))}},
	}
	for _, log := range logs {
		seq := int64(0)
		for _, batch := range log {
			for i := range batch {
				batch[i].Seq = seq
				seq++
			}
		}
	}
	return logs
}

// Each of three logs, in both encodings, cut at every byte behind its first batch (which appears whole or not at all): all open, and only
// events of the batch that was cut are lost. What is read of them, page or whole, is a prefix of what was written.
func TestThreeLogsCutAtEveryByte(t *testing.T) {
	for name, batches := range shortLogs() {
		for _, encoding := range encodings {
			t.Run(name+"/"+encoding, func(t *testing.T) {
				root := t.TempDir()
				first := newStore(t, root, encoding)
				if err := first.Create(background, testHeader); err != nil {
					t.Fatal(err)
				}
				path := first.Locate(testHeader)
				var all []session.Event
				var sizes []int64
				for _, batch := range batches {
					if err := first.Append(background, "s", batch); err != nil {
						t.Fatal(err)
					}
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					all, sizes = append(all, batch...), append(sizes, info.Size())
				}
				if err := first.Close(background); err != nil {
					t.Fatal(err)
				}
				content := []byte(read(t, path))
				store := newStore(t, root, encoding)
				store.disk = quickDisk{}
				for cut := sizes[0]; cut <= sizes[len(sizes)-1]; cut++ {
					durable := 0
					for i, size := range sizes {
						if size <= cut {
							durable += len(batches[i])
						}
					}
					write(t, path, content[:cut])
					_, events, err := store.Inspect(background, "s")
					if err != nil || len(events) < durable || !reflect.DeepEqual(events, all[:len(events)]) {
						t.Fatalf("cut at %d: %d events of %d durable ones, %v", cut, len(events), durable, err)
					}
					page, err := store.Page(background, "s", -1, 100)
					if err != nil || page.Stored != int64(len(events)) || page.Damage != nil || !reflect.DeepEqual(page.Events[:page.Stored], events) {
						t.Fatalf("cut at %d: page of %d events, %v, %v", cut, page.Stored, page.Damage, err)
					}
					if _, loaded, err := store.Load(background, "s"); err != nil || !reflect.DeepEqual(loaded, page.Events) {
						t.Fatalf("cut at %d: %d events loaded, %d shown, %v", cut, len(loaded), len(page.Events), err)
					}
					if err := store.Release(background, "s"); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}
