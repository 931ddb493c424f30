package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/spill"
	"keylane/host/tool"
)

// Config is what a composition decides. Zero values stand for the defaults.
type Config struct {
	// MaxFileBytes is the largest file that is searched, changed or written; default 10 MiB. Reading has no such bound: it takes a
	// file line by line.
	MaxFileBytes int64
	// ResultCapBytes is how much text one result has at most, about; default 64 000.
	ResultCapBytes int
	// Ignore names folders that searches leave out wherever they lie; nil is .git and node_modules.
	Ignore []string
	// Gitignore lets searches leave out what .gitignore files name.
	Gitignore bool
	// Spill is where output lies that was too long for a result: read takes its handles. Nil has none.
	Spill *spill.Folder
}

func (c Config) withDefaults() Config {
	if c.MaxFileBytes <= 0 {
		c.MaxFileBytes = 10 << 20
	}
	if c.ResultCapBytes <= 0 {
		c.ResultCapBytes = 64_000
	}
	if c.Ignore == nil {
		c.Ignore = []string{".git", "node_modules"}
	}
	return c
}

// New makes the five tools.
func New(c Config) []tool.Tool {
	c = c.withDefaults()
	known := newSeen()
	return []tool.Tool{readTool(c, known), writeTool(c, known), editTool(c, known), globTool(c), grepTool(c)}
}

// outcome is a call that did what it was asked: the text for the model and the payload for the page.
type outcome struct {
	text string
	meta any
}

// callView is what the page shows of a call that has no result: the card that the result will have, as far as the arguments tell it.
type callView struct {
	Card    string `json:"card"`           // "file", "diff" or "search"
	Path    string `json:"path,omitempty"` // as the model wrote it, but relative where it lies below the working directory
	Pattern string `json:"pattern,omitempty"`
	Include string `json:"include,omitempty"`
}

// fileTool is one of the five: what the model is shown, and the work for arguments A.
type fileTool[A any] struct {
	name, description string
	parallel          bool
	about             func(args A) callView
	run               func(ctx context.Context, w *workspace, args A) (outcome, error)
}

// Schema is what the model is shown.
func (t *fileTool[A]) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: t.name, Description: t.description, Parameters: tool.Parameters[A]()}
}

// Parallel tells that the tool changes nothing.
func (t *fileTool[A]) Parallel() bool { return t.parallel }

// Present shows what the call is about. It looks at no file.
func (t *fileTool[A]) Present(c tool.Call) json.RawMessage {
	var args A
	if json.Unmarshal(c.Arguments, &args) != nil {
		return nil
	}
	about := t.about(args)
	if inside, ok := below(c.Cwd, about.Path); ok && filepath.IsAbs(about.Path) {
		about.Path = filepath.ToSlash(inside)
	}
	view, err := encode(about)
	if err != nil {
		return nil
	}
	return view
}

// Run does the work; see the package comment.
func (t *fileTool[A]) Run(ctx context.Context, c tool.Call) tool.Result {
	var args A
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
	}
	w, err := openWorkspace(c)
	if err != nil {
		return failure(err)
	}
	defer w.close()
	if ctx.Err() != nil {
		return failure(refuse(CodeAborted, "the call was aborted before it started"))
	}
	done, err := t.run(ctx, w, args)
	if err != nil {
		return failure(err)
	}
	meta, err := encode(done.meta)
	if err != nil {
		return failure(err)
	}
	return tool.Result{Text: done.text, Meta: meta}
}

// changeTool is one that changes a file. Its work is a plan, which is also what a person is shown before it is carried out.
type changeTool[A any] struct {
	fileTool[A]
	plan func(w *workspace, args A) (change, error)
}

// change is what a call would do to a file: its whole new content, and the outcome once it is done.
type change struct {
	name, content string
	mode          fs.FileMode
	done          outcome
	// blind says that the change replaces also what the agent has not seen: nothing if the file is as it was last seen.
	blind bool
}

func changing[A any](t fileTool[A], known *seen, plan func(w *workspace, args A) (change, error)) tool.Tool {
	t.run = func(_ context.Context, w *workspace, args A) (outcome, error) {
		c, err := plan(w, args)
		if err != nil {
			return outcome{}, err
		}
		if err := w.replace(c.name, c.content, c.mode); err != nil {
			return outcome{}, err
		}
		if !c.blind {
			known.saw(w.sessionID, w.full(c.name), digest(c.content))
		}
		return c.done, nil
	}
	return &changeTool[A]{t, plan}
}

// changeScope covers all changes that the tools of this package make.
const changeScope = "files: change"

// Ask shows the change. One that cannot be made is refused before anybody is asked.
func (t *changeTool[A]) Ask(_ context.Context, c tool.Call) tool.Request {
	refused := func(err error) tool.Request {
		result := failure(err)
		return tool.Request{Scope: changeScope, Refusal: &result}
	}
	var args A
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return refused(err)
	}
	w, err := openWorkspace(c)
	if err != nil {
		return refused(err)
	}
	defer w.close()
	planned, err := t.plan(w, args)
	if err != nil {
		return refused(err)
	}
	view, err := encode(planned.done.meta)
	if err != nil {
		return refused(err)
	}
	return tool.Request{Scope: changeScope, View: view}
}

// encode leaves < > & as they are: the payload goes into the log, which has text as it was written.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("files: encoding the result's card: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func clockOr(c clock.Clock) clock.Clock {
	if c == nil {
		return clock.System()
	}
	return c
}
