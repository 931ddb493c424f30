// Package work_test works with keylane for as long as a person would: the built command over a clone of a real repository, a scripted
// provider that speaks the vendor's wire format, and the pinned Chromium in which somebody prompts, approves, answers, stops, queues, steers,
// reloads and comes back. After each part of a round it checks that the page is what a reload would make of it, that every log is whole, that
// the repository holds exactly what was asked for, and that nothing was left running.
//
// It takes long and needs a Go toolchain and a repository, so it is no part of any gate:
//
//	./bazelw test //e2e/work --test_output=streamed --test_env=KEYLANE_WORK_REPOSITORY=$PWD --test_env=PATH --test_env=HOME
//
// Without an argument it works one round, `--test_arg=-minutes=60` rounds until an hour is over. What it measured is in figures.json, and
// screenshots are beside it, in the test's undeclared outputs.
package work_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keylane/scaffold"
)

var minutes = flag.Float64("minutes", 0, "work rounds until so many minutes are over; 0 is one round")

func TestMain(m *testing.M) { scaffold.Main(m) }

// outputs is where figures and screenshots go.
func outputs(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR"); folder != "" {
		return folder
	}
	return t.TempDir()
}

// figures are what the run amounts to.
type figures struct {
	Rounds    int
	Minutes   float64
	Prompts   int
	Turns     int
	ToolCalls int
	Requests  int
	ByTool    map[string]int
	Events    map[string]int // by type, of all sessions
	Samples   []sample
}

func TestARoundOfWorkLeavesEverythingAsItSays(t *testing.T) {
	m := newMachine(t)
	m.boot()
	p := m.person(t)
	p.open("/")
	begin := time.Now()
	rounds := 0
	for !t.Failed() && (rounds == 0 || time.Since(begin).Minutes() < *minutes) {
		rounds++
		p.round(rounds)
	}
	totals := m.totals()
	totals.Rounds, totals.Minutes, totals.Prompts, totals.Samples = rounds, time.Since(begin).Minutes(), p.prompts, p.samples
	totals.Requests = len(m.provider.Exchanges())
	text, err := json.MarshalIndent(totals, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outputs(t), "figures.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	for _, problem := range m.provider.Problems() {
		t.Errorf("the provider: %s", problem)
	}
}
