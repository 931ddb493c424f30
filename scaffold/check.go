package scaffold

import "testing"

// check makes one check a case of its own: a sub-test, which test.xml and a narrowed run (-test.run=TestRoundTrip/golden_settled) know by
// name, with its difference in its failure. What function tells the stage goes to that case; what ends the case ends the scenario, too,
// as it would without one. A trial has no cases: its failures are what it is about.
func (s *Stage) check(name string, function func()) {
	s.Helper()
	outer := s.witness.T
	runner, ok := outer.(interface {
		Run(name string, function func(*testing.T)) bool
	})
	if !ok {
		function()
		return
	}
	stopped := false
	runner.Run(name, func(t *testing.T) {
		t.Helper()
		stopped = true
		s.witness.T = t
		defer func() { s.witness.T = outer }()
		function()
		stopped = false
	})
	if stopped {
		outer.Fatalf("scaffold: %q could not be checked, see there", name)
	}
}
