package chromium

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

//go:embed watchdog.sh
var watchdogScript string

// gate holds the start back until the watchdog knows the group: if this process dies in between, the
// read ends without a line and nothing was started. exec keeps the process id, so the group is known before Chromium is.
const gate = `IFS= read -r go <&5 || exit 1; exec 5<&-; exec "$@"`

const (
	termGrace = 3 * time.Second  // from asking the group to end to killing it
	killGrace = 10 * time.Second // from killing to giving up; the kernel ends processes at once unless they hang in it
)

// process is the group, the folder and the watchdog of one Chromium.
type process struct {
	command   *exec.Cmd
	folder    string
	toChild   *os.File // commands
	fromChild *os.File // replies and events
	output    *lastLines

	exited   chan struct{} // closed when the main process has been reaped
	exitErr  error         // valid after exited
	outputAt chan struct{} // closed when the output has ended

	watchdog      *exec.Cmd
	watchdogInput io.WriteCloser
}

func startProcess(options Options) (_ *process, err error) {
	p := &process{exited: make(chan struct{}), outputAt: make(chan struct{})}
	p.output = &lastLines{forward: options.Stderr}
	if p.folder, err = os.MkdirTemp(options.Folder, "chromium-"); err != nil {
		return nil, fmt.Errorf("chromium: making the temporary folder: %w", err)
	}
	if p.folder, err = filepath.Abs(p.folder); err != nil {
		return nil, fmt.Errorf("chromium: making the temporary folder: %w", err)
	}
	started := false
	defer func() {
		if !started {
			err = errors.Join(err, os.RemoveAll(p.folder), p.dismissWatchdog())
		}
	}()
	for _, name := range []string{"profile", "tmp", "home"} {
		if err := os.Mkdir(filepath.Join(p.folder, name), 0o700); err != nil {
			return nil, fmt.Errorf("chromium: making the temporary folder: %w", err)
		}
	}
	if err := p.startWatchdog(); err != nil {
		return nil, err
	}
	var files pipes
	defer files.closeOnError(&err)
	childIn, toChild := files.make()
	fromChild, childOut := files.make()
	gateIn, gateOut := files.make()
	output, childOutput := files.make()
	if files.err != nil {
		return nil, fmt.Errorf("chromium: making pipes: %w", files.err)
	}
	p.command = exec.Command("/bin/sh", append([]string{"-c", gate, "sh", options.Path},
		options.flags(filepath.Join(p.folder, "profile"))...)...)
	p.command.Env = options.environment(p.folder)
	p.command.Dir = p.folder
	p.command.Stdout, p.command.Stderr = childOutput, childOutput
	p.command.ExtraFiles = []*os.File{childIn, childOut, gateIn} // descriptors 3, 4 and 5
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("chromium: starting %s: %w", options.Path, err)
	}
	started = true
	for _, f := range []*os.File{childIn, childOut, gateIn, childOutput} {
		_ = f.Close() // the child has its own
	}
	p.toChild, p.fromChild = toChild, fromChild
	go p.copyOutput(output)
	go func() {
		p.exitErr = p.command.Wait()
		close(p.exited)
	}()
	_, watchErr := fmt.Fprintf(p.watchdogInput, "%d\n", p.command.Process.Pid)
	_, gateErr := io.WriteString(gateOut, "go\n")
	if err := errors.Join(watchErr, gateErr, gateOut.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("chromium: starting %s: %w", options.Path, err), p.stop(), toChild.Close(), fromChild.Close())
	}
	return p, nil
}

// environment is all that Chromium sees: nothing of the machine's leaks in, and all it writes goes to folder.
func (o Options) environment(folder string) []string {
	tmp := filepath.Join(folder, "tmp")
	return []string{
		"HOME=" + filepath.Join(folder, "home"),
		"LANG=C.UTF-8",
		"LANGUAGE=" + o.Locale,
		"PATH=/usr/bin:/bin",
		"TEST_TMPDIR=" + tmp,
		"TMPDIR=" + tmp,
		"TZ=" + o.Timezone,
	}
}

func (p *process) startWatchdog() error {
	w := exec.Command("/bin/sh", "-c", watchdogScript, "sh", p.folder)
	w.Env = []string{"PATH=/usr/bin:/bin"}
	w.Dir = "/"
	w.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal to our group must not end it
	input, err := w.StdinPipe()
	if err != nil {
		return fmt.Errorf("chromium: starting the watchdog: %w", err)
	}
	if err := w.Start(); err != nil {
		return fmt.Errorf("chromium: starting the watchdog: %w", err)
	}
	p.watchdog, p.watchdogInput = w, input
	return nil
}

func (p *process) dismissWatchdog() error {
	if p.watchdog == nil {
		return nil
	}
	_, err := io.WriteString(p.watchdogInput, "done\n")
	err = errors.Join(err, p.watchdogInput.Close(), p.watchdog.Wait())
	if err != nil {
		return fmt.Errorf("chromium: ending the watchdog: %w", err)
	}
	return nil
}

// reason says how the main process ended. Call it after exited.
func (p *process) reason() string {
	if p.exitErr != nil {
		return p.exitErr.Error()
	}
	return p.command.ProcessState.String()
}

// awaitExitOrKill is for a process that has closed its end of the pipe.
func (p *process) awaitExitOrKill() {
	timer := time.NewTimer(termGrace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		_ = syscall.Kill(p.command.Process.Pid, syscall.SIGKILL) // fails only if it has just gone
		<-p.exited
	}
}

// stop ends the group, removes the folder and dismisses the watchdog, whatever of it fails.
func (p *process) stop() error {
	group := p.command.Process.Pid
	groupErr := endGroup(group, p.exited)
	<-p.outputEnd()
	return errors.Join(groupErr, removeFolder(p.folder), p.dismissWatchdog())
}

// outputEnd is closed soon after the group has gone. A process that escaped the group could hold the output open: it is not waited for.
func (p *process) outputEnd() <-chan struct{} { return p.outputAt }

func (p *process) copyOutput(from *os.File) {
	defer close(p.outputAt)
	defer from.Close()
	go func() {
		<-p.exited
		// Whatever the dying group still says comes within the grace; then the copy ends, held open or not.
		_ = from.SetReadDeadline(time.Now().Add(termGrace))
	}()
	_, _ = io.Copy(p.output, from)
}

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

// pipes makes pipes and closes them all if the start fails.
type pipes struct {
	files []*os.File
	err   error
}

func (p *pipes) make() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		p.err = errors.Join(p.err, err)
		return nil, nil
	}
	p.files = append(p.files, r, w)
	return r, w
}

func (p *pipes) closeOnError(err *error) {
	if *err == nil {
		return
	}
	for _, f := range p.files {
		_ = f.Close() // some are closed already
	}
}

// lastLines keeps the end of the output for error messages.
type lastLines struct {
	forward io.Writer

	mu   sync.Mutex // guards kept
	kept []byte
}

const keptOutput = 4 << 10 // bytes

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.kept = append(l.kept, b...)
	l.kept = l.kept[max(0, len(l.kept)-keptOutput):]
	l.mu.Unlock()
	if l.forward != nil {
		if _, err := l.forward.Write(b); err != nil {
			l.forward = nil // keep reading: Chromium must not block on a full pipe
		}
	}
	return len(b), nil
}

func (l *lastLines) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.kept))
}
