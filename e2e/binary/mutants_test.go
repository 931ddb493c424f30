package binary_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// wrapped is a command that starts the built one and spoils what it does: $0 is the built command, "$@" what it is asked.
func wrapped(t scaffold.T, shell string) []string {
	return append([]string{"/bin/sh", "-c", shell}, built(t)...)
}

// A command that does otherwise is seen, in each of the ways that are looked at.
func TestACommandThatDoesOtherwiseWouldBeSeen(t *testing.T) {
	for name, mutant := range map[string]struct {
		shell string
		about func(scaffold.T, []string)
		says  string
	}{
		"one that prints something before its address": {`echo hello; exec "$0" "$@"`, serves, `the command printed "hello\n"`},
		"one that says more than it should":            {`echo careful >&2; exec "$0" "$@"`, serves, "it said more than its address"},
		"one that ends badly":                          {`"$0" "$@" & trap 'kill $!; wait $!; exit 3' TERM; wait $!; wait $!`, serves, "after TERM it ended with exit code 3"},
		"one that leaves a process behind":             {`sleep 300 >/dev/null 2>&1 & exec "$0" "$@"`, serves, "a process is left"},
		"one that leaves a file behind":                {`touch leavings; exec "$0" "$@"`, serves, `the home has "leavings" left in it`},
		"one that does not get its environment":        {`unset DEEPSEEK_API_KEY; exec "$0" "$@"`, serves, "no answer on the page"},
		"one that reads another file of patches":       {`sed -i 's/baseURL: "[^"]*"/baseURL: "http:\/\/127.0.0.1:1"/' config.yml; exec "$0" "$@"`, serves, "no answer on the page"},
		"refusals that look like success":              {`"$0" "$@" || exit 0`, refusals, "a port that is taken: exit code 0"},
		"refusals without a word":                      {`exec "$0" "$@" 2>/dev/null`, refusals, "a home that is a file: exit code 1"},
		"another version":                              {`"$0" "$@" | sed '2d'`, explains, "keylane version: exit code 0"},
	} {
		t.Run(name, func(t *testing.T) {
			failures := scaffold.TrialWithin(t, 15*time.Second, func(trial scaffold.T) { mutant.about(within{trial, t}, wrapped(trial, mutant.shell)) })
			scaffold.WantSeen(t, failures, mutant.says)
		})
	}
}

// within is a trial with the folders of the test around it.
type within struct {
	scaffold.T
	outer *testing.T
}

// TempDir is removed with the test, after everything that the trial has started has ended.
func (w within) TempDir() string { return w.outer.TempDir() }
