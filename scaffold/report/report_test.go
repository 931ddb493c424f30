package report_test

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/scaffold/report"
)

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range canvas.Pix {
		canvas.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, canvas); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var start = time.Date(2026, 7, 25, 12, 30, 0, 0, time.UTC)

func full(t *testing.T, text string) report.Report {
	return report.Report{
		Scenario: text, Started: start, Failures: []string{text},
		States:     []report.State{{Name: text, Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old " + text + "\n+new\n", Screenshot: picture(t, 4, 4)}},
		Screenshot: picture(t, 4, 4),
		Timeline: []report.Entry{
			{Time: start.Add(2 * time.Second), Source: "page", Text: "second " + text}, {Time: start.Add(time.Second), Source: text, Text: "first"},
		},
		Console: []string{text}, Network: []string{text}, Logs: []report.Log{{Name: text, Text: text}},
		Commands: []report.Command{{Purpose: text, Line: "./bazelw test " + text}},
	}
}

func render(t *testing.T, r report.Report) string {
	t.Helper()
	html, err := report.Render(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func TestAReportShowsEveryPart(t *testing.T) {
	html := render(t, full(t, "round_trip"))
	for _, want := range []string{
		"<title>round_trip failed</title>", "2026-07-25 12:30:00 UTC", `class="old">-old round_trip`, `class="new">&#43;new`, `src="data:image/png;base64,`,
		"&#43;1.000 s", "./bazelw test round_trip", `id="console"`, `id="network"`, `id="logs"`, "prefers-color-scheme: dark",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Index(html, "first") > strings.Index(html, "second round_trip") {
		t.Error("the timeline is not in order of time")
	}
}

func TestEmptyPartsAreLeftOut(t *testing.T) {
	html := render(t, report.Report{Scenario: "s"})
	for _, part := range []string{"failures", "commands", "states", "screenshot", "timeline", "console", "network", "logs"} {
		if strings.Contains(html, `id="`+part+`"`) {
			t.Errorf("%s is there", part)
		}
	}
}

func TestAHostileStringStaysText(t *testing.T) {
	for _, hostile := range []string{
		`<script>window.hacked=1</script>`, `"><img src=x onerror=hacked()>`, `</pre></details><iframe src="javascript:1">`, `javascript:alert(1)`, "]]><!--", `{{.Scenario}}`,
		`' onmouseover='x`, "\x00<b>",
	} {
		html := render(t, full(t, hostile))
		for _, live := range []string{"<script", "<img src=x", "<iframe", "<b>", "<!--", ` onmouseover='x`} {
			if strings.Contains(html, live) {
				t.Errorf("%q became %s", hostile, live)
			}
		}
	}
}

func TestSomethingThatIsNoPNGIsNotEmbedded(t *testing.T) {
	html := render(t, report.Report{Scenario: "s", Screenshot: []byte(`"><script>1</script>`)})
	if strings.Contains(html, "data:image") || !strings.Contains(html, "not a PNG") {
		t.Error("embedded")
	}
}

func TestTheReportStaysBelowItsLimitWhateverItIsGiven(t *testing.T) {
	r := full(t, strings.Repeat("<&>汉", 1<<16))
	r.Scenario = "s"
	large := picture(t, 500, 500)
	for range 6 {
		r.States = append(r.States, report.State{Name: "n", Diff: strings.Repeat("+<<<<\n", 1<<16), Screenshot: large})
		r.Logs = append(r.Logs, report.Log{Name: "l", Text: strings.Repeat("\"\"\"\n", 1<<17)})
		r.Failures = append(r.Failures, strings.Repeat("'", 1<<16))
	}
	for range 5000 {
		line := strings.Repeat("<", 300)
		r.Timeline = append(r.Timeline, report.Entry{Source: "s", Text: line})
		r.Console, r.Network = append(r.Console, line), append(r.Network, line)
	}
	html := render(t, r)
	if len(html) > report.Limit {
		t.Error(len(html))
	}
	for _, want := range []string{"bytes are left out", "lines are left out", "is left out: the report would become too large"} {
		if !strings.Contains(html, want) {
			t.Errorf("it does not say: %s", want)
		}
	}
}

func TestWriteMakesTheFolderAndOneFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	path, err := report.Write(folder, full(t, "s"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || path != filepath.Join(folder, report.Name) {
		t.Errorf("%v %v %v", path, entries, err)
	}
}

func TestWriteSaysWhereItCouldNotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Write(file, full(t, "s")); err == nil || !strings.Contains(err.Error(), file) {
		t.Error(err)
	}
}
