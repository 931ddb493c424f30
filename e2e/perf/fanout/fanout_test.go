// Package fanout_test measures what eight readers of the session stream cost each other: ten thousand events a second are appended to a
// session's log in a host as it ships (log, disk and streams are real; no model speaks), and every reader notes when the bytes of a frame are
// there. In one of the runs one of the eight stops reading at the start and never goes on.
//
// It asserts that every reader that reads comes to the last frame, in order, never how fast: a machine's speed is no contract. The figures
// and how to take them are in docs/host.md.
package fanout_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"keylane/host"
	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/session"
	"keylane/host/webserver"
	"keylane/scaffold/measure"
)

const (
	readers = 8
	rate    = 10_000 // events a second
	seconds = 10
	total   = rate * seconds
)

var page = fstest.MapFS{"index.html": {Data: []byte("page")}, "manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)}}

// world is a booted host with one session.
type world struct {
	b       *testing.B
	in      *composition.Instance
	api     *api.API
	log     *session.Log
	address string
}

func boot(b *testing.B) *world {
	b.Helper()
	layer := fmt.Sprintf("- id: home\n  config: {dir: %q}\n- id: workspace\n  config: {cwd: '{{home}}/work'}\n- id: webserver\n  config: {host: 127.0.0.1, port: 0}\n", b.TempDir())
	in, err := host.Boot(b.Context(), host.Options{Client: page, Layers: []composition.Layer{{Name: "benchmark", Data: []byte(layer)}}})
	if err != nil {
		b.Fatal(err)
	}
	w := &world{b: b, in: in}
	w.api, _ = composition.Get(in, api.Service)
	agents, _ := composition.Get(in, agent.Service)
	server, ok := composition.Get(in, webserver.Service)
	if !ok {
		b.Fatal("no web server")
	}
	w.address = server.Address()
	answer, err := w.api.Call(b.Context(), "r", "session.create", map[string]any{"sessionId": "s"})
	if err != nil || !bytes.Contains(answer, []byte(`"ok":true`)) {
		b.Fatalf("session.create: %s %v", answer, err)
	}
	attached, ok := agents.Get("s")
	if !ok {
		b.Fatal("the session is not attached")
	}
	w.log = attached.Log()
	return w
}

// reader is one connection that has asked for the stream.
type reader struct {
	connection net.Conn
	request    *http.Request
	took       []time.Duration
	resyncs    int
}

func (w *world) open() *reader {
	w.b.Helper()
	connection, err := net.Dial("tcp", w.address)
	if err != nil {
		w.b.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodGet, "http://"+w.address+"/api/events.mux", nil)
	if err != nil {
		w.b.Fatal(err)
	}
	if err := request.Write(connection); err != nil {
		w.b.Fatal(err)
	}
	return &reader{connection: connection, request: request, took: make([]time.Duration, 0, total)}
}

// read reads up to frame last. Frame first is the first that was appended at appended[0], and so on.
func (r *reader) read(first, last int64, appended []atomic.Int64) error {
	response, err := http.ReadResponse(bufio.NewReaderSize(r.connection, 1<<16), r.request)
	if err != nil {
		return fmt.Errorf("asking for the stream: %w", err)
	}
	// The body is not closed: that would read on to its end, which never comes. The connection is.
	lines := bufio.NewReaderSize(response.Body, 1<<16)
	at := first - 1
	for at < last {
		line, err := lines.ReadSlice('\n')
		now := time.Now()
		if err != nil {
			return fmt.Errorf("the stream ended after frame %d of %d: %w", at, last, err)
		}
		if bytes.Contains(line, []byte(`"method":"resync"`)) {
			r.resyncs++
		}
		text, ok := strings.CutPrefix(string(line), "id: ")
		if !ok {
			continue
		}
		_, digits, _ := strings.Cut(strings.TrimSpace(text), "-")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no cursor: %w", line, err)
		}
		switch {
		case n == 0 || n == at: // a frame of a baseline, or its end
		case n == at+1:
			if n >= first {
				r.took = append(r.took, now.Sub(time.Unix(0, appended[n-first].Load())))
			}
			at = n
		case n > at && (r.resyncs > 0 || at < first):
			at = n
		default:
			return fmt.Errorf("frame %d follows frame %d", n, at)
		}
	}
	return nil
}

func BenchmarkFanout(b *testing.B) {
	for _, stuck := range []int{0, 1} {
		b.Run(fmt.Sprintf("stuck=%d", stuck), func(b *testing.B) {
			for b.Loop() {
				run(b, stuck)
			}
		})
	}
}

func run(b *testing.B, stuck int) {
	w := boot(b)
	defer func() {
		if err := w.in.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	say := func(kind, data string) {
		if _, err := w.log.Append(kind, json.RawMessage(data)); err != nil {
			b.Fatal(err)
		}
	}
	say(session.TypeTurnStart, `{"turn":1}`)
	say(session.TypeStepStart, `{"turn":1,"step":1}`)
	all := make([]*reader, readers)
	for i := range all {
		all[i] = w.open()
		defer all[i].connection.Close()
	}
	for w.api.Readers() < readers {
		runtime.Gosched()
	}
	_, before := w.api.MuxCursor()
	first, last := before+1, before+total
	appended := make([]atomic.Int64, total)
	done := make(chan error, readers)
	for _, r := range all[stuck:] {
		go func() { done <- r.read(first, last, appended) }()
	}
	heaps := []float64{measure.HeapMiB()}
	begin := time.Now()
	for i := range total {
		if i%10 == 0 {
			<-time.After(time.Until(begin.Add(time.Duration(i) * time.Second / rate)))
		}
		appended[i].Store(time.Now().UnixNano())
		say(session.TypeAssistantChunk, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":" a word"}}`)
		if (i+1)%(total/4) == 0 {
			heaps = append(heaps, measure.HeapMiB())
		}
	}
	lasted := time.Since(begin)
	resyncs := 0
	var took []time.Duration
	for range all[stuck:] {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	for _, r := range all[stuck:] {
		resyncs += r.resyncs
		took = append(took, r.took...)
	}
	measure.Benchmark(b, fmt.Sprintf("fanout-stuck-%d", stuck), took, map[string]float64{
		"events/s": total / lasted.Seconds(), "resyncs": float64(resyncs), "open-at-the-end": float64(w.api.Readers()),
		"heap-0-MiB": heaps[0], "heap-1/4-MiB": heaps[1], "heap-4/4-MiB": heaps[4],
	})
}
