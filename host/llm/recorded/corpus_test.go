package recorded_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// corpus is the folder of real logs; KEYLANE_CORPUS names it where it is not beside the checkout, absolute or below TEST_SRCDIR.
func corpus(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("KEYLANE_CORPUS")
	switch {
	case folder == "":
		folder = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(os.Getenv("TEST_SRCDIR"), folder)
	}
	logs := filepath.Join(folder, "dsh-logs")
	if _, err := os.Stat(logs); err != nil {
		t.Skipf("SKIPPED: no corpus of real logs: %v (set KEYLANE_CORPUS)", err)
	}
	return logs
}

// Every real log that holds complete model calls gives a script; the table in the test's output says how many, and why the rest do not.
func TestRealLogsDeriveScripts(t *testing.T) {
	logs := corpus(t)
	reasons := map[string][]string{}
	for _, kind := range []struct{ name, pattern string }{{"projected", "*.jsonl"}, {"enveloped", "*.jsonl"}, {"on-disk", "*/*/*.jsonl.zstd"}} {
		paths, err := filepath.Glob(filepath.Join(logs, kind.name, kind.pattern))
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, path := range paths {
			outcome, calls := deriveFile(t, path)
			counts[outcome]++
			counts["logs"]++
			counts["calls"] += calls
			if outcome != "derived" {
				reasons[outcome] = append(reasons[outcome], kind.name+"/"+filepath.Base(path))
			}
		}
		t.Logf("%-10s %3d logs: %3d derive (%d model calls), %d without model calls, %d with a cut call", kind.name, counts["logs"], counts["derived"],
			counts["calls"], counts["no model call"], counts["cut"])
		if counts["derived"] == 0 || counts["derived"]+counts["no model call"]+counts["cut"] != counts["logs"] {
			t.Errorf("%s: %v", kind.name, counts)
		}
	}
	for outcome, names := range reasons {
		sort.Strings(names)
		t.Logf("%s:\n  %s", outcome, strings.Join(names, "\n  "))
	}
}

func deriveFile(t *testing.T, path string) (outcome string, calls int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var reader io.Reader = file
	if filepath.Ext(path) == ".zstd" {
		unpacked, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer unpacked.Close()
		reader = unpacked
	}
	header, events, err := session.Read(reader, session.ReadOptions{Lenient: true})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return "unreadable", 0
	}
	scripts, err := recorded.DeriveSession(header, events)
	cut, other := recorded.Unfinished(err)
	if other != nil {
		t.Errorf("%s: %v", path, other)
		return "broken", 0
	}
	if err := assembles(events[header.SeedLength:], scripts); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	for _, script := range scripts {
		calls += len(script.Calls)
	}
	switch {
	case len(cut) > 0:
		return "cut", calls
	case calls == 0:
		return "no model call", 0
	}
	return "derived", calls
}

// assembles checks that every derived call is a stream that follows the rules, and that nothing of the log was lost.
func assembles(events []session.Event, scripts []recorded.Script) error {
	chunks := 0
	for _, script := range scripts {
		for _, call := range script.Calls {
			var assembler llm.Assembler
			for _, chunk := range call.Chunks {
				if err := assembler.Add(chunk); err != nil {
					return fmt.Errorf("turn %d step %d: %w", call.Turn, call.Step, err)
				}
			}
			if script.Purpose == llm.PurposeTurn {
				chunks += len(call.Chunks)
			}
		}
	}
	for _, event := range events {
		if event.Type == session.TypeAssistantChunk {
			chunks--
		}
	}
	if chunks != 0 {
		return fmt.Errorf("the scripts have %+d chunks compared with the log", chunks)
	}
	return nil
}
