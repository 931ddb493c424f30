// Package built runs the built `keylane web` as a process, for what is about the program as people start it: how it begins and ends, what it
// costs, what survives it.
//
//	host, err := built.Start(built.Options{Target: "//e2e/perf/boot", Home: t.TempDir()})
//	...                       // host.URL(), host.PID()
//	err = host.Stop()         // as Ctrl-C does; an error unless it ended with 0
//
// It says nothing about how a scenario is judged, and knows of the product only what stands in its help: the command line and the line
// that it prints.
package built

import (
	"bufio"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Variable is the environment variable by which a test rule names the command: an absolute path, or one relative to TEST_SRCDIR (Bazel's
// rlocation path).
const Variable = "KEYLANE_BINARY"

// Command is the path that [Variable] names. A test without it must fail, not skip; target is its Bazel label.
func Command(target string) (string, error) {
	path := os.Getenv(Variable)
	if path == "" {
		return "", fmt.Errorf("built: %s is not set. Run `./bazelw test %s`, which sets it, or set it to the absolute path of a keylane with the page in it", Variable, target)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	return path, nil
}

// Version is what the command says of itself: its version and the page's revision.
func Version(target string) (string, error) {
	path, err := Command(target)
	if err != nil {
		return "", err
	}
	text, err := exec.Command(path, "version").Output()
	if err != nil {
		return "", fmt.Errorf("built: asking for the version: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[:min(2, len(lines))], ", "), nil
}

// Options say how to start a host.
type Options struct {
	Target string // the test's Bazel label
	Home   string // its home folder
	Folder string // where it runs; "" is its home
	Port   int    // 0 takes a free one
	// Environment is added to the test's own.
	Environment []string
}

// A Host is a running command. Whoever starts one stops or kills it.
type Host struct {
	command *exec.Cmd
	address *url.URL
}

// Start starts the command and waits until it has printed its address. What it says on standard error goes to the test's.
func Start(o Options) (*Host, error) {
	path, err := Command(o.Target)
	if err != nil {
		return nil, err
	}
	if o.Folder == "" {
		o.Folder = o.Home
	}
	h := &Host{command: exec.Command(path, "web", "--port", strconv.Itoa(o.Port), "--no-open", "--home", o.Home)}
	h.command.Dir, h.command.Stderr, h.command.Env = o.Folder, os.Stderr, append(os.Environ(), o.Environment...)
	output, err := h.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("built: starting keylane web: %w", err)
	}
	if err := h.command.Start(); err != nil {
		return nil, fmt.Errorf("built: starting keylane web: %w", err)
	}
	lines := bufio.NewReader(output)
	line, err := lines.ReadString('\n')
	at := strings.Index(line, "http://")
	if err == nil && at < 0 {
		err = errors.New("there is no address in it")
	}
	if err == nil {
		h.address, err = url.Parse(strings.TrimSpace(line[at:]))
	}
	if err != nil {
		_ = h.Kill() // how it ended stands on standard error
		return nil, fmt.Errorf("built: keylane web printed %q: %w", line, err)
	}
	return h, nil
}

// URL is the address that it printed.
func (h *Host) URL() string { return h.address.String() }

// PID is its process id.
func (h *Host) PID() int { return h.command.Process.Pid }

// ResidentMiB is the memory that it holds, VmRSS of proc(5).
func (h *Host) ResidentMiB() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.PID()))
	if err != nil {
		return 0, fmt.Errorf("built: reading the host's memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kilobytes); err == nil {
			return kilobytes / 1024, nil
		}
	}
	return 0, errors.New("built: there is no VmRSS in the host's status")
}

// Stop ends it as Ctrl-C does, and waits; it is an error when it does not end with 0. One that has ended is left alone.
func (h *Host) Stop() error {
	if h.command.ProcessState != nil {
		return nil
	}
	if err := h.command.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("built: stopping keylane web: %w", err)
	}
	if err := h.command.Wait(); err != nil {
		return fmt.Errorf("built: keylane web did not stop with 0: %w", err)
	}
	return nil
}

// Kill ends it as a crash would; one that was ended before is left alone, and one that ended by itself is an error.
func (h *Host) Kill() error {
	if h.command.ProcessState != nil {
		return nil
	}
	_ = h.command.Process.Kill() // one that has ended by itself says so below
	var killed *exec.ExitError
	if err := h.command.Wait(); !errors.As(err, &killed) || killed.ExitCode() != -1 {
		return fmt.Errorf("built: keylane web was not killed, it ended: %w", errors.Join(err, errors.New(h.command.ProcessState.String())))
	}
	return nil
}
