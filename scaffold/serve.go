package scaffold

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// serving says that the first scenario of this binary stays open for a person to look at, in a browser of their own:
//
//	./bazelw run //e2e/round_trip -- -serve
//	./bazelw run //e2e/round_trip -- -serve -test.run=TestRoundTrip    where a package has several
//
// Drive has run by then, or failed; Check does not run, goldens and tripwires judge nothing, and there is no deadline. What the person
// does goes to the real host, whose answers are those of the fixture: beyond what was recorded it has none, and says so.
var serving = flag.Bool("serve", false, "keep the first scenario open after its gestures until Ctrl-C, for a person to look at")

// prepareServing takes the test's deadline away. It comes before m.Run, which sets that deadline.
func prepareServing() error {
	if !flag.Parsed() {
		flag.Parse()
	}
	if !*serving {
		return nil
	}
	if mode, err := modeFromEnvironment(); err != nil || mode != Replay {
		return errors.Join(err, fmt.Errorf("scaffold: -serve replays what is recorded; %s is %s", ModeVariable, mode))
	}
	// A wrapper around the test may be gone first when Ctrl-C reaches both; what is still said then must not end this process.
	signal.Ignore(syscall.SIGPIPE)
	return errors.Join(os.Unsetenv("TEST_TIMEOUT"), flag.Set("test.timeout", "0"))
}

// serve says where the scenario is and waits until the person has seen enough: for Ctrl-C, or the end of Chromium.
func (s *Stage) serve() {
	enough := make(chan os.Signal, 1)
	signal.Notify(enough, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(enough)
	address := s.Page.URL()
	if !strings.HasPrefix(address, s.URL) {
		address = s.URL + "/"
	}
	state := ""
	if s.Failed() {
		state = " after its gestures failed"
	}
	fmt.Fprintf(os.Stderr, "\nserving %s%s: %s\n  workspace %s\n  sessions  %s\nCtrl-C ends it.\n",
		s.scenario.Name, state, address, s.Folders.Workspace, s.Folders.Sessions)
	for _, failure := range s.witness.told() {
		fmt.Fprintln(os.Stderr, failure)
	}
	select {
	case <-enough:
		fmt.Fprintf(os.Stderr, "ending %s\n", s.scenario.Name)
	case <-s.engine.Done():
		fmt.Fprintf(os.Stderr, "ending %s: Chromium has ended: %v\n", s.scenario.Name, s.engine.Err())
	}
}

// endServing ends the process once the scenario that was served is taken down: the other tests of the binary are not what was asked for.
func endServing(t T) {
	code := 0
	if t.Failed() {
		code = 1
	}
	if err := endMain(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
