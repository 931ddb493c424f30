package binary_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// built is the command under test, as the words it is started with.
func built(t scaffold.T) []string {
	t.Helper()
	binary := os.Getenv("KEYLANE_BINARY")
	if binary == "" {
		t.Fatalf("KEYLANE_BINARY is not set: run ./bazelw test //e2e/binary, which sets it")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join(os.Getenv("TEST_SRCDIR"), binary)
	}
	return []string{binary}
}

// process is the command while it runs, and after.
type process struct {
	t       scaffold.T
	command *exec.Cmd
	out     *bufio.Reader
	err     *bytes.Buffer
	left    string // what it printed after its first line; valid after end
	ended   bool
}

// spawn starts it in a process group of its own, with a small environment. It is killed at the end of the test at the latest.
func spawn(t scaffold.T, words []string, home string, arguments ...string) *process {
	t.Helper()
	p := &process{t: t, err: &bytes.Buffer{}}
	p.command = exec.Command(words[0], append(words[1:len(words):len(words)], arguments...)...)
	p.command.Dir, p.command.Stderr = home, p.err
	p.command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KEYLANE_HOME=" + home, "DEEPSEEK_API_KEY=" + scaffold.ProviderKey}
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatalf("%v", err)
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.group(), syscall.SIGKILL) // there is nothing left of one that has ended
		p.end()
	})
	return p
}

func (p *process) group() int { return p.command.Process.Pid }

// firstLine is what it prints first, "" when it ends without a word.
func (p *process) firstLine() string {
	line, err := p.out.ReadString('\n')
	if err != nil && err != io.EOF {
		p.t.Fatalf("reading what the command prints: %v", err)
	}
	return line
}

func (p *process) terminate() {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatalf("%v", err)
	}
}

// end waits until it has ended, and returns what it said on standard error. A test that waits too long is ended by its own limit.
func (p *process) end() string {
	if p.ended {
		return p.err.String()
	}
	p.ended = true
	over := make(chan struct{})
	go func() { // ends with the process, or when its limit is over
		select {
		case <-over:
		case <-p.t.Context().Done():
			_ = syscall.Kill(-p.group(), syscall.SIGKILL)
		}
	}()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Errorf("reading what the command prints: %v", err)
	}
	p.left = string(rest)
	_ = p.command.Wait() // how it ended is for ProcessState
	close(over)
	return p.err.String()
}

// rest is what it printed after its first line.
func (p *process) rest() string { return p.left }

// survivors are the processes of a group whose leader has ended.
func survivors(t scaffold.T, group int) (left []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		// pid (name) state ppid pgrp …; the name may hold anything.
		_, after, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
		fields := strings.Fields(after)
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" {
			left = append(left, string(text))
		}
	}
	return left
}

func write(t scaffold.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

func open(t scaffold.T, address string) *chromium.Page {
	t.Helper()
	path, err := chromium.Executable("//e2e/binary")
	if err != nil {
		t.Fatalf("%v", err)
	}
	page, browser, err := chromium.OpenAlone(t.Context(), chromium.Options{Path: path}, address)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return page
}

// settled waits until the page shows a text and says of itself that it rests.
func settled(t scaffold.T, page *chromium.Page, text string) error {
	t.Helper()
	if _, err := page.WaitFor(t.Context(), chromium.Role("StaticText", text)); err != nil {
		return err
	}
	_, err := page.WaitFor(t.Context(), chromium.CSS(`:root[data-connection="connected"][data-busy="false"]`))
	return err
}
