package chromium

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

//go:embed watchdog.sh
var watchdogScript string

// gate holds the start back until the watchdog knows the group: if this process dies in between, the
// read ends without a line and nothing was started. exec keeps the process id, so the group is known before Chromium is.
const gate = `IFS= read -r go <&5 || exit 1; exec 5<&-; exec "$@"`

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
