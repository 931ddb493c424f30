package built_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"keylane/scaffold/built"
)

// stand makes a shell script stand in for the command.
func stand(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keylane")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(built.Variable, path)
}

func start(t *testing.T) (*built.Host, error) {
	t.Helper()
	return built.Start(built.Options{Target: "//x", Home: t.TempDir(), Environment: []string{"ANSWER=0"}})
}

func TestAHostIsStartedAndStoppedAsAPersonDoes(t *testing.T) {
	stand(t, `trap 'exit $ANSWER' TERM
echo "keylane: http://127.0.0.1:4321/"
while :; do sleep 0.01; done`)
	host, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	if host.URL() != "http://127.0.0.1:4321/" {
		t.Errorf("its address is %q", host.URL())
	}
	if held, err := host.ResidentMiB(); err != nil || held <= 0 {
		t.Errorf("it holds %v MiB (%v)", held, err)
	}
	if err := host.Stop(); err != nil {
		t.Error(err)
	}
	if err := host.Stop(); err != nil {
		t.Errorf("stopping it again: %v", err)
	}
}

func TestAHostThatEndsBadlyIsToldOf(t *testing.T) {
	stand(t, `trap 'exit 7' TERM
echo "keylane: http://127.0.0.1:4321/"
while :; do sleep 0.01; done`)
	host, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Stop(); err == nil || !strings.Contains(err.Error(), "7") {
		t.Errorf("it ended with 7, and the error is %v", err)
	}
}

func TestAHostWithoutAnAddressIsNone(t *testing.T) {
	for _, script := range []string{"echo hello; echo $$ > pid; exec sleep 600", "echo $$ > pid; exit 3"} {
		stand(t, script)
		home := t.TempDir()
		if host, err := built.Start(built.Options{Target: "//x", Home: home}); err == nil {
			if err := host.Kill(); err != nil {
				t.Error(err)
			}
			t.Errorf("%q is a host", script)
		}
		text, err := os.ReadFile(filepath.Join(home, "pid"))
		pid := strings.TrimSpace(string(text))
		if err != nil || pid == "" {
			continue // killed before it could write
		}
		if running(pid) {
			t.Errorf("the process of %q is left", script)
		}
	}
}

func running(pid string) bool {
	_, err := os.Stat("/proc/" + pid)
	return err == nil
}

func TestWithoutTheCommandATestFailsWithWhatToDo(t *testing.T) {
	t.Setenv(built.Variable, "")
	if _, err := start(t); err == nil || !strings.Contains(err.Error(), "./bazelw test //x") {
		t.Errorf("the error is %v", err)
	}
}

func TestAHostThatHadEndedByItselfWasNotKilled(t *testing.T) {
	stand(t, `echo "keylane: http://127.0.0.1:4321/"; exec sleep 600`)
	host, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Kill(); err != nil {
		t.Errorf("it ran, and killing it is %v", err)
	}
	if err := host.Kill(); err != nil {
		t.Errorf("killing it again is %v", err)
	}
	stand(t, `echo "keylane: http://127.0.0.1:4321/"; exit 7`)
	if host, err = start(t); err != nil {
		t.Fatal(err)
	}
	// Until it has ended, which nobody is told yet.
	if err := unix.Waitid(unix.P_PID, host.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if err := host.Kill(); err == nil || !strings.Contains(err.Error(), "7") {
		t.Errorf("it had ended with 7, and killing it is %v", err)
	}
}
