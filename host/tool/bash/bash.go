package bash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/tool"
)

// Error codes of results that are errors.
const (
	CodeNotStarted = "SPAWN_FAILED"
	CodeAborted    = "TOOL_ABORTED"
)

// MaxTimeout is the longest timeout a call may ask for.
const MaxTimeout = 10 * time.Minute

// Config is what a composition decides. Zero values stand for the defaults.
type Config struct {
	// Timeout is how long a command may run that does not ask for another time; default 60 s.
	Timeout time.Duration
	// KillGrace is the time between TERM and KILL; default 3 s.
	KillGrace time.Duration
	// OutputCapBytes is how much of standard output and of standard error each is kept; default 64 000.
	OutputCapBytes int
}

// New makes the tool.
func New(c Config) tool.Tool {
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.KillGrace <= 0 {
		c.KillGrace = 3 * time.Second
	}
	if c.OutputCapBytes <= 0 {
		c.OutputCapBytes = 64_000
	}
	return &bash{config: c}
}

type bash struct{ config Config }

type arguments struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	TimeoutMs   int64  `json:"timeoutMs"`
}

// callView is what the page shows of a command that has not run, or not ended.
type callView struct {
	Card        string `json:"card"` // "terminal"
	Command     string `json:"command"`
	Cwd         string `json:"cwd"`
	Description string `json:"description"`
}

// meta is what the page's terminal card shows.
type meta struct {
	Card        string `json:"card"`
	Command     string `json:"command"`
	Cwd         string `json:"cwd"`
	Description string `json:"description"`
	// ExitCode is null for a command that did not exit by itself.
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	TimedOut bool   `json:"timedOut,omitempty"`
}

const parameters = `{
	"type": "object",
	"additionalProperties": false,
	"required": ["command", "description"],
	"properties": {
		"command": {"type": "string", "minLength": 1, "description": "The command line, given to bash -c"},
		"description": {"type": "string", "minLength": 1, "description": "What the command does, in five to ten words, for the person who watches"},
		"timeoutMs": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "How long the command may run, in milliseconds"}
	}
}`

// Schema is what the model is shown.
func (b *bash) Schema() llm.ToolSchema {
	var compact json.RawMessage
	compact = append(compact, strings.NewReplacer("\n", "", "\t", "").Replace(parameters)...)
	return llm.ToolSchema{
		Name: "bash",
		Description: "Runs a command with bash in the working directory and returns its output. Every call is a fresh shell: " +
			"directory changes and variables do not last, and what is left in the background when the shell exits is ended.",
		Parameters: compact,
	}
}

// Ask shows the command. An allowance for the session covers the very same command, and no other: nobody can say what another one does.
func (b *bash) Ask(_ context.Context, c tool.Call) tool.Request {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		refusal := tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
		return tool.Request{Refusal: &refusal}
	}
	view, err := encode(callView{"terminal", args.Command, c.Cwd, args.Description})
	if err != nil {
		refusal := tool.Failed("InternalError", tool.CodeInternal, err.Error())
		return tool.Request{Refusal: &refusal}
	}
	return tool.Request{Scope: "bash: " + args.Command, View: view}
}

// Present shows the command.
func (b *bash) Present(c tool.Call) json.RawMessage {
	var args arguments
	if json.Unmarshal(c.Arguments, &args) != nil {
		return nil
	}
	view, err := encode(callView{"terminal", args.Command, c.Cwd, args.Description})
	if err != nil {
		return nil
	}
	return view
}

// Run runs one command; see the package comment.
func (b *bash) Run(ctx context.Context, c tool.Call) tool.Result {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
	}
	if err := ctx.Err(); err != nil {
		return tool.Failed("AbortError", CodeAborted, "the command was aborted before it started")
	}
	timeout := b.config.Timeout
	if args.TimeoutMs > 0 {
		timeout = min(time.Duration(args.TimeoutMs)*time.Millisecond, MaxTimeout)
	}
	if err := checkCwd(c.Cwd); err != nil {
		return tool.Failed("SpawnError", CodeNotStarted, err.Error())
	}
	outcome, err := b.run(ctx, c.Clock, args.Command, c.Cwd, timeout)
	if err != nil {
		return tool.Failed("SpawnError", CodeNotStarted, fmt.Sprintf("the command could not be started: %v", err))
	}
	return outcome.result(args, c.Cwd, timeout)
}

func checkCwd(cwd string) error {
	if !filepath.IsAbs(cwd) {
		return fmt.Errorf("the working directory %q is not an absolute path", cwd)
	}
	info, err := os.Stat(cwd)
	switch {
	case err != nil:
		return fmt.Errorf("the working directory cannot be used: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the working directory %s is not a directory", cwd)
	}
	return nil
}

func (b *bash) run(ctx context.Context, clk clock.Clock, command, cwd string, timeout time.Duration) (*outcome, error) {
	if clk == nil {
		clk = clock.System()
	}
	stdout, err := newCapture(b.config.OutputCapBytes)
	if err != nil {
		return nil, err
	}
	stderr, err := newCapture(b.config.OutputCapBytes)
	if err != nil {
		stdout.abandon()
		return nil, err
	}
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = cwd, environment(os.Environ(), cwd)
	cmd.Stdout, cmd.Stderr = stdout.writer, stderr.writer
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		stdout.abandon()
		stderr.abandon()
		return nil, err
	}
	stdout.start()
	stderr.start()

	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }() // ends with the shell, which is killed below if it must be

	// Processes live in real time, also where the host's clock is pinned: only the timeout is the host's time.
	kernel := clock.System()
	group := &group{id: cmd.Process.Pid, clock: kernel, grace: b.config.KillGrace}
	out := &outcome{}
	expired, stopTimer := clk.After(timeout)
	defer stopTimer()
	var waitErr error
	select {
	case waitErr = <-exited:
		out.leftovers = group.settle()
	case <-expired:
		out.timedOut = true
		waitErr = group.endWithShell(exited)
	case <-ctx.Done():
		out.aborted = true
		waitErr = group.endWithShell(exited)
	}
	if out.leftovers {
		group.end(nil)
	}
	// Whoever still holds the pipes now is out of reach (setsid), so what was written so far is what there is.
	out.stdout, out.stderr = stdout.finish(kernel), stderr.finish(kernel)
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return nil, fmt.Errorf("waiting for the shell: %w", waitErr)
	}
	out.state = cmd.ProcessState
	return out, nil
}
