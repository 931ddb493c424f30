package tripwires_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keylane/scaffold"
)

// victimVariable makes TestAVictimWaitsInTheMiddle a scenario that waits to be killed.
const victimVariable = "KEYLANE_TRIPWIRES_VICTIM"

func TestAVictimWaitsInTheMiddle(t *testing.T) {
	if os.Getenv(victimVariable) == "" {
		t.Skip("is half of TestAKilledScenarioLeavesNothing, which runs it in a process of its own")
	}
	scenario := quiet()
	scenario.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		// One line on a pipe of its own, so that nothing else the test binary prints is in the way.
		if _, err := fmt.Fprintln(os.NewFile(3, "ready"), s.BrowserPID(), s.Folders.Workspace); err != nil {
			s.Fatalf("telling that the scenario is in its middle: %v", err)
		}
		select {}
	}
	scaffold.Run(t, scenario)
}

// The host lives in the test's process, so killing the process in the middle of a scenario is killing the host.
func TestAKilledScenarioLeavesNothing(t *testing.T) {
	scaffold.OnlyReplay(t)
	temporary := t.TempDir()
	said, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	victim := exec.Command(os.Args[0], "-test.run=^TestAVictimWaitsInTheMiddle$")
	victim.Env = append(os.Environ(), victimVariable+"=1", "TEST_TMPDIR="+temporary, "TEST_UNDECLARED_OUTPUTS_DIR="+t.TempDir())
	victim.ExtraFiles = []*os.File{tell}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tell.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("the victim never came to its middle: %v, %v", err, victim.Wait())
	}
	var group int
	var workspace string
	if _, err := fmt.Sscan(line, &group, &workspace); err != nil {
		t.Fatalf("the victim says %q: %v", line, err)
	}
	if _, err := os.Stat(workspace); err != nil || !strings.HasPrefix(workspace, temporary) {
		t.Fatalf("the victim's workspace is %s: %v", workspace, err)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := victim.Wait(); err == nil {
		t.Fatal("the victim ended by itself")
	}
	// This process adopts orphans, so what the victim left can be waited for: Chromium's processes and the watchdog.
	if err := reapOrphans(temporary, group); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-group, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("Chromium's process group %d is still there: %v", group, err)
	}
	left, err := filepath.Glob(filepath.Join(temporary, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the killed scenario left %v", left)
	}
}

// reapOrphans waits for every process of the group and for every one whose command line names the folder, until there is none.
func reapOrphans(folder string, group int) error {
	for {
		pid, err := orphan(folder, group)
		if err != nil || pid == 0 {
			return err
		}
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil && !errors.Is(err, syscall.ECHILD) {
			return fmt.Errorf("waiting for the orphan %d: %w", pid, err)
		}
	}
}

// orphan returns a child of this process that the victim left, or 0.
func orphan(folder string, group int) (int, error) {
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, path := range commands {
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/cmdline", &pid); err != nil {
			return 0, err
		}
		command, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return 0, err
		}
		itsGroup, err := syscall.Getpgid(pid)
		if err != nil {
			continue // it is gone
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) {
			continue
		}
		if itsGroup == group || strings.Contains(string(command), folder) {
			return pid, nil
		}
	}
	return 0, nil
}
