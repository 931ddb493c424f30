package scaffold

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnOrphanOfAnEndedChildIsFound(t *testing.T) {
	if err := becomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	before, err := children()
	if err != nil {
		t.Fatal(err)
	}
	// The shell ends at once and leaves a process behind, as a daemon does.
	shell := exec.Command("/bin/sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
	output, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	pid, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Wait(); err != nil {
		t.Fatal(err)
	}
	leaks, err := leakedProcesses(before)
	if err != nil {
		t.Fatal(err)
	}
	// By number only: between its fork and its exec the process has no name yet.
	if len(leaks) != 1 || !strings.Contains(leaks[0], "process "+strings.TrimSpace(pid)+" outlived") {
		t.Errorf("want the orphan named, got %q", leaks)
	}
	if err := exec.Command("kill", "-9", strings.TrimSpace(pid)).Run(); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderLeftBehindIsFound(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TEST_TMPDIR", folder)
	before, err := temporary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "left"), 0o755); err != nil {
		t.Fatal(err)
	}
	leaks, err := leakedFolders(before)
	if err != nil {
		t.Fatal(err)
	}
	if len(leaks) != 1 || !strings.Contains(leaks[0], "left outlived") {
		t.Errorf("want the folder named, got %q", leaks)
	}
}
