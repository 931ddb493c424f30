package chromium_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

// victimFolder makes the test binary start a Chromium in that folder, say so, and wait to be killed.
const victimFolder = "KEYLANE_CHROMIUM_VICTIM"

func beVictim() {
	path, err := executable()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	browser, err := chromium.Launch(context.Background(), chromium.Options{Path: path, Folder: os.Getenv(victimFolder)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready", browser.PID())
	select {}
}

func TestChromiumAndItsFolderGoWhenTheParentIsKilled(t *testing.T) {
	ctx := await.Context(t)
	folder := t.TempDir()
	victim := exec.CommandContext(ctx, os.Args[0])
	victim.Env = append(os.Environ(), victimFolder+"="+folder)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready") {
		t.Fatalf("the victim says %q, %v", line, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the folder holds %v, %v", entries, err)
	}
	gone := removal(t, filepath.Join(folder, entries[0].Name()))
	var group int
	if _, err := fmt.Sscanf(line, "ready %d", &group); err != nil {
		t.Fatal(err)
	}
	running := chromium.Members(group)
	if len(running) < 3 {
		t.Fatalf("only these run: %v", running)
	}
	if err := victim.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it was killed
	gone(10 * time.Second)
	for _, process := range processesNaming(folder) { // the watchdog, about to end
		var pid int
		if _, err := fmt.Sscan(process, &pid); err != nil {
			t.Fatal(err)
		}
		awaitExit(t, pid, 10*time.Second)
	}
	for _, pid := range running {
		awaitExit(t, pid, 10*time.Second)
	}
	if left := chromium.Members(group); len(left) > 0 {
		t.Errorf("left over in the group: %v", left)
	}
	if left := processesNaming(folder); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// removal watches for the folder's removal; the function it returns waits for it.
func removal(t *testing.T, folder string) func(limit time.Duration) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, folder, unix.IN_DELETE_SELF); err != nil {
		t.Fatal(err)
	}
	return func(limit time.Duration) {
		t.Helper()
		defer events.Close()
		if err := events.SetReadDeadline(time.Now().Add(limit)); err != nil {
			t.Fatal(err)
		}
		if _, err := events.Read(make([]byte, 4096)); err != nil {
			t.Errorf("%s is still there after %v: %v", folder, limit, err)
		}
	}
}

func awaitExit(t *testing.T, pid int, limit time.Duration) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // gone already
	}
	defer unix.Close(fd)
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(limit.Milliseconds())); err != nil || n == 0 {
		t.Errorf("process %d still runs after %v", pid, limit)
	}
}
