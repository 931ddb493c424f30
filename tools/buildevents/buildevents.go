// Package buildevents reads the file that Bazel writes with --build_event_json_file: which tests there were, how each ended,
// whether it came from a cache, and where its outputs lie.
//
// The file holds one JSON object a line. Read keeps only what the tools here need; anything else in it, now or in a later
// Bazel, is passed over. A file that ends in the middle of a line (Bazel was killed) is read up to there, and Build.Finished
// says that the end is missing: never take such a build for a green one.
//
// Source of the format: Bazel's build_event_stream.proto, in its JSON mapping.
package buildevents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// A Build is one invocation of Bazel.
type Build struct {
	Tests    []Test   // sorted by label
	Problems []string // targets that did not build, aborted parts: one sentence each
	Finished bool     // the file holds the end of the build
	ExitName string   // Bazel's name of the exit code, such as SUCCESS or TESTS_FAILED; empty when not finished
}

// Succeeded says that the build came to its end and that everything asked for worked.
func (b Build) Succeeded() bool { return b.Finished && b.ExitName == "SUCCESS" }

// A Test is one test target. A target that ran several times (--runs_per_test) has one Run for each.
type Test struct {
	Label  string
	Status string // Bazel's overall status: PASSED, FAILED, TIMEOUT, FLAKY, NO_STATUS ...
	Runs   []Run
}

// Passed says that every run of the test passed.
func (t Test) Passed() bool { return t.Status == "PASSED" }

// Cached says that no run of the test was carried out in this build.
func (t Test) Cached() bool {
	for _, run := range t.Runs {
		if !run.Cached {
			return false
		}
	}
	return len(t.Runs) > 0
}

// A Run is one execution of a test, or the cached result of one.
type Run struct {
	Status  string
	Cached  bool              // from the local or a remote cache
	Outputs map[string]string // Bazel's name of the output, such as test.log or test.xml → local path
}

// OutputsFolder is the folder of the run's undeclared outputs. It need not exist: Bazel makes it when a test leaves something.
func (r Run) OutputsFolder() string {
	if log, ok := r.Outputs["test.log"]; ok {
		return filepath.Join(filepath.Dir(log), "test.outputs")
	}
	return ""
}

// ReadFile reads the build event file at path.
func ReadFile(path string) (Build, error) {
	file, err := os.Open(path)
	if err != nil {
		return Build{}, fmt.Errorf("buildevents: opening the build event file: %w", err)
	}
	defer file.Close()
	build, err := Read(file)
	if err != nil {
		return Build{}, fmt.Errorf("%w (in %s)", err, path)
	}
	return build, nil
}

type event struct {
	ID struct {
		TestResult      *struct{ Label string } `json:"testResult"`
		TestSummary     *struct{ Label string } `json:"testSummary"`
		TargetCompleted *struct{ Label string } `json:"targetCompleted"`
		BuildFinished   *struct{}               `json:"buildFinished"`
	} `json:"id"`
	TestResult *struct {
		Status           string `json:"status"`
		CachedLocally    bool   `json:"cachedLocally"`
		TestActionOutput []struct {
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"testActionOutput"`
		ExecutionInfo struct {
			CachedRemotely bool `json:"cachedRemotely"`
		} `json:"executionInfo"`
	} `json:"testResult"`
	TestSummary *struct {
		OverallStatus string `json:"overallStatus"`
	} `json:"testSummary"`
	Completed *struct {
		Success bool `json:"success"`
	} `json:"completed"`
	Aborted *struct {
		Reason      string `json:"reason"`
		Description string `json:"description"`
	} `json:"aborted"`
	Finished *struct {
		ExitCode struct {
			Name string `json:"name"`
		} `json:"exitCode"`
	} `json:"finished"`
}

// Read reads build events until the end of r. A line that is no JSON is an error that names it, except for a last line
// without its end.
func Read(r io.Reader) (Build, error) {
	var build Build
	tests := map[string]*Test{}
	test := func(label string) *Test {
		if tests[label] == nil {
			tests[label] = &Test{Label: label, Status: "NO_STATUS"}
		}
		return tests[label]
	}
	reader := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return Build{}, fmt.Errorf("buildevents: reading line %d: %w", number, err)
		}
		atEnd := err == io.EOF
		if len(strings.TrimSpace(string(line))) > 0 {
			var e event
			if problem := json.Unmarshal(line, &e); problem != nil {
				if atEnd {
					break
				}
				return Build{}, fmt.Errorf("buildevents: line %d is not a build event: %w", number, problem)
			}
			build.take(e, test)
		}
		if atEnd {
			break
		}
	}
	for _, t := range tests {
		build.Tests = append(build.Tests, *t)
	}
	sort.Slice(build.Tests, func(i, j int) bool { return build.Tests[i].Label < build.Tests[j].Label })
	return build, nil
}

func (b *Build) take(e event, test func(string) *Test) {
	switch {
	case e.ID.TestResult != nil && e.TestResult != nil:
		run := Run{Status: e.TestResult.Status, Outputs: map[string]string{}}
		run.Cached = e.TestResult.CachedLocally || e.TestResult.ExecutionInfo.CachedRemotely
		for _, output := range e.TestResult.TestActionOutput {
			if path, ok := localPath(output.URI); ok {
				run.Outputs[output.Name] = path
			}
		}
		t := test(e.ID.TestResult.Label)
		t.Runs = append(t.Runs, run)
	case e.ID.TestSummary != nil && e.TestSummary != nil:
		test(e.ID.TestSummary.Label).Status = e.TestSummary.OverallStatus
	case e.ID.TargetCompleted != nil && e.Aborted == nil && (e.Completed == nil || !e.Completed.Success):
		b.Problems = append(b.Problems, e.ID.TargetCompleted.Label+" did not build")
	case e.Aborted != nil && e.Aborted.Reason != "SKIPPED":
		b.Problems = append(b.Problems, strings.TrimSpace(e.Aborted.Reason+": "+e.Aborted.Description))
	case e.ID.BuildFinished != nil && e.Finished != nil:
		b.Finished = true
		b.ExitName = e.Finished.ExitCode.Name
	}
}

// localPath turns a file URI into a path; outputs that stayed in a remote cache (bytestream URIs) have none.
func localPath(uri string) (string, bool) {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme != "file" {
		return "", false
	}
	return parsed.Path, true
}
