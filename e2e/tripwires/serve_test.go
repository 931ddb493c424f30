package tripwires_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// brokenVariable makes TestAServedScenarioFails a scenario whose gestures fail.
const brokenVariable = "KEYLANE_TRIPWIRES_BROKEN"

func TestAServedScenarioFails(t *testing.T) {
	if os.Getenv(brokenVariable) == "" {
		t.Skip("is half of TestAServedScenarioStaysOpenUntilCtrlC, which runs it in a process of its own")
	}
	scenario := quiet()
	scenario.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Fatalf("the gestures fail")
	}
	scaffold.Run(t, scenario)
}

var served = regexp.MustCompile(`^serving tripwires( after its gestures failed)?: (http://\S+)\n$`)

// A scenario that is served answers a browser of one's own until Ctrl-C, whatever became of its gestures and of the test's time, runs no other
// test, and leaves nothing.
func TestAServedScenarioStaysOpenUntilCtrlC(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, c := range []struct {
		name, test, shows string
		failed            bool
		code              int
	}{
		{"its gestures done", "^TestTheQuietScenario|^TestEachTripwire", "/s/session-", false, 0},
		{"its gestures failed", "^TestAServedScenarioFails$", "/", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			temporary := t.TempDir()
			// One second would be over before the page is open.
			binary := exec.Command(os.Args[0], "-serve", "-test.run="+c.test)
			binary.Env = append(os.Environ(), "TEST_TIMEOUT=1", "TEST_TMPDIR="+temporary, "TEST_UNDECLARED_OUTPUTS_DIR="+t.TempDir())
			if c.failed {
				binary.Env = append(binary.Env, brokenVariable+"=1")
			}
			said, err := binary.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := binary.Start(); err != nil {
				t.Fatal(err)
			}
			lines, address, all := bufio.NewReader(said), "", ""
			for address == "" {
				line, err := lines.ReadString('\n')
				all += line
				if err != nil {
					t.Fatalf("it is never served: %v, %v\n%s", err, binary.Wait(), all)
				}
				if found := served.FindStringSubmatch(line); found != nil {
					address = found[2]
					if (found[1] != "") != c.failed {
						t.Errorf("it says %q", line)
					}
				}
			}
			if !strings.Contains(address, c.shows) {
				t.Errorf("it shows %s, want the page at %s", address, c.shows)
			}
			answer, err := http.Get(address)
			if err != nil {
				t.Fatalf("nobody answers there: %v", err)
			}
			page, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(page), "<html") {
				t.Errorf("the answer is %s, %v", answer.Status, err)
			}
			http.DefaultClient.CloseIdleConnections()
			if err := binary.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			if err := binary.Wait(); binary.ProcessState.ExitCode() != c.code {
				t.Errorf("it ended with %v, want %d:\n%s%s", err, c.code, all, rest)
			}
			if !strings.Contains(string(rest), "ending tripwires") || c.failed != strings.Contains(string(rest), "the gestures fail") {
				t.Errorf("it says:\n%s%s", all, rest)
			}
			if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
		})
	}
}

// A scenario that nobody serves does not wait.
func TestOnlyWhoAsksIsServed(t *testing.T) {
	scaffold.OnlyReplay(t)
	failures := scaffold.Trial(t, func(t scaffold.T) {
		scenario := quiet()
		scenario.Check = func(s *scaffold.Stage) {
			s.WaitFor(chromium.Role("main", "Conversation"))
			s.Errorf("came to its checks")
		}
		scaffold.Run(t, scenario)
	})
	scaffold.WantSeen(t, failures, "came to its checks")
}
