package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"keylane/scaffold/aria"
	"keylane/scaffold/chromium"
	"keylane/scaffold/golden"
)

// pinned is what a run captured, for its goldens and its report.
type pinned struct {
	directory  *golden.Directory
	normaliser golden.Normaliser
	mu         sync.Mutex // guards failed: a report may be written while the scenario hangs
	failed     []capture
	told       int // failures that accepting the captures would mend
}

// A capture is one golden that did not hold, with what the page looked like at that moment.
type capture struct {
	result     golden.Result
	screenshot []byte
}

// AcceptCommand is the command that takes over what the last run of a scenario captured.
func AcceptCommand(scenario string) string { return "./bazelw run //tools:accept -- " + scenario }

func (p *pinned) note(c capture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = append(p.failed, c)
}

func (p *pinned) captures() []capture {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.failed)
}

// RefreshCommand is the command that takes over a scenario's goldens.
func RefreshCommand(scenario string) string { return "./bazelw run //tools:refresh -- " + scenario }

// directories are the golden directories of this test binary by scenario: several test functions may capture states of one
// scenario, and the inventory is closed over all of them.
var directories struct {
	mu        sync.Mutex // guards the fields below
	byName    map[string]*golden.Directory
	temporary string // where captures go when nobody collects outputs; removed by Main
}

// goldens prepares the scenario's golden directory for this run.
func (s *Stage) goldens() (*pinned, error) {
	if s.pinned.directory != nil {
		return &s.pinned, nil
	}
	var err error
	if _, mutant := s.witness.T.(*trial); mutant {
		// What a mutant captures is its own: it may not stand for the scenario's states, nor be taken for its goldens.
		s.pinned.directory = s.goldensIn(filepath.Join(s.world.root, "captures"))
	} else if s.pinned.directory, err = s.sharedGoldens(); err != nil {
		return nil, err
	}
	// The workspace's base name needs no token: it is the same in every run, and a word that texts use.
	s.pinned.normaliser = golden.Normaliser{Literals: []golden.Literal{
		{Text: s.Folders.Workspace, Token: "{{cwd}}"},
		{Text: s.Folders.Home, Token: "{{home}}"},
	}}
	return &s.pinned, nil
}

// sharedGoldens is the scenario's golden directory in this test binary.
func (s *Stage) sharedGoldens() (*golden.Directory, error) {
	directories.mu.Lock()
	defer directories.mu.Unlock()
	if directory := directories.byName[s.scenario.Name]; directory != nil {
		return directory, nil
	}
	folder := outputs()
	if folder == "" {
		if directories.temporary == "" {
			made, err := os.MkdirTemp("", "keylane-captures-")
			if err != nil {
				return nil, fmt.Errorf("scaffold: making a folder for captures: %w", err)
			}
			directories.temporary = made
		}
		folder = directories.temporary
	}
	if directories.byName == nil {
		directories.byName = map[string]*golden.Directory{}
	}
	directory := s.goldensIn(filepath.Join(folder, "goldens"))
	directories.byName[s.scenario.Name] = directory
	return directory, nil
}

// goldensIn compares with the scenario's goldens and leaves new ones in a folder.
func (s *Stage) goldensIn(outputs string) *golden.Directory {
	return &golden.Directory{
		Path: s.scenario.goldenFolder(), Outputs: outputs, Refresh: s.mode != Replay, Command: RefreshCommand(s.scenario.Name),
	}
}

// checkInventories fails when a golden directory holds a golden that no state of this test binary captures. It judges complete runs
// only: one that was narrowed to some tests, or failed, captured too little to judge by.
func checkInventories() error {
	directories.mu.Lock()
	defer directories.mu.Unlock()
	var problems []error
	for _, directory := range directories.byName {
		problems = append(problems, directory.CheckInventory())
	}
	return errors.Join(problems...)
}

// Golden captures the region at rest and compares it with goldens/<scenario>/<state>.aria. A difference fails the scenario but
// does not end it, so that one run yields every state. The same state may be captured again, after a reload for instance, and must
// then be the same. Drive may capture what Check would come too late for; while a session is being recorded, that does nothing.
func (s *Stage) Golden(state string, region chromium.Query) {
	s.Helper()
	if s.recording || *serving {
		return
	}
	s.check("golden "+state, func() {
		s.Helper()
		tree, err := s.capture(region)
		if err != nil {
			s.Fatalf("scaffold: capturing %s for the golden %q: %v", region, state, err)
		}
		p, err := s.goldens()
		if err != nil {
			s.Fatalf("%v", err)
		}
		s.judge(p.directory.Compare(state, p.normaliser.Tree(tree)))
	})
}

// GoldenText compares a text with goldens/<scenario>/<state>.txt, as Golden does a region. It is for what people do not meet on the
// page, such as the words of a model request; what they do meet is Golden's.
func (s *Stage) GoldenText(state, text string) {
	s.Helper()
	if s.recording || *serving {
		return
	}
	s.check("golden "+state, func() {
		s.Helper()
		p, err := s.goldens()
		if err != nil {
			s.Fatalf("%v", err)
		}
		s.judge(p.directory.CompareText(state, p.normaliser.String(text)))
	})
}

// judge takes note of a comparison and fails the scenario if it does not hold, without ending it.
func (s *Stage) judge(result golden.Result) {
	s.Helper()
	s.timeline.note("lane", fmt.Sprintf("golden %s: %s", result.State, describe(result)))
	if result.Err == nil {
		return
	}
	if result.Acceptable() {
		s.pinned.told++
	}
	for _, before := range s.pinned.captures() {
		if before.result.State == result.State && before.result.Got == result.Got {
			s.Errorf("scaffold: the state %q was captured again and differs from its golden as before\n%s", result.State, RefreshCommand(s.scenario.Name))
			return
		}
	}
	screenshot, err := s.Page.Screenshot(s.Context)
	if err != nil {
		s.Logf("scaffold: no screenshot of the state %q: %v", result.State, err)
	}
	s.pinned.note(capture{result, screenshot})
	s.Errorf("%v", result.Err)
}

func describe(result golden.Result) string {
	if result.Err != nil {
		return "does not hold"
	}
	return "holds"
}

// capture reads the region's accessibility tree once it is at rest.
func (s *Stage) capture(region chromium.Query) (aria.Tree, error) {
	if _, err := s.Page.WaitFor(s.Context, region); err != nil {
		return aria.Tree{}, err
	}
	read := func(ctx context.Context) (aria.Tree, error) {
		tree, err := s.Page.AXTree(ctx, region)
		if err != nil {
			return aria.Tree{}, err
		}
		return aria.Build(aria.Source{Nodes: tree.Nodes, Root: tree.Root, Current: tree.Current})
	}
	return chromium.Stable(s.Context, s.Page, read, aria.Tree.Equal)
}
