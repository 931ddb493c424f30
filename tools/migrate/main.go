// Command migrate writes every fixture and every golden tree again in today's format, and changes nothing else.
//
//	./bazelw run //tools:migrate                    all
//	./bazelw run //tools:migrate -- --dry-run       say what would change
//
// It is for the commit that changes a format: of session logs (host/session), of their projection (scaffold/fixture), or of golden trees
// (scaffold/aria), so that a change of format is never in the same diff as a change of content. A fixture is read as leniently as a replay
// reads it and printed again; it is kept only if the events that come out are those that went in. A golden is parsed and printed again,
// so package aria has to read the former version for as long as there are goldens in it. What cannot be migrated is left and named.
//
// Exit codes: 0 everything is in today's format, 1 something could not be migrated, 2 the command cannot be carried out.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"keylane/tools/invoke"
)

type arguments struct {
	DryRun bool `help:"Say what would be written, and write nothing."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("migrate"), kong.Description("Writes every fixture and every golden tree again in today's format, and changes nothing else."))
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "migrate:", err)
	}
	os.Exit(code)
}

func run(args arguments) (int, error) {
	workspace, err := invoke.Workspace()
	if err != nil {
		return 2, err
	}
	found, err := look(workspace)
	if err != nil {
		return 2, err
	}
	verb := "written"
	if args.DryRun {
		verb = "would be written"
	}
	written := 0
	var refused []error
	for _, each := range found {
		changed, err := each.migrate(workspace, args.DryRun)
		switch {
		case err != nil:
			refused = append(refused, fmt.Errorf("%s: %w", each.path, err))
		case changed:
			written++
			fmt.Printf("%-8s %s\n", "changed", each.path)
		}
	}
	fmt.Printf("%d files %s, %d as they were, %d that cannot be migrated\n", written, verb, len(found)-written-len(refused), len(refused))
	if len(refused) > 0 {
		return 1, errors.Join(refused...)
	}
	return 0, nil
}
