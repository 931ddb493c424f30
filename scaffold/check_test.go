package scaffold

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// casesVariable makes TestCasesThatFail a test that fails.
const casesVariable = "KEYLANE_SCAFFOLD_CASES"

func TestCasesThatFail(t *testing.T) {
	if os.Getenv(casesVariable) == "" {
		t.Skip("is half of TestEachCheckIsACaseOfItsOwn, which runs it in a process of its own")
	}
	told := &witness{T: t}
	s := &Stage{T: told, witness: told}
	s.check("one", func() { s.Errorf("the first differs") })
	s.check("two", func() {})
	s.Logf("after two checks")
	s.check("three", func() { s.Fatalf("the third cannot be read") })
	s.Logf("after what ends a scenario")
}

func TestEachCheckIsACaseOfItsOwn(t *testing.T) {
	binary := exec.Command(os.Args[0], "-test.v", "-test.run=^TestCasesThatFail$")
	binary.Env = append(os.Environ(), casesVariable+"=1")
	output, err := binary.CombinedOutput()
	said := string(output)
	if err == nil {
		t.Errorf("it passes")
	}
	for _, part := range []string{
		"--- FAIL: TestCasesThatFail/one", "the first differs", "--- PASS: TestCasesThatFail/two", "after two checks",
		"--- FAIL: TestCasesThatFail/three", "the third cannot be read", `"three" could not be checked`, "check_test.go:19", "--- FAIL: TestCasesThatFail (",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say %q", part)
		}
	}
	if strings.Contains(said, "after what ends a scenario") {
		t.Error("a check that cannot be made does not end the scenario")
	}
	if t.Failed() {
		t.Logf("it says:\n%s", said)
	}
}

func TestATrialHasNoCases(t *testing.T) {
	failures := Trial(t, func(t T) {
		told := &witness{T: t}
		s := &Stage{T: told, witness: told}
		s.check("one", func() { s.Errorf("differs") })
	})
	WantSeen(t, failures, "differs")
}
