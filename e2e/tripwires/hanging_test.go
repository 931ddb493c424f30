package tripwires_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// hangingVariable makes TestAScenarioHangs a scenario whose time is over before it has come to its end: "await" waits for what never comes,
// "else" hangs in what no context ends.
const hangingVariable = "KEYLANE_TRIPWIRES_HANGING"

func TestAScenarioHangs(t *testing.T) {
	how := os.Getenv(hangingVariable)
	if how == "" {
		t.Skip("is half of TestTheReportIsWrittenBeforeTheTestIsKilled, which runs it in a process of its own")
	}
	scenario := quiet()
	scenario.Drive = func(s *scaffold.Stage) {
		if _, err := fmt.Fprintln(os.NewFile(3, "ready"), s.BrowserPID()); err != nil {
			s.Fatalf("telling which browser it has: %v", err)
		}
		s.Open("/")
		if how == "await" {
			s.WaitFor(chromium.Role("button", "There is no such button"))
		}
		select {}
	}
	scaffold.Run(t, scenario)
}

// A scenario has 90 % of the test's time. What it leaves, it leaves before the whole of it is over.
func TestTheReportIsWrittenBeforeTheTestIsKilled(t *testing.T) {
	scaffold.OnlyReplay(t)
	type run struct {
		how                string
		command            *exec.Cmd
		outputs, temporary string
		browser            *os.File // says the process group of its Chromium
		said               bytes.Buffer
	}
	var runs []*run
	for _, how := range []string{"await", "else"} {
		r := &run{how: how, outputs: t.TempDir(), temporary: t.TempDir()}
		r.command = exec.Command(os.Args[0], "-test.run=^TestAScenarioHangs$", "-test.timeout=8s")
		r.command.Env = append(os.Environ(), hangingVariable+"="+how, "TEST_TIMEOUT=8", "TEST_TMPDIR="+r.temporary, "TEST_UNDECLARED_OUTPUTS_DIR="+r.outputs)
		r.command.Stdout, r.command.Stderr = &r.said, &r.said
		said, tell, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer said.Close()
		r.browser, r.command.ExtraFiles = said, []*os.File{tell}
		if err := errors.Join(r.command.Start(), tell.Close()); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	for _, r := range runs {
		if err := r.command.Wait(); err == nil {
			t.Errorf("%s: it passes", r.how)
		}
		var group int
		if _, err := fmt.Fscan(r.browser, &group); err != nil {
			t.Errorf("%s: it had no browser: %v\n%s", r.how, err, r.said.String())
		} else if err := reapOrphans(r.temporary, group); err != nil {
			t.Errorf("%s: %v", r.how, err)
		}
		report, err := os.ReadFile(filepath.Join(r.outputs, "report.html"))
		if err != nil {
			t.Errorf("%s: it left no report: %v\n%s", r.how, err, r.said.String())
			continue
		}
		// What awaits ends by itself, says what it saw last and is taken down; what hangs is killed, and the report says where it hangs.
		says, killed := "There is no such button", false
		if r.how == "else" {
			says, killed = "TestAScenarioHangs", true
		}
		for _, words := range []string{"90 % of the test&#39;s time is over", says} {
			if !strings.Contains(string(report), words) {
				t.Errorf("%s: the report does not say %q; the test says:\n%s", r.how, words, r.said.String())
			}
		}
		if strings.Contains(r.said.String(), "panic: test timed out") != killed {
			t.Errorf("%s: killed at its end: want %v\n%s", r.how, killed, r.said.String())
		}
	}
}
