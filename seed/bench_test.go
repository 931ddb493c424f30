package seed_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/search"
	"keylane/host/search/fulltext"
	"keylane/seed"
)

// The figures of docs/host.md, "Sessions on disk":
//
//	go test ./seed -run '^$' -bench Sessions -sessions.million
//
// Every figure is taken in a new process that opens the store and does one thing; the time is that thing's, from opening the store on, and
// the memory the most that the process ever had.

var (
	million = flag.Bool("sessions.million", false, "measure a log of a million events too; making it takes a while")
	asked   = flag.String("sessions.measure", "", "what this process is to measure: root|cache|list, root|cache|id or root|cache|search|query")
)

type figures struct {
	Took   time.Duration
	CPU    time.Duration // of the whole process, its start too: what it would take at most on a machine with nothing else to do
	PeakKB int
	Found  int
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *asked == "" {
		os.Exit(m.Run())
	}
	if err := measure(strings.Split(*asked, "|")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(what []string) error {
	var out figures
	start := time.Now()
	store, err := jsonl.New(jsonl.Config{Root: what[0], Cache: what[1], PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	switch what[2] {
	case "search":
		index := fulltext.New(fulltext.Options{Store: store, Folder: filepath.Join(what[1], "search"), Logger: slog.New(slog.DiscardHandler)})
		answer, err := index.Search(background, search.Parse(what[3]))
		if err != nil {
			return err
		}
		out.Found = len(answer.Hits)
		out.Took = time.Since(start)
		if err := index.Close(background); err != nil {
			return err
		}
	case "list":
		entries, err := store.List(background)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Title != "" && e.LastActivity > 0 {
				out.Found++
			}
		}
	default:
		page, err := store.Page(background, what[2], -1, 24)
		if err != nil {
			return err
		}
		out.Found = len(page.Events)
	}
	if out.Took == 0 {
		out.Took = time.Since(start)
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	out.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &out.PeakKB) // of all the lines one is it
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// inNewProcess measures one thing.
func inNewProcess(b *testing.B, root, cache, what string) figures {
	b.Helper()
	text, err := exec.Command(os.Args[0], "-sessions.measure="+root+"|"+cache+"|"+what).Output()
	var out figures
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil || out.Found == 0 {
		b.Fatalf("%s: %s, %v", what, text, err)
	}
	return out
}

func BenchmarkSessions(b *testing.B) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name      string
		histories []seed.History
		what      string
		skip      bool
	}{
		{"list of 1000 sessions", many(1000, at), "list", false},
		{"search of a common word in 1000 sessions", many(1000, at), "search|lock", false},
		{"search of a rare word in 1000 sessions", many(1000, at), "search|prompt-5", false},
		{"search of a common word in 1000 long sessions", longer(many(1000, at), 40), "search|lock", !*million},
		{"search of a rare word in 1000 long sessions", longer(many(1000, at), 40), "search|prompt-44", !*million},
		{"tail page of 500 turns", []seed.History{{SessionID: "long", Cwd: "/srv/ada", Turns: 500, LastActivity: at}}, "long", false},
		{"tail page of 1000000 events", []seed.History{{SessionID: "huge", Cwd: "/srv/ada", Turns: 2494, Chunks: 390, LastActivity: at}}, "huge", !*million},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.skip {
				b.Skip("ask for it with -sessions.million")
			}
			root, cache := filepath.Join(b.TempDir(), "sessions"), filepath.Join(b.TempDir(), "cache")
			store, err := jsonl.New(jsonl.Config{Root: root, PackChunks: true}, clock.System())
			if err != nil {
				b.Fatal(err)
			}
			for _, h := range c.histories {
				if _, err := seed.Generate(background, store, h); err != nil {
					b.Fatal(err)
				}
			}
			if err := store.Close(background); err != nil {
				b.Fatal(err)
			}
			building := inNewProcess(b, root, cache, c.what)
			var sum figures
			b.ResetTimer()
			for range b.N {
				one := inNewProcess(b, root, cache, c.what)
				sum.Took += one.Took
				sum.CPU += one.CPU
				sum.PeakKB = max(sum.PeakKB, one.PeakKB)
			}
			b.ReportMetric(float64(sum.Took.Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(float64(sum.CPU.Microseconds())/1000/float64(b.N), "ms-processor")
			b.ReportMetric(float64(sum.PeakKB)/1024, "MB-peak")
			b.ReportMetric(float64(building.Took.Microseconds())/1000, "ms-building-index")
			b.ReportMetric(float64(building.PeakKB)/1024, "MB-peak-building")
		})
	}
}

// longer are the same sessions with more turns each.
func longer(histories []seed.History, turns int) []seed.History {
	for i := range histories {
		histories[i].Turns += turns
	}
	return histories
}

// many is a store as it is after a year: most sessions short, in twenty folders.
func many(count int, at time.Time) []seed.History {
	out := make([]seed.History, count)
	for i := range out {
		out[i] = seed.History{SessionID: fmt.Sprintf("session-%04d", i), Cwd: fmt.Sprintf("/srv/project-%d", i%20), Turns: 1 + i%5, LastActivity: at.Add(-time.Duration(i) * time.Hour)}
	}
	return out
}
