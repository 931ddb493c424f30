package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/tools/buildevents"
)

const report = `<testsuites><testsuite errors="0" failures="1" skipped="1" tests="6" name="x">
<testcase classname="x" name="TestA" time="0.1"></testcase>
<testcase classname="x" name="TestB" time="0.1"><failure message="Failed" type="">b_test.go:1: no</failure></testcase>
<testcase classname="x" name="TestB/one" time="0.1"><failure message="Failed" type="">b_test.go:1: no</failure></testcase>
<testcase classname="x" name="TestB/two" time="0.1"></testcase>
<testcase classname="x" name="TestC" time="0.1"><skipped message="Skipped" type="">    c_test.go:9: no corpus here
--- SKIP: TestC (0.00s)
</skipped></testcase>
<testcase classname="x" name="TestD" time="0.1"><failure message="Failed" type="">its own</failure></testcase>
<testcase classname="x" name="TestD/fine" time="0.1"></testcase>
</testsuite></testsuites>`

func TestSubTestsAreCountedInsteadOfTheirParentUnlessItFailedItself(t *testing.T) {
	got, err := countReport("//x:x", []byte(report))
	if err != nil {
		t.Fatal(err)
	}
	want := Totals{
		Passed: 3, Failed: 2, Skipped: 1,
		Failures: []string{"//x:x TestB/one", "//x:x TestD"},
		Skips:    []string{"//x:x TestC: c_test.go:9: no corpus here"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.String() != "3 passed, 2 failed, 1 skipped" {
		t.Errorf("the closing line is %q", got)
	}
}

func TestATestThatDiedWithoutAReportIsOneFailure(t *testing.T) {
	fine := filepath.Join(t.TempDir(), "test.xml")
	if err := os.WriteFile(fine, []byte(`<testsuite><testcase name="TestA"/></testsuite>`), 0o644); err != nil {
		t.Fatal(err)
	}
	build := buildevents.Build{Finished: true, ExitName: "TESTS_FAILED", Tests: []buildevents.Test{
		{Label: "//a", Status: "PASSED", Runs: []buildevents.Run{{Status: "PASSED", Outputs: map[string]string{"test.xml": fine}}}},
		{Label: "//b", Status: "TIMEOUT", Runs: []buildevents.Run{{Status: "TIMEOUT", Outputs: map[string]string{"test.xml": fine}}}},
		{Label: "//c", Status: "NO_STATUS"},
	}}
	got, err := Count(build)
	if err != nil {
		t.Fatal(err)
	}
	if got.Passed != 2 || got.Failed != 2 {
		t.Errorf("got %v, %q", got, got.Failures)
	}
}

func TestAGreenTargetWithoutACaseIsNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "test.xml")
	if err := os.WriteFile(empty, []byte(`<testsuites></testsuites>`), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Count(buildevents.Build{Finished: true, ExitName: "SUCCESS", Tests: []buildevents.Test{
		{Label: "//a", Status: "PASSED", Runs: []buildevents.Run{{Status: "PASSED", Outputs: map[string]string{"test.xml": empty}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"//a"}, got.Empty); diff != "" || got.Passed != 0 {
		t.Errorf("got %v\n%s", got, diff)
	}
}

func TestABuildThatDidNotSucceedIsNeverWithoutAFailure(t *testing.T) {
	for name, build := range map[string]buildevents.Build{
		"it has no end":          {},
		"a target did not build": {Finished: true, ExitName: "BUILD_FAILURE", Problems: []string{"//x did not build"}},
		"Bazel was interrupted":  {Finished: true, ExitName: "INTERRUPTED"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Count(build)
			if err != nil {
				t.Fatal(err)
			}
			if got.Failed == 0 {
				t.Errorf("the line is %q", got)
			}
		})
	}
}

func TestAReportThatIsNoXMLIsAnErrorThatNamesTheTarget(t *testing.T) {
	_, err := countReport("//x:x", []byte("<testsuite><oops"))
	if err == nil || !strings.Contains(err.Error(), "//x:x") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyTargetsThatWereCarriedOutAreListedAsReran(t *testing.T) {
	var out strings.Builder
	printReran(&out, buildevents.Build{Tests: []buildevents.Test{
		{Label: "//a", Runs: []buildevents.Run{{Cached: true}}},
		{Label: "//b", Runs: []buildevents.Run{{Cached: true}, {Cached: false}}},
	}})
	if out.String() != "//b\n" {
		t.Errorf("got %q", out.String())
	}
}
