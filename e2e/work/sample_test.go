package work_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"keylane/scaffold/chromium"
)

// sample is how much the host and the page hold after a part of a round.
type sample struct {
	At           string
	After        string
	HostRSSKiB   int
	HostFiles    int
	HostThreads  int
	PageHeapKiB  int // after a collection
	PageElements int
}

func (p *person) sample(after string) {
	p.Helper()
	pid := p.m.command.Process.Pid
	s := sample{At: time.Now().Format("15:04:05"), After: after}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		p.Fatalf("%v", err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case fields[0] == "VmRSS:":
			s.HostRSSKiB, _ = strconv.Atoi(fields[1])
		case fields[0] == "Threads:":
			s.HostThreads, _ = strconv.Atoi(fields[1])
		}
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		p.Fatalf("%v", err)
	}
	s.HostFiles = len(files)
	ctx, cancel := p.within(30 * time.Second)
	defer cancel()
	if _, err := chromium.Call(ctx, p.page, cdp.Command[cdp.Empty, cdp.Empty]{Method: "HeapProfiler.collectGarbage"}, cdp.Empty{}); err != nil {
		p.Fatalf("%v", err)
	}
	heap, err := chromium.Call(ctx, p.page, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		p.Fatalf("%v", err)
	}
	s.PageHeapKiB = int(heap.UsedSize / 1024)
	s.PageElements = eval[int](p, "document.querySelectorAll('*').length")
	p.samples = append(p.samples, s)
	p.Logf("%+v", s)
}

// family lists the processes below the host, with their command lines.
func (m *machine) family() []string {
	parents := map[int]int{}
	lines := map[int]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[1])
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		lines[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	var below []string
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == m.command.Process.Pid {
				below = append(below, lines[pid])
				break
			}
		}
	}
	return below
}
