package buildevents

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const green = `{"id":{"started":{}},"started":{"uuid":"u"}}
{"id":{"testResult":{"label":"//e2e/b:b","run":1}},"testResult":{"status":"PASSED","cachedLocally":true,"testActionOutput":[{"name":"test.log","uri":"file:///out/e2e/b/b/test.log"},{"name":"test.xml","uri":"bytestream://cache/x"}]}}
{"id":{"testSummary":{"label":"//e2e/b:b"}},"testSummary":{"overallStatus":"PASSED"}}
{"id":{"testResult":{"label":"//e2e/a:a","run":1}},"testResult":{"status":"FAILED"}}
{"id":{"testSummary":{"label":"//e2e/a:a"}},"testSummary":{"overallStatus":"FAILED"}}
{"id":{"targetCompleted":{"label":"//host/x:x"}},"completed":{}}
{"id":{"buildFinished":{}},"finished":{"exitCode":{"name":"TESTS_FAILED","code":3}}}
`

func TestABuildIsReadWithItsTestsSortedByLabel(t *testing.T) {
	build, err := Read(strings.NewReader(green))
	if err != nil {
		t.Fatal(err)
	}
	want := Build{
		Tests: []Test{
			{Label: "//e2e/a:a", Status: "FAILED", Runs: []Run{{Status: "FAILED", Outputs: map[string]string{}}}},
			{Label: "//e2e/b:b", Status: "PASSED", Runs: []Run{{Status: "PASSED", Cached: true, Outputs: map[string]string{"test.log": "/out/e2e/b/b/test.log"}}}},
		},
		Problems: []string{"//host/x:x did not build"},
		Finished: true, ExitName: "TESTS_FAILED",
	}
	if diff := cmp.Diff(want, build); diff != "" {
		t.Error(diff)
	}
	if got := build.Tests[1].Runs[0].OutputsFolder(); got != "/out/e2e/b/b/test.outputs" {
		t.Errorf("the outputs folder is %q", got)
	}
	if build.Succeeded() || build.Tests[0].Passed() || build.Tests[0].Cached() || !build.Tests[1].Cached() {
		t.Error("a failed build with one cached test is told apart wrongly")
	}
}

func TestAFileCutAtAnyByteIsNeverAGreenBuild(t *testing.T) {
	text := strings.ReplaceAll(green, "TESTS_FAILED", "SUCCESS")
	end := strings.LastIndex(text, "}\n") // the last event is whole from here on
	for cut := range text {
		build, err := Read(strings.NewReader(text[:cut]))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		if build.Succeeded() && cut <= end {
			t.Fatalf("cut at byte %d of %d the build counts as a success", cut, len(text))
		}
	}
}

func TestALineInTheMiddleThatIsNoEventIsNamed(t *testing.T) {
	_, err := Read(strings.NewReader("{}\nnonsense\n{}\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("want an error that names line 2, got %v", err)
	}
}
