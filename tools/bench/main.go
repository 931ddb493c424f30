// Bench compares two sets of figures and tells what differs by more than chance:
//
//	bench [--html FILE] BEFORE AFTER
//
// What a set is, what is printed and how it is decided stands in its help.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const help = `Compares two sets of figures and tells what differs by more than chance.

  ./bazelw run //tools:bench -- [--html FILE] BEFORE AFTER

BEFORE and AFTER are folders (with everything below them) or single files: the
JSON results that the rows of e2e/perf leave in their undeclared outputs. Other
JSON files are passed over, and counted. A set may hold several runs of a row:
their samples are taken together. Five runs each, taken in turns on a machine
that does nothing else, are a good measure:

  for i in 1 2 3 4 5; do
    ./bazelw test --config=perf && cp -rL bazel-testlogs/e2e/perf before/$i
    (cd ../changed && ./bazelw test --config=perf && cp -rL bazel-testlogs/e2e/perf ../after/$i)
  done
  ./bazelw run //tools:bench -- --html $PWD/bench.html $PWD/before $PWD/after

For each figure that both sets have there is a line:

  row / figure   median before   median after   after ÷ before [interval]   verdict

The interval is a bootstrap one: both sets of samples are drawn anew two thousand
times, always the same way, and 95 of 100 quotients of medians lie in it. The
verdict is "higher" or "lower" when the whole interval lies on that side of 1 and
the medians differ by 5 of 100 at least, else "same"; with fewer than three
samples on a side it is "too few", whatever the numbers are. Whether higher is
worse depends on the figure: of times, counts and memory it is.

It warns when a set was taken on a busy machine (load average above half of the
cores) or when the two machines differ. Such figures compare the machines. Samples
of one run lean on each other, so a verdict from one run each is a hint, no proof.

--html FILE also writes a page with a chart of every figure, which opens from disk.

Exit codes: 0 compared, whatever the verdicts are; 1 a set has no results, or no
figure is in both; 2 the command line is wrong.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(arguments []string, out, problems io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.Usage = func() { fmt.Fprint(out, help) }
	page := flags.String("html", "", "")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil || flags.NArg() != 2 {
		fmt.Fprintln(problems, "bench: give two sets, BEFORE and AFTER; bench --help says what they are")
		return 2
	}
	before, err := readSet(here(flags.Arg(0)))
	after, err2 := readSet(here(flags.Arg(1)))
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(problems, err)
		return 1
	}
	comparison := compare(before, after)
	if len(comparison.Lines) == 0 {
		fmt.Fprintf(problems, "bench: no figure is in both %s and %s: were they taken with the same rows?\n", flags.Arg(0), flags.Arg(1))
		return 1
	}
	if err := printTable(out, comparison); err != nil {
		fmt.Fprintln(problems, err)
		return 1
	}
	if *page != "" {
		if err := writePage(here(*page), comparison); err != nil {
			fmt.Fprintln(problems, err)
			return 1
		}
	}
	return 0
}

// here makes a path that a person wrote relative to where they are; `bazel run` starts a program elsewhere and tells.
func here(path string) string {
	if folder := os.Getenv("BUILD_WORKING_DIRECTORY"); folder != "" && !filepath.IsAbs(path) {
		return filepath.Join(folder, path)
	}
	return path
}
