// Command accept takes over the goldens of the last failed run, from what its scenarios left in their outputs. Nothing runs again.
//
//	./bazelw run //tools:accept                     every scenario whose last run differed from its goldens
//	./bazelw run //tools:accept -- round_trip       one
//	./bazelw run //tools:accept -- --dry-run        say what would change, with the whole diff
//
// A run leaves what it captured, and an account of it (scaffold/golden.Account), in its undeclared outputs below bazel-testlogs, as a
// folder or as outputs.zip. A scenario's captures are refused when it failed by anything else than goldens, when it did not come
// to its end, when they are another scenario's, and when a golden is not any more what they were compared with: then they are older
// than the tree. A golden that no state captures is removed after a complete run only. Fixtures are never touched.
//
// Exit codes: 0 the goldens are as captured, 1 a scenario was refused, 2 the command cannot be carried out.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"keylane/tools/committed"
	"keylane/tools/invoke"
)

type arguments struct {
	DryRun    bool     `help:"Say what would be written, with the whole diff, and write nothing."`
	Diff      bool     `help:"Print the whole diff of each golden that changes."`
	Testlogs  string   `help:"Where Bazel left the outputs of tests. Default: bazel-testlogs of the workspace."`
	Scenarios []string `arg:"" optional:"" help:"Names of scenarios, such as round_trip. Default: all whose last run left captures."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("accept"),
		kong.Description("Takes over the goldens of the last failed run; nothing runs again. Read the diff before you commit it: a golden says that the page stayed the same, not that it is right."))
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "accept:", err)
	}
	os.Exit(code)
}

func run(args arguments) (int, error) {
	workspace, err := invoke.Workspace()
	if err != nil {
		return 2, err
	}
	testlogs := invoke.Path(args.Testlogs)
	if args.Testlogs == "" {
		testlogs = filepath.Join(workspace, "bazel-testlogs")
	}
	scenarios := args.Scenarios
	if len(scenarios) == 0 {
		if scenarios, err = withCaptures(testlogs); err != nil {
			return 2, err
		}
	}
	changes := &committed.Changes{Workspace: workspace, DryRun: args.DryRun}
	var problems []error
	for _, scenario := range scenarios {
		problems = append(problems, accept(changes, testlogs, scenario))
	}
	changes.Print(os.Stdout, args.DryRun || args.Diff)
	switch {
	case errors.Join(problems...) != nil:
		return 2, errors.Join(problems...)
	case len(changes.Refused) > 0:
		return 1, nil
	}
	return 0, nil
}
