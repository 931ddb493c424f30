package scaffold

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"keylane/scaffold/golden"
)

// ends is how the scenarios of this test binary ended, for the accounts beside what they captured. Several test functions may run one
// scenario; what breaks in one of them counts for it.
var ends = struct {
	mu     sync.Mutex          // guards the fields below; taken after directories.mu where both are
	open   map[string]int      // by scenario: how many of its runs have begun and not ended
	broken map[string][]string // by scenario: what failed besides goldens, in one line each
}{open: map[string]int{}, broken: map[string][]string{}}

// noteBegun remembers that a scenario has begun. Mutants are no news.
func noteBegun(t T, scenario Scenario) {
	if _, mutant := t.(*trial); mutant {
		return
	}
	ends.mu.Lock()
	defer ends.mu.Unlock()
	ends.open[scenario.Name]++
}

// noteEnded remembers that a scenario ended, and what it failed by besides its goldens.
func (s *Stage) noteEnded(end error, finished bool) {
	if _, mutant := s.witness.T.(*trial); mutant {
		return
	}
	var broken []string
	told := s.witness.told()
	if other := len(told) - s.pinned.told; other > 0 {
		broken = append(broken, fmt.Sprintf("accepting goldens would not mend %d of its failures", other))
	}
	if len(told) == 0 && s.Failed() {
		broken = append(broken, "it failed by itself")
	}
	if !finished {
		broken = append(broken, "it ended early")
	}
	if end != nil {
		first, _, _ := strings.Cut(end.Error(), "\n")
		broken = append(broken, first)
	}
	ends.mu.Lock()
	defer ends.mu.Unlock()
	ends.open[s.scenario.Name]--
	ends.broken[s.scenario.Name] = append(ends.broken[s.scenario.Name], broken...)
}

// leaveAccounts leaves an account of each scenario of this test binary beside its captures, for //tools:accept. Complete says that the
// run was not narrowed. What is replayed while recording has no account: its fixture is not the one in the tree.
func leaveAccounts(complete bool) error {
	if mode, err := modeFromEnvironment(); err != nil || mode == Record {
		return err
	}
	directories.mu.Lock()
	defer directories.mu.Unlock()
	ends.mu.Lock()
	defer ends.mu.Unlock()
	var problems []error
	for scenario, open := range ends.open {
		directory := directories.byName[scenario]
		if directory == nil {
			directory = &golden.Directory{Path: Scenario{Name: scenario}.goldenFolder()}
		}
		account, err := directory.Account(scenario)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		account.Complete = complete
		account.Broken = append(account.Broken, ends.broken[scenario]...)
		if open > 0 {
			account.Broken = append(account.Broken, "it did not come to its end")
		}
		text, err := account.Print()
		problems = append(problems, err)
		if err == nil {
			problems = append(problems, leave(filepath.Join("goldens", golden.AccountName(scenario)), text))
		}
	}
	return errors.Join(problems...)
}
