package bash

import (
	"bytes"
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
	leftovers      bool      // the shell exited and left processes behind, which were ended
	detached       []process // that go on in a session of their own
	cuts           []cut
}

func (o *outcome) result(args arguments, cwd string, timeout time.Duration) tool.Result {
	card := meta{Card: "terminal", Command: args.Command, Cwd: cwd, Description: args.Description, TimedOut: o.timedOut, Cuts: o.cuts}
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
	payload, err := encode(card)
	if err != nil {
		return tool.Failed("InternalError", tool.CodeInternal, err.Error())
	}
	result.Meta = payload
	return result
}

// encode leaves < > & as they are: the payload goes into the log, which has commands as they were typed.
func encode(v any) (json.RawMessage, error) {
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("bash: encoding the card: %w", err)
	}
	return bytes.TrimSpace(payload.Bytes()), nil
}

// text is what the model reads: standard output to the letter, then one section for each thing that is not plain success. A line
// break is added only where a section would begin in the middle of a line.
func (o *outcome) text(card meta, timeout time.Duration) string {
	text := o.stdout
	section := func(format string, args ...any) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += fmt.Sprintf(format, args...)
	}
	if o.stderr != "" {
		section("[stderr]\n%s", o.stderr)
	}
	if card.ExitCode != nil && *card.ExitCode != 0 {
		section("[exit code: %d]", *card.ExitCode)
	}
	if card.Signal != "" {
		section("[killed by signal: %s]", card.Signal)
	}
	switch {
	case o.aborted:
		section("[aborted]")
	case o.timedOut:
		section("[timed out after %s]", timeout)
	case o.leftovers:
		section("[processes left in the background were ended]")
	}
	if len(o.detached) > 0 {
		names := make([]string, len(o.detached))
		for i, p := range o.detached {
			names[i] = fmt.Sprintf("%s (process %d)", strings.ToValidUTF8(p.name, "\uFFFD"), p.id)
		}
		section("[left running in a session of its own: %s]", strings.Join(names, ", "))
	}
	if text == "" {
		return "[no output]"
	}
	return text
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
