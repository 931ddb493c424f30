package bash

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"keylane/host/session"
	"keylane/host/tool"
)

// outcome is how a command ended.
type outcome struct {
	stdout, stderr string
	state          *os.ProcessState
	timedOut       bool
	aborted        bool
	leftovers      bool // the shell exited and left processes behind
}

func (o *outcome) result(args arguments, cwd string, timeout time.Duration) tool.Result {
	card := meta{Card: "terminal", Command: args.Command, Cwd: cwd, Description: args.Description, TimedOut: o.timedOut}
	status, _ := o.state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		card.Signal = signalName(status.Signal())
	} else {
		code := status.ExitStatus()
		card.ExitCode = &code
	}
	result := tool.Result{Text: o.text(card, timeout)}
	if o.aborted {
		result.IsError = true
		result.Error = &session.ToolError{Name: "AbortError", Code: CodeAborted}
	}
	payload, err := json.Marshal(card)
	if err != nil { // strings, numbers and booleans always encode
		return tool.Failed("InternalError", tool.CodeInternal, err.Error())
	}
	result.Meta = payload
	return result
}

func (o *outcome) text(card meta, timeout time.Duration) string {
	var sections []string
	if o.stdout != "" {
		sections = append(sections, strings.TrimSuffix(o.stdout, "\n"))
	}
	if o.stderr != "" {
		sections = append(sections, "[stderr]\n"+strings.TrimSuffix(o.stderr, "\n"))
	}
	if card.ExitCode != nil && *card.ExitCode != 0 {
		sections = append(sections, fmt.Sprintf("[exit code: %d]", *card.ExitCode))
	}
	if card.Signal != "" {
		sections = append(sections, fmt.Sprintf("[killed by signal: %s]", card.Signal))
	}
	switch {
	case o.aborted:
		sections = append(sections, "[aborted]")
	case o.timedOut:
		sections = append(sections, fmt.Sprintf("[timed out after %s]", timeout))
	case o.leftovers:
		sections = append(sections, "[processes left in the background were ended]")
	}
	if len(sections) == 0 {
		return "[no output]"
	}
	return strings.Join(sections, "\n")
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL", syscall.SIGTRAP: "SIGTRAP",
	syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1",
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
	syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGSYS: "SIGSYS",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
