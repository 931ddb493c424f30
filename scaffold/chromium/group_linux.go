package chromium

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	termGrace = 3 * time.Second  // from asking the group to end to killing it
	killGrace = 10 * time.Second // from killing to giving up; the kernel ends processes at once unless they hang in it
)

// endGroup asks every process of the group to end, waits for each, and kills those that are
// still there after the grace. exited is closed when the leader, our child, has been reaped.
func endGroup(group int, exited <-chan struct{}) error {
	_ = syscall.Kill(-group, syscall.SIGTERM) // an empty group is what we want
	if awaitGroup(group, exited, termGrace) {
		return nil
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
	if awaitGroup(group, exited, killGrace) {
		return nil
	}
	return fmt.Errorf("chromium: processes %v of group %d did not end %v after being killed", members(group), group, killGrace)
}

// awaitGroup waits until no process of the group runs, at most for the time given. It waits on the
// processes themselves (a pidfd becomes readable when its process ends), not on a clock.
func awaitGroup(group int, exited <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	deadline := time.Now().Add(limit)
	select {
	case <-exited:
	case <-timer.C:
		return false
	}
	for {
		alive := members(group)
		if len(alive) == 0 {
			return true
		}
		for _, pid := range alive {
			if !awaitProcess(pid, time.Until(deadline)) {
				return false
			}
		}
	}
}

func awaitProcess(pid int, limit time.Duration) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	defer unix.Close(fd)
	for deadline := time.Now().Add(limit); ; {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err == nil && n > 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
	}
}

// members lists the processes of the group that have not ended.
func members(group int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has just gone
		}
		// pid (name) state parent group ...; the name may hold spaces and brackets.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// removeFolder removes the folder and names what it could not remove.
func removeFolder(folder string) error {
	err := os.RemoveAll(folder)
	if err == nil {
		return nil
	}
	var left []string
	_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, _ error) error {
		left = append(left, path)
		return nil
	})
	return fmt.Errorf("chromium: removing the temporary folder: %w; left: %s", err, strings.Join(left, ", "))
}
