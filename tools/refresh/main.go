// Command refresh runs scenarios and writes the goldens that they captured into the workspace.
//
//	./bazelw run //tools:refresh                    every scenario
//	./bazelw run //tools:refresh -- round_trip      one
//	./bazelw run //tools:refresh -- --dry-run       say what would change
//
// The scenarios run under Bazel, in the same sandbox as always, with KEYLANE_MODE=refresh: there a golden that differs does not
// end the scenario, so one run yields every state. Whatever else fails still fails, and the goldens of a failed scenario are not
// taken: a refresh must never accept a page that broke. Files are written only where they differ; a golden that no state
// captures any more is removed.
//
// Exit codes: 0 all goldens are as captured, 1 a scenario failed, 2 the command cannot be carried out.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"keylane/tools/committed"
	"keylane/tools/invoke"
)

type arguments struct {
	DryRun    bool     `help:"Say what would be written, and write nothing."`
	Diff      bool     `help:"Print the whole diff of each golden that changes."`
	Scenarios []string `arg:"" optional:"" help:"Names of scenarios, such as round_trip. Default: all."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("refresh"),
		kong.Description("Runs scenarios and writes the goldens that they captured into the workspace. Read the diff before you commit it: a golden says that the page stayed the same, not that it is right."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "refresh:", err)
	}
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args arguments) (int, error) {
	workspace, err := invoke.Workspace()
	if err != nil {
		return 2, err
	}
	targets, err := targetsOf(workspace, args.Scenarios)
	if err != nil {
		return 2, err
	}
	build, err := invoke.Test(ctx, workspace, os.Stderr, append([]string{"--config=refresh", "--keep_going"}, targets...)...)
	if err != nil {
		return 2, err
	}
	for _, problem := range build.Problems {
		fmt.Fprintln(os.Stderr, "refresh:", problem)
	}
	changes := &committed.Changes{Workspace: workspace, DryRun: args.DryRun}
	err = apply(changes, build)
	changes.Print(os.Stdout, args.Diff)
	if err != nil {
		return 2, err
	}
	if len(changes.Refused) > 0 || len(build.Problems) > 0 {
		return 1, nil
	}
	return 0, nil
}
