// Package tripwires_test breaks one thing at a time and sees red: a guard that nothing can trip guards nothing.
package tripwires_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Say hello to the tripwires."

// conversation is the region that goldens hold.
var conversation = chromium.Role("main", "Conversation")

// quiet is the scenario that trips nothing; every mutant is this one with one thing broken.
func quiet() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "tripwires",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) { s.WantTurns("completed") },
	}
}

func TestTheQuietScenarioTripsNothing(t *testing.T) {
	scaffold.Run(t, quiet())
}

// worker is the shared worker's bundle.
const worker = "assets/events.js"

// atTheWorkersStart makes the shared worker run a script before its own.
func atTheWorkersStart(script string) []scaffold.Edit {
	return []scaffold.Edit{{File: worker, Find: "^", Put: script}}
}

// script runs an expression in the page once the turn is over, and lets the page draw.
func script(expression string) func(*scaffold.Stage) {
	return func(s *scaffold.Stage) {
		if _, err := chromium.Eval[any](s.Context, s.Page, expression); err != nil {
			s.Fatalf("running the mutant's script: %v", err)
		}
		if err := s.Page.Frames(s.Context, 2); err != nil {
			s.Fatalf("drawing: %v", err)
		}
	}
}

func TestEachTripwireTrips(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		says  []string // each must occur in some failure
		spoil func(*scaffold.Scenario)
	}{
		{"stray call", []string{"stray model call", "NO_ADAPTER"}, func(s *scaffold.Scenario) { s.Fixture = false }},
		{"left-over call", []string{"was not consumed as recorded", prompt}, func(s *scaffold.Scenario) {
			s.Drive = func(s *scaffold.Stage) { s.Open("/") }
			s.Check = nil
		}},
		{"wrong prompt", []string{"Say something else.", prompt}, func(s *scaffold.Scenario) {
			s.Drive = func(s *scaffold.Stage) {
				s.Open("/")
				s.Send("Say something else.")
				s.Settle()
			}
		}},
		{"page error", []string{"page error", "the page broke"}, func(s *scaffold.Scenario) {
			s.Check = script(`setTimeout(() => { throw new Error("the page broke") }); new Promise((done) => setTimeout(done, 20))`)
		}},
		{"rejected promise", []string{"page error", "nobody caught this"}, func(s *scaffold.Scenario) {
			s.Check = script(`Promise.reject(new Error("nobody caught this")); null`)
		}},
		{"console error", []string{"console error", "the page complains"}, func(s *scaffold.Scenario) {
			s.Check = script(`console.error("the page complains")`)
		}},
		{"connection loss", []string{"connection loss", "retry #1"}, func(s *scaffold.Scenario) {
			s.Check = script(`console.warn("[keylane] connection lost, retry #1")`)
		}},
		{"policy violation", []string{"policy violation", "script-src"}, func(s *scaffold.Scenario) {
			s.Check = script(`{ const inline = document.createElement("script"); inline.textContent = "1"; document.body.append(inline); null }`)
		}},
		{"error in the shared worker", []string{"page error", "shared_worker", "the worker broke"}, func(s *scaffold.Scenario) {
			s.Edits = atTheWorkersStart(`setTimeout(()=>{throw new Error("the worker broke")});`)
		}},
		{"console error in the shared worker", []string{"console error", "shared_worker", "the worker complains"}, func(s *scaffold.Scenario) {
			s.Edits = atTheWorkersStart(`console.error("the worker complains");`)
		}},
		{"connection loss in the shared worker", []string{"connection loss", "shared_worker", "retry #1"}, func(s *scaffold.Scenario) {
			s.Edits = []scaffold.Edit{{File: worker, Find: "`/api/events\\.", Put: "`/api/never."}}
		}},
		{"request of the shared worker that the policy forbids", []string{"console error", "shared_worker", "keylane.example", "violates"}, func(s *scaffold.Scenario) {
			s.Edits = atTheWorkersStart(`fetch("http://keylane.example/").catch(()=>{});`)
		}},
		{"missing golden", []string{"no-such-state", "./bazelw run //tools:refresh -- tripwires"}, func(s *scaffold.Scenario) {
			s.Check = func(s *scaffold.Stage) { s.Golden("no-such-state", conversation) }
		}},
		{"leaked process", []string{"outlived the scenario", "sleep 600"}, func(s *scaffold.Scenario) {
			s.Check = func(s *scaffold.Stage) {
				command := exec.Command("sleep", "600")
				if err := command.Start(); err != nil {
					s.Fatalf("starting the process to leak: %v", err)
				}
				t.Cleanup(func() {
					_ = command.Process.Kill() // the leak was the point; now it goes
					_ = command.Wait()
				})
			}
		}},
		{"leaked goroutine", []string{"goroutines outlived the scenario"}, func(s *scaffold.Scenario) {
			s.Check = func(*scaffold.Stage) {
				release := make(chan struct{})
				go func() { <-release }()
				t.Cleanup(func() { close(release) })
			}
		}},
		{"a turn that ended otherwise", []string{"ended otherwise"}, func(s *scaffold.Scenario) {
			s.Check = func(s *scaffold.Stage) { s.WantTurns("aborted") }
		}},
		{"Chromium killed in the middle", []string{"chromium exited in the middle"}, func(s *scaffold.Scenario) {
			s.Check = func(s *scaffold.Stage) {
				if err := syscall.Kill(s.BrowserPID(), syscall.SIGKILL); err != nil {
					s.Fatalf("killing Chromium: %v", err)
				}
				s.WaitFor(chromium.Role("button", "a button that never comes"))
			}
		}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := quiet()
			mutant.spoil(&broken)
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			if failures == "" {
				t.Fatal("nothing tripped")
			}
			for _, words := range mutant.says {
				if !strings.Contains(failures, words) {
					t.Errorf("no failure says %q:\n%s", words, failures)
				}
			}
		})
	}
}
