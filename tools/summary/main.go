// Summary prints what a Bazel test run amounted to, in one line that a CI can count:
//
//	summary [--skipped] [--reran] BUILD_EVENTS.json
//	812 passed, 0 failed, 3 skipped
//
// The numbers are test cases, read from the test.xml of every test target that the build event file names; cached targets
// count like those that ran. A case with sub-tests is not counted beside them. A target that failed without saying which
// case did (it crashed, timed out or did not build) is one failed case, so a red build never sums up to "0 failed".
//
// A green target whose report has no case at all is named, because it proves nothing.
//
// --skipped lists the skipped cases with their reasons before that line. --reran prints instead of it the labels of the
// targets that were carried out rather than taken from a cache, one a line.
//
// It ends with status 1 if anything failed or nothing ran, and with 2 if the file can't be read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"keylane/tools/buildevents"
)

func main() {
	listSkipped := flag.Bool("skipped", false, "list the skipped cases first")
	listReran := flag.Bool("reran", false, "print the labels of the targets that were carried out, and nothing else")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: summary [--skipped] [--reran] BUILD_EVENTS.json")
		os.Exit(2)
	}
	build, err := buildevents.ReadFile(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(2)
	}
	if *listReran {
		printReran(os.Stdout, build)
		return
	}
	totals, err := Count(build)
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
	}
	if *listSkipped {
		for _, skipped := range totals.Skips {
			fmt.Println("skipped:", skipped)
		}
	}
	for _, label := range totals.Empty {
		fmt.Println("green without a single case:", label)
	}
	for _, failure := range totals.Failures {
		fmt.Println("failed:", failure)
	}
	fmt.Println(totals)
	if err != nil || totals.Failed > 0 || totals.Passed == 0 {
		os.Exit(1)
	}
}

func printReran(w io.Writer, build buildevents.Build) {
	for _, test := range build.Tests {
		if !test.Cached() {
			fmt.Fprintln(w, test.Label)
		}
	}
}

// Count adds up the cases of all runs of all tests. Reports that can't be read are joined into the error; the totals then
// hold everything else.
func Count(build buildevents.Build) (Totals, error) {
	var totals Totals
	var problems []error
	for _, test := range build.Tests {
		var ofTest Totals
		for _, run := range test.Runs {
			if run.Outputs["test.xml"] == "" {
				continue
			}
			ofRun, err := readReport(test.Label, run.Outputs["test.xml"])
			if err != nil {
				problems = append(problems, err)
			}
			ofTest.add(ofRun)
		}
		if test.Passed() && ofTest.cases() == 0 {
			ofTest.Empty = append(ofTest.Empty, test.Label)
		}
		if !test.Passed() && ofTest.Failed == 0 {
			ofTest.fail(fmt.Sprintf("%s: %s", test.Label, test.Status))
		}
		totals.add(ofTest)
	}
	if len(build.Tests) == 0 || !build.Succeeded() && totals.Failed == 0 {
		for _, problem := range build.Problems {
			totals.fail(problem)
		}
		if totals.Failed == 0 && !build.Succeeded() {
			totals.fail(fmt.Sprintf("the build did not succeed (%s)", orUnfinished(build)))
		}
	}
	return totals, errors.Join(problems...)
}

func orUnfinished(build buildevents.Build) string {
	if !build.Finished {
		return "its event file has no end"
	}
	return build.ExitName
}
