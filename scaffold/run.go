package scaffold

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"go.uber.org/goleak"

	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/llm"
	"keylane/host/webserver"
	"keylane/replay"
	"keylane/scaffold/await"
	"keylane/scaffold/fixture"
)

// Run runs one scenario in the mode that KEYLANE_MODE names.
func Run(t T, scenario Scenario) {
	t.Helper()
	mode, err := modeFromEnvironment()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := errors.Join(onlyMutantsAreChanged(t, scenario), scenario.lossesHaveACause()); err != nil {
		t.Fatalf("%v", err)
	}
	if *serving {
		defer endServing(t)
	}
	if mode == Record && scenario.Fixture {
		recordAndReplay(t, scenario)
		return
	}
	play(t, scenario, mode, scenario.fixtureFolder())
}

// onlyMutantsAreChanged refuses a scenario that replays another log, or shows another page, than there is.
func onlyMutantsAreChanged(t T, scenario Scenario) error {
	if _, mutant := t.(*trial); mutant || scenario.Mutate == nil && len(scenario.Edits) == 0 {
		return nil
	}
	return fmt.Errorf("scaffold: %s changes what it is about (Mutate or Edits): that is for mutants, inside of scaffold.Trial", scenario.Name)
}

// play runs the scenario against a recorded fixture.
func play(t T, scenario Scenario, mode Mode, fixtureFolder string) {
	t.Helper()
	perform(t, scenario, mode, func(s *Stage, registry *llm.Registry) {
		t.Helper()
		if !scenario.Fixture {
			return
		}
		recorded, err := fixture.Load(fixtureFolder)
		if err != nil {
			t.Fatalf("%v", err)
		}
		values := fixture.Values{Cwd: s.Folders.Workspace, Home: s.Folders.Home}
		s.recorded, err = replay.Install(registry, replay.Options{
			Fixture:  recorded.LogPath(),
			Override: recorded.OverridePath(),
			Pace:     scenario.Pace,
			Clock:    scenario.Clock,
			Marker:   s.mark,
			Transform: func(text []byte) []byte {
				if scenario.Mutate != nil {
					text = scenario.Mutate(text)
				}
				return fixture.Fill(text, values)
			},
		})
		if err != nil {
			t.Fatalf("%v", err)
		}
	}, func(s *Stage) {
		if *serving {
			defer s.serve() // also when the gestures fail: that is something to look at
		}
		scenario.Drive(s)
		if scenario.Check != nil && !*serving {
			scenario.Check(s)
		}
	})
}

