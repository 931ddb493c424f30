// Package boot_test measures how long the built `keylane web` takes from its start to its first answer, and how much memory it holds
// once nothing goes on. It asserts that the answer is right, never how fast it came: a machine's speed is no contract.
package boot_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"keylane/scaffold/built"
	"keylane/scaffold/measure"
)

const (
	starts = 21
	// settle is how long a host is left alone before its memory is read; two garbage collections' worth of quiet.
	settle = 2 * time.Second
	target = "//e2e/perf/boot"
)

func TestBoot(t *testing.T) {
	version, err := built.Version(target)
	if err != nil {
		t.Fatal(err)
	}
	result := measure.New("boot", "", version)
	for i := range starts {
		start(t, result, i >= starts-3)
	}
	if err := result.Write(); err != nil {
		t.Error(err)
	}
	t.Logf("%s", result)
}

// start runs one host to its first answer, and, if idle is wanted, on until its memory can be read.
func start(t *testing.T, result *measure.Result, idle bool) {
	t.Helper()
	began := time.Now()
	host, err := built.Start(built.Options{Target: target, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := host.Stop(); err != nil {
			t.Error(err)
		}
	}()
	response, err := http.Get(host.URL())
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	result.Add("first answer", "ms", float64(time.Since(began).Microseconds())/1000) // the last byte of the start page
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(page), "<script") {
		t.Fatalf("the start page is no page: status %d, %v:\n%s", response.StatusCode, err, page)
	}
	http.DefaultClient.CloseIdleConnections()
	if idle {
		<-time.After(settle)
		held, err := host.ResidentMiB()
		if err != nil {
			t.Fatal(err)
		}
		result.Add("idle memory", "MiB", held)
	}
}
