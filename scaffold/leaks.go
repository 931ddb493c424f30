package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of prctl(2): orphans of this process become its children instead of init's, so
// that a process which outlives its parent is still found.
const prSetChildSubreaper = 36

func becomeSubreaper() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("scaffold: becoming a subreaper: %w", errno)
	}
	return nil
}

// children lists the direct children of this process that are alive, with their command lines. Zombies are collected on the
// way when nobody waits for them (adopted orphans).
func children() (map[int]string, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, fmt.Errorf("scaffold: listing processes: %w", err)
	}
	own := os.Getpid()
	alive := map[int]string{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended between the listing and here
		}
		// pid (name) state ppid ...; the name may hold anything, also a parenthesis
		_, rest, ok := cutLast(string(text), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil || parent != own || fields[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil {
			continue
		}
		alive[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	}
	return alive, nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// leakedProcesses tells which children there are now that were not there before, one sentence each.
func leakedProcesses(before map[int]string) ([]string, error) {
	after, err := children()
	if err != nil {
		return nil, err
	}
	var leaks []string
	for pid, line := range after {
		if _, ok := before[pid]; !ok {
			leaks = append(leaks, fmt.Sprintf("process %d outlived the scenario: %s", pid, line))
		}
	}
	sort.Strings(leaks)
	return leaks, nil
}

// temporary lists what lies in the test's own temporary folder. Without one (a plain `go test`) the folder is shared with
// everybody, and nothing can be said.
func temporary() (map[string]bool, error) {
	folder := os.Getenv("TEST_TMPDIR")
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("scaffold: listing the temporary folder: %w", err)
	}
	names := map[string]bool{}
	for _, entry := range entries {
		names[entry.Name()] = true
	}
	return names, nil
}

// leakedFolders tells what lies in the temporary folder now and did not before, one sentence each.
func leakedFolders(before map[string]bool) ([]string, error) {
	after, err := temporary()
	if err != nil {
		return nil, err
	}
	var leaks []string
	for name := range after {
		if !before[name] {
			leaks = append(leaks, fmt.Sprintf("%s outlived the scenario in its temporary folder", name))
		}
	}
	sort.Strings(leaks)
	return leaks, nil
}