// perform makes the world, the page and the tripwires, lets arm fill the model's slot, acts, and takes everything down again. Every
// part of the end is attempted, whatever happened before.
func perform(t T, scenario Scenario, mode Mode, arm func(*Stage, *llm.Registry), act func(*Stage)) {
	t.Helper()
	noteBegun(t, scenario)
	ctx := await.Context(t)
	engine, err := browser(ctx)
	if err != nil {
		t.Fatalf("%v", err)
	}
	goroutines := goleak.IgnoreCurrent()
	processes, err := children()
	if err != nil {
		t.Fatalf("%v", err)
	}
	folders, err := temporary()
	if err != nil {
		t.Fatalf("%v", err)
	}
	before := remains{goroutines, processes, folders}
	told := &witness{T: t}
	s := &Stage{T: told, witness: told, Context: ctx, scenario: scenario, mode: mode, engine: engine}
	hostLog := &s.hostLog
	s.timeline.start = time.Now()
	s.world, err = newWorld(ctx, engine.Folder(), scenario, slog.New(slog.NewTextHandler(hostLog, nil)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	finished := false
	defer func() {
		// The host is closed whatever happens; ctx may be over by then, so the end has time of its own.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToEnd(t))
		defer cancel()
		err := s.end(end, before, finished, hostLog.String())
		s.noteEnded(err, finished)
		if err != nil {
			t.Errorf("%v", err)
		}
		if err != nil && *serving {
			fmt.Fprintln(os.Stderr, err) // the process ends before the test would print it
		}
	}()
	registry, err := s.meet()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := s.openPage(ctx); err != nil {
		t.Fatalf("%v", err)
	}
	arm(s, registry)
	if _, mutant := t.(*trial); !mutant {
		defer s.watch(ctx, t)()
	}
	act(s)
	finished = !*serving
}

// remains is what there was before a scenario, and may be there after it.
type remains struct {
	goroutines goleak.Option
	processes  map[int]string
	folders    map[string]bool
}

// meet looks the services of the booted host up and begins to observe its model calls; that ends with the host.
func (s *Stage) meet() (*llm.Registry, error) {
	var err error
	if s.agents, err = service(s.world, agent.Service); err != nil {
		return nil, err
	}
	if s.api, err = service(s.world, api.Service); err != nil {
		return nil, err
	}
	server, err := service(s.world, webserver.Service)
	if err != nil {
		return nil, err
	}
	registry, err := service(s.world, llm.Service)
	if err != nil {
		return nil, err
	}
	registry.Observe(func(request llm.Request, err error) {
		s.strays.saw(request, err)
		s.changed.Notify()
	})
	if err := s.reachBy("http://" + server.Address()); err != nil {
		return nil, err
	}
	s.Folders = s.world.folders
	s.Provider = s.world.provider
	return registry, nil
}

func (s *Stage) openPage(ctx context.Context) error {
	options := s.scenario.Page
	options.RootAttributes = slices.Concat(rootAttributes, options.RootAttributes)
	var err error
	if s.visit, err = s.engine.NewContext(ctx, options); err != nil {
		return fmt.Errorf("scaffold: opening a browser context: %w", err)
	}
	if s.Page, err = s.visit.NewPage(ctx); err != nil {
		return fmt.Errorf("scaffold: opening a page: %w", err)
	}
	return nil
}

// end checks the tripwires, closes page and host, and looks for what is left. Its error names everything; a scenario that already
// failed gets its report as well.
func (s *Stage) end(ctx context.Context, before remains, finished bool, hostLog string) error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if s.visit != nil {
		for _, trip := range s.tripped() {
			if *serving {
				break // a person may do anything
			}
			problem("scaffold: %s", trip)
		}
		if _, missing := expected(s.visit.Feed().All(), s.scenario.WantErrors); finished && s.mode != Record { // Check does not run while recording
			for _, each := range missing {
				problem("scaffold: the page did not report the error that the scenario is about: %s", each)
			}
		}
		for _, missing := range s.notCaused() {
			if finished {
				problem("scaffold: %s", missing)
			}
		}
	}
	if err := ended(); err != nil {
		problem("scaffold: %w", err)
	}
	if s.recorded != nil {
		// A scenario that ended early has calls left over, and its own failure is the news.
		if err := s.recorded.AssertConsumed(); err != nil && finished {
			problem("%w", err)
		}
		s.recorded.Dispose()
	}
	if s.Provider != nil && finished {
		for _, each := range s.Provider.Problems() {
			problem("scaffold: the provider's script does not fit the scenario: %s", each)
		}
	}
	if len(problems) > 0 || s.Failed() {
		problems = append(problems, s.writeReport(ctx, errors.Join(problems...), hostLog))
	}
	if s.visit != nil && s.engine.Err() == nil {
		if err := s.visit.Close(ctx); err != nil {
			problem("scaffold: closing the page: %w", err)
		}
	}
	if s.Proxy != nil {
		if err := s.Proxy.Close(); err != nil {
			problem("scaffold: closing the proxy: %w", err)
		}
	}
	if err := s.world.close(ctx); err != nil {
		problem("%w", err)
	}
	return errors.Join(append(problems, s.leaks(before)...)...)
}

// leaks tells what outlived the scenario.
func (s *Stage) leaks(before remains) []error {
	var problems []error
	processes, err := leakedProcesses(before.processes)
	problems = append(problems, err)
	folders, err := leakedFolders(before.folders)
	problems = append(problems, err)
	for _, leak := range append(processes, folders...) {
		problems = append(problems, errors.New("scaffold: "+leak))
	}
	// A Chromium that died leaves its connection's goroutines to whoever closes it.
	if s.engine.Err() == nil {
		if err := goleak.Find(before.goroutines); err != nil {
			problems = append(problems, fmt.Errorf("scaffold: goroutines outlived the scenario: %w", err))
		}
	}
	return problems
}
