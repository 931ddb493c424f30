package million_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"keylane/host"
	"keylane/host/api"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/persistence/jsonl"
	"keylane/seed"
)

// BenchmarkPage is what the host does to open the session: one page of its log, read, judged and written as the answer of a call. The log is
// shorter, because a page costs the same wherever it lies. For the profile:
//
//	go test ./e2e/perf/million -run '^$' -bench Page -cpuprofile /tmp/page.pprof && go tool pprof -top /tmp/page.pprof
func BenchmarkPage(b *testing.B) {
	root := b.TempDir()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(root, "home", "sessions"), PackChunks: true}, clock.System())
	if err != nil {
		b.Fatal(err)
	}
	_, err = seed.Generate(b.Context(), store, seed.History{SessionID: huge, Cwd: root, Turns: 4 * page, Chunks: 390, LastActivity: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	layer := fmt.Sprintf("- id: home\n  config: {dir: %q}\n- id: webserver\n  config: {host: 127.0.0.1, port: 0}\n", filepath.Join(root, "home"))
	client := fstest.MapFS{"index.html": {Data: []byte("page")}, "manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)}}
	in, err := host.Boot(b.Context(), host.Options{Client: client, Layers: []composition.Layer{{Name: "benchmark", Data: []byte(layer)}}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := in.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	calls, ok := composition.Get(in, api.Service)
	if !ok {
		b.Fatal("there is no API")
	}
	bytesOfAnswer := 0
	for b.Loop() {
		answer, err := calls.Call(b.Context(), "r", "session.history", map[string]any{"sessionId": huge})
		if err != nil || !bytes.Contains(answer, []byte(`"ok":true`)) {
			b.Fatalf("session.history: %.200s %v", answer, err)
		}
		bytesOfAnswer = len(answer)
	}
	b.ReportMetric(float64(bytesOfAnswer)/(1<<20), "MiB/answer")
}
