package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold/golden"
)

// A silent T keeps its failures to itself, and is no mutant's.
type silent struct {
	*testing.T
	failed bool
}

func (s *silent) Errorf(string, ...any) { s.failed = true }
func (s *silent) Fatalf(string, ...any) { s.failed = true }
func (s *silent) Failed() bool          { return s.failed }

func TestAnAccountTellsGoldensFromEverythingElse(t *testing.T) {
	for _, c := range []struct {
		name, says string // says: "" where accepting the goldens would mend all
		happens    func(s *Stage)
		end        error
		early      bool
	}{
		{name: "nothing"},
		{name: "a golden differs", happens: func(s *Stage) { s.Errorf("differs"); s.pinned.told++ }},
		{name: "an assertion fails as well", says: "would not mend 1 of its failures", happens: func(s *Stage) { s.Errorf("differs"); s.pinned.told++; s.Errorf("other turns") }},
		{name: "the test fails beside its stage", says: "it failed by itself", happens: func(s *Stage) { s.witness.T.Errorf("by itself") }},
		{name: "a tripwire", says: "the page reported an error", end: errors.New("the page reported an error\nmore of it")},
		{name: "it never came to its end", says: "ended early", early: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder)
			t.Setenv(ModeVariable, "")
			ends.open, ends.broken = map[string]int{}, map[string][]string{}
			t.Cleanup(func() { ends.open, ends.broken = map[string]int{}, map[string][]string{} })
			told := &witness{T: &silent{T: t}}
			s := &Stage{T: told, witness: told, scenario: Scenario{Name: "example"}}
			noteBegun(told.T, s.scenario)
			if c.happens != nil {
				c.happens(s)
			}
			s.noteEnded(c.end, !c.early)
			account := accountIn(t, folder)
			if all := strings.Join(account.Broken, "; "); c.says == "" && all != "" || !strings.Contains(all, c.says) {
				t.Errorf("the account says %q, want %q", all, c.says)
			}
		})
	}
}

func TestAScenarioThatHasNotEndedIsBrokenInItsAccount(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder)
	t.Setenv(ModeVariable, "")
	t.Cleanup(func() { ends.open = map[string]int{} })
	noteBegun(t, Scenario{Name: "example"})
	if account := accountIn(t, folder); len(account.Broken) != 1 || !strings.Contains(account.Broken[0], "did not come to its end") {
		t.Errorf("the account says %q", account.Broken)
	}
}

func accountIn(t *testing.T, folder string) golden.Account {
	t.Helper()
	if err := leaveAccounts(true); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "goldens", "example.json"))
	if err != nil {
		t.Fatal(err)
	}
	account, err := golden.ParseAccount(text)
	if err != nil {
		t.Fatal(err)
	}
	return account
}
