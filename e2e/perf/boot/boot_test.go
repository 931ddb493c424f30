// Package boot_test measures how long the built `keylane web` takes from its start to its first answer, and how much memory it holds
// once nothing goes on. It asserts that the answer is right, never how fast it came: a machine's speed is no contract.
package boot_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	starts = 21
	// settle is how long a host is left alone before its memory is read; two garbage collections' worth of quiet.
	settle = 2 * time.Second
)

// A result is what one set of starts gave, in a form that two sets can be compared in.
type result struct {
	Name          string    `json:"name"`
	FirstAnswerMs []float64 `json:"firstAnswerMs"` // from exec to the last byte of the start page, sorted
	IdleRSSMiB    []float64 `json:"idleRssMiB"`    // of the last three starts, after settle
	Cores         int       `json:"cores"`
	Go            string    `json:"go"`
}

func TestBoot(t *testing.T) {
	binary := os.Getenv("KEYLANE_BINARY")
	if binary == "" {
		t.Fatal("KEYLANE_BINARY is not set: run ./bazelw test --config=perf")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join(os.Getenv("TEST_SRCDIR"), binary)
	}
	measured := result{Name: "boot", Cores: runtime.NumCPU(), Go: runtime.Version()}
	for i := range starts {
		answer, resident := start(t, binary, i >= starts-3)
		measured.FirstAnswerMs = append(measured.FirstAnswerMs, float64(answer.Microseconds())/1000)
		if resident > 0 {
			measured.IdleRSSMiB = append(measured.IdleRSSMiB, float64(resident)/(1<<20))
		}
	}
	sort.Float64s(measured.FirstAnswerMs)
	text, err := json.MarshalIndent(measured, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("first answer: median %.1f ms, best %.1f, worst %.1f over %d starts; idle: %.1f MiB",
		measured.FirstAnswerMs[starts/2], measured.FirstAnswerMs[0], measured.FirstAnswerMs[starts-1], starts, measured.IdleRSSMiB)
	if folder := os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "boot.json"), append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// start runs one host to its first answer, and, if idle is wanted, on until its memory can be read.
func start(t *testing.T, binary string, idle bool) (answer time.Duration, resident int64) {
	t.Helper()
	home := t.TempDir()
	host := exec.Command(binary, "web", "--port", "0", "--no-open", "--home", home)
	host.Dir = home
	host.Stderr = os.Stderr
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := host.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := host.Wait(); err != nil {
			t.Errorf("keylane web did not stop with 0: %v", err)
		}
	}()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("keylane web printed no address: %v", err)
	}
	at := strings.Index(line, "http://")
	if at < 0 {
		t.Fatalf("keylane web printed %q, want an address", line)
	}
	response, err := http.Get(strings.TrimSpace(line[at:]))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	answer = time.Since(began)
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(page), "<script") {
		t.Fatalf("the start page is no page: status %d, %v:\n%s", response.StatusCode, err, page)
	}
	http.DefaultClient.CloseIdleConnections()
	if idle {
		<-time.After(settle)
		resident = residentBytes(t, host.Process.Pid)
	}
	return answer, resident
}

// residentBytes reads VmRSS of proc(5).
func residentBytes(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	t.Fatal("there is no VmRSS in the process's status")
	return 0
}
