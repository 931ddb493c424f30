package bash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"keylane/host/llm"
	"keylane/host/spill"
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
	// Spill is where longer output is kept whole; nil keeps nothing of it.
	Spill *spill.Folder
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
	Command     string `json:"command" schema:"required,min=1" about:"The command line, given to bash -c"`
	Description string `json:"description" schema:"required,min=1" about:"What the command does, in five to ten words, for the person who watches"`
	TimeoutMs   int64  `json:"timeoutMs" schema:"min=1,max=600000" about:"How long the command may run, in milliseconds"`
	Workdir     string `json:"workdir" schema:"min=1" about:"Where the command starts, relative to the working directory; default the working directory"`
}

// folder is where the command starts: workdir, which may be relative to the session's folder.
func (a arguments) folder(cwd string) string {
	switch {
	case a.Workdir == "":
		return cwd
	case filepath.IsAbs(a.Workdir):
		return filepath.Clean(a.Workdir)
	}
	return filepath.Join(cwd, a.Workdir)
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
	// Cuts are the streams that were too long, stdout first.
	Cuts []cut `json:"cuts,omitempty"`
}

// Schema is what the model is shown.
func (b *bash) Schema() llm.ToolSchema {
	return llm.ToolSchema{
		Name: "bash",
		Description: "Runs a command with bash in the working directory and returns its output. Every call is a fresh shell: " +
			"directory changes and variables do not last, and what is left in the background when the shell exits is ended, unless setsid started it. Of long output " +
			"the beginning and the end are returned, and the name of a file with all of it, for read.",
		Parameters: tool.Parameters[arguments](),
	}
}

// Ask shows the command. An allowance for the session covers the very same command in the same folder, and no other: nobody can say what
// another one does.
func (b *bash) Ask(_ context.Context, c tool.Call) tool.Request {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		refusal := tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
		return tool.Request{Refusal: &refusal}
	}
	view, err := encode(callView{"terminal", args.Command, args.folder(c.Cwd), args.Description})
	if err != nil {
		refusal := tool.Failed("InternalError", tool.CodeInternal, err.Error())
		return tool.Request{Refusal: &refusal}
	}
	scope := "bash: " + args.Command
	if args.Workdir != "" {
		scope = "bash in " + args.folder(c.Cwd) + ": " + args.Command
	}
	return tool.Request{Scope: scope, View: view}
}

// Present shows the command.
func (b *bash) Present(c tool.Call) json.RawMessage {
	var args arguments
	if json.Unmarshal(c.Arguments, &args) != nil {
		return nil
	}
	view, err := encode(callView{"terminal", args.Command, args.folder(c.Cwd), args.Description})
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
	cwd := args.folder(c.Cwd)
	for _, folder := range []string{c.Cwd, cwd} {
		if err := checkCwd(folder); err != nil {
			return tool.Failed("SpawnError", CodeNotStarted, err.Error())
		}
	}
	outcome, err := b.run(ctx, c, args.Command, cwd, timeout)
	if err != nil {
		return tool.Failed("SpawnError", CodeNotStarted, fmt.Sprintf("the command could not be started: %v", err))
	}
	return outcome.result(args, cwd, timeout)
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
