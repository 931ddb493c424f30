// Package stream_test measures what a chunk of a model's answer costs on its way through the whole host: agent, log, disk and event
// stream, to a reader on the loopback interface. Only the provider is scripted; everything else is the shipped composition. The way
// begins when the provider's adapter yields a chunk and ends when the bytes of its frame are at the reader.
//
// It asserts that everything arrived, in order and once, never how fast: a machine's speed is no contract. The figures and how to
// take them are in docs/host.md.
package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"keylane/host"
	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/persistence"
	"keylane/host/webserver"
	"keylane/scaffold/measure"
)

var page = fstest.MapFS{"index.html": {Data: []byte("page")}, "manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)}}

// world is a booted host with one session, and a reader of its stream.
type world struct {
	b      *testing.B
	in     *composition.Instance
	source *source
	calls  *api.API
	agents agent.Manager
	frames *bufio.Reader
	end    func()
}

func boot(b *testing.B) *world {
	b.Helper()
	home := b.TempDir()
	w := &world{b: b, source: &source{answers: make(chan *answer, 1)}}
	layer := fmt.Sprintf("- id: home\n  config: {dir: %q}\n- id: workspace\n  config: {cwd: '{{home}}/work'}\n"+
		"- id: webserver\n  config: {host: 127.0.0.1, port: 0}\n- id: llm-deepseek\n  disabled: true\n- id: llm-recorded\n  disabled: true\n- id: session-title-model\n  disabled: true\n"+
		"- insert: [{id: llm-source, plugin: llm-source}]\n", home)
	var err error
	w.in, err = host.Boot(b.Context(), host.Options{
		Client: page, Plugins: []composition.Plugin{w.source.plugin()}, Layers: []composition.Layer{{Name: "benchmark", Data: []byte(layer)}},
	})
	if err != nil {
		b.Fatal(err)
	}
	w.calls, _ = composition.Get(w.in, api.Service)
	w.agents, _ = composition.Get(w.in, agent.Service)
	server, ok := composition.Get(w.in, webserver.Service)
	if !ok {
		b.Fatal("no web server")
	}
	response, err := http.Get(server.URL() + "api/events.mux")
	if err != nil {
		b.Fatal(err)
	}
	w.frames = bufio.NewReaderSize(response.Body, 1<<16)
	w.end = func() {
		if err := response.Body.Close(); err != nil {
			b.Error(err)
		}
		if err := w.in.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}
	w.call("session.create", map[string]any{"sessionId": "s", "provider": "source"})
	return w
}

func (w *world) call(method string, payload any) {
	w.b.Helper()
	text, err := w.calls.Call(w.b.Context(), "r", method, payload)
	if err != nil || !bytes.Contains(text, []byte(`"ok":true`)) {
		w.b.Fatalf("%s: %s %v", method, text, err)
	}
}

// ask prompts, so that the provider plays the answer, and reads the stream until the turn has ended. Seen is called for each delta, in
// order, when its frame is there.
func (w *world) ask(a *answer, seen func(i int, at time.Time)) {
	w.b.Helper()
	w.source.answers <- a
	w.call("session.prompt", map[string]any{"sessionId": "s", "mode": "queue", "content": []any{map[string]any{"type": "text", "text": "Go on"}}})
	i := 0
	for {
		line, err := w.frames.ReadSlice('\n')
		at := time.Now()
		if err != nil && err != bufio.ErrBufferFull {
			w.b.Fatalf("the stream ended after %d deltas: %v", i, err)
		}
		whole := err == nil
		switch {
		case bytes.Contains(line, []byte(`"type":"text-delta"`)):
			seen(i, at)
			i++
		case bytes.Contains(line, []byte(`"method":"resync"`)):
			w.b.Fatalf("the reader fell behind what is kept: %s", line)
		case bytes.Contains(line, []byte(`"type":"turn/end"`)):
			if i != a.count || !bytes.Contains(line, []byte(`"completed"`)) {
				w.b.Fatalf("%d of %d deltas came: %s", i, a.count, line)
			}
			return
		}
		for !whole { // the rest of a very long line: the block's end
			_, err := w.frames.ReadSlice('\n')
			if whole = err == nil; !whole && err != bufio.ErrBufferFull {
				w.b.Fatal(err)
			}
		}
	}
}

// stored checks that the disk has all that was said.
func (w *world) stored(want int) {
	w.b.Helper()
	if err := w.agents.WhenIdle(w.b.Context()); err != nil {
		w.b.Fatal(err)
	}
	store, _ := composition.Get(w.in, persistence.Service)
	length, err := store.Length(w.b.Context(), "s")
	if err != nil || length < int64(want) {
		w.b.Fatalf("%d events are stored, of %d at least (%v)", length, want, err)
	}
}

// text of a delta: what providers send, a word or two.
const text = " a word"

// BenchmarkChunkToFrame sends chunk after chunk, each when the frame of the one before has been seen and a moment has passed, as a
// model does that says a hundred or more a second.
func BenchmarkChunkToFrame(b *testing.B) {
	const count = 5000
	for _, gap := range []time.Duration{0, 5 * time.Millisecond} {
		b.Run("gap="+gap.String(), func(b *testing.B) {
			w := boot(b)
			defer w.end()
			for b.Loop() {
				arrived := make(chan struct{}, 1)
				arrived <- struct{}{}
				a := &answer{count: count, text: text, pace: func(ctx context.Context, _ int) bool {
					select {
					case <-arrived:
					case <-ctx.Done():
						return false
					}
					return pass(ctx, gap)
				}}
				took := make([]time.Duration, 0, count)
				w.ask(a, func(i int, at time.Time) {
					took = append(took, at.Sub(a.at(i)))
					arrived <- struct{}{}
				})
				w.stored(count)
				measure.Benchmark(b, "chunk-to-frame-gap-"+gap.String(), took, nil)
			}
		})
	}
}

// pass lets a time go by, and tells whether ctx allows to go on.
func pass(ctx context.Context, duration time.Duration) bool {
	if duration <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// BenchmarkSteadyStream yields ten thousand chunks a second, ten every millisecond, for ten seconds, whether or not anybody keeps up.
func BenchmarkSteadyStream(b *testing.B) {
	const rate, seconds = 10_000, 10
	w := boot(b)
	defer w.end()
	for b.Loop() {
		var begin time.Time
		a := &answer{count: rate * seconds, text: text, pace: func(ctx context.Context, i int) bool {
			if i == 0 {
				begin = time.Now()
			}
			return i%10 != 0 || pass(ctx, time.Until(begin.Add(time.Duration(i)*time.Second/rate)))
		}}
		took := make([]time.Duration, 0, a.count)
		backlog := 0
		heaps := make(chan float64, 4)
		w.ask(a, func(i int, at time.Time) {
			took = append(took, at.Sub(a.at(i)))
			backlog = max(backlog, a.sent()-i-1)
			if (i+1)%(a.count/4) == 0 {
				go func() { heaps <- measure.HeapMiB() }() // beside the reader, which must not wait for a collection
			}
		})
		lasted := a.at(a.count - 1).Sub(a.at(0))
		w.stored(a.count)
		quarters := []float64{<-heaps, <-heaps, <-heaps, <-heaps}
		measure.Benchmark(b, "steady-stream", took, map[string]float64{
			"chunks/s": float64(a.count-1) / lasted.Seconds(), "backlog-max": float64(backlog),
			"heap-1/4-MiB": quarters[0], "heap-4/4-MiB": quarters[3],
		})
	}
}
