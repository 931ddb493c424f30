// Command import makes a scenario of a session log that came from elsewhere: a bug report becomes a test in one command.
//
//	./bazelw run //tools:import -- bug_17 ~/Downloads/session.jsonl.zstd         prompts are typed, the log answers
//	./bazelw run //tools:import -- --cold bug_17 ~/Downloads/session.jsonl.zstd  the log lies on disk, the page opens it
//	./bazelw run //tools:import -- --dry-run bug_17 session.jsonl                say what would be written
//
// It reads a log of keylane or dsh, as text or in Zstandard frames (a file, or the folder of a session), or a fixture. It writes
// fixtures/<name>/ (the log as a projection: no times, tokens for what belongs to one run, nothing that looks like a key; fixture.yml says
// where it came from) and e2e/<name>/: BUILD.bazel, a test that opens the page, prompts as recorded, settles and checks goldens, and a
// mutant. Then it runs //tools:refresh for the goldens, which are the next thing to read: they say what the page does now, which for a bug
// report is the bug.
//
// A log cannot always be replayed: a turn that was stopped, a person who was asked, a history that was compacted. Then the command
// says why, and --cold imports it as a session that lies on disk. Names that exist are refused; nothing that exists is overwritten,
// and the log itself is only read.
//
// Exit codes: 0 the scenario is there, 1 its goldens could not be captured, 2 the command cannot be carried out and nothing was written.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"keylane/tools/invoke"
)

type arguments struct {
	Cold      bool              `help:"Put the log on disk as a session that the page opens, instead of replaying it."`
	DryRun    bool              `help:"Read and check the log, say what would be written, and write nothing."`
	NoGoldens bool              `help:"Do not run //tools:refresh afterwards."`
	Origin    string            `help:"Where the log came from, for fixture.yml: an issue, say. Default: the file's name."`
	Replace   map[string]string `help:"A text that shall not be in the fixture, and what shall: --replace 'ada=user'. May be given several times."`
	Name      string            `arg:"" help:"The scenario's name: lower-case letters, digits and underscores."`
	Log       string            `arg:"" help:"The log, or the folder of the session."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("import"),
		kong.Description("Makes a scenario of a session log of keylane or dsh, so that a bug report becomes a test. Read the fixture before you commit it: what was typed and answered is in it."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "import:", err)
	}
	os.Exit(code)
}

func run(ctx context.Context, args arguments) (int, error) {
	workspace, err := invoke.Workspace()
	if err != nil {
		return 2, err
	}
	if err := checkName(workspace, args.Name); err != nil {
		return 2, err
	}
	source, err := readLog(invoke.Path(args.Log))
	if err != nil {
		return 2, err
	}
	fmt.Fprintf(os.Stderr, "import: read %s\n", source)
	files, err := scenarioOf(ctx, workspace, source, args, time.Now())
	if err != nil {
		return 2, err
	}
	for _, file := range files {
		fmt.Printf("%-8s %s  %d bytes\n", file.kind, file.path, len(file.text))
	}
	if args.DryRun {
		fmt.Println("nothing was written: this is a dry run")
		return 0, nil
	}
	if err := writeAll(workspace, files); err != nil {
		return 2, err
	}
	return goldens(ctx, workspace, args)
}

// goldens lets //tools:refresh capture the first goldens.
func goldens(ctx context.Context, workspace string, args arguments) (int, error) {
	next := "./bazelw run //tools:refresh -- " + args.Name
	if args.NoGoldens {
		fmt.Printf("now capture its goldens: %s\n", next)
		return 0, nil
	}
	fmt.Fprintf(os.Stderr, "import: capturing goldens: %s\n", next)
	command := exec.CommandContext(ctx, filepath.Join(workspace, "bazelw"), "run", "//tools:refresh", "--", args.Name)
	command.Dir = workspace
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Run(); err != nil {
		return 1, fmt.Errorf("the scenario is written, and its goldens could not be captured (%w): see above, then %s", err, next)
	}
	fmt.Printf("read goldens/%s and fixtures/%s, then: ./bazelw test //e2e/%s\n", args.Name, args.Name, args.Name)
	return 0, nil
}
