package file_tools_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/files"
	"keylane/scaffold"
)

// running is how a tool's calls are run.
type running = func(context.Context, tool.Call) tool.Result

// around makes the tools with something around the calls of one of them.
func around(name string, act func(ctx context.Context, run running, call tool.Call) tool.Result) func(*composition.Scope) []tool.Tool {
	return func(*composition.Scope) []tool.Tool {
		tools := files.New(files.Config{})
		for i, each := range tools {
			if each.Schema().Name == name {
				tools[i] = scaffold.Wrapped{Tool: each, Around: act}
			}
		}
		return tools
	}
}

// pathOf is the file that a call is about.
func pathOf(call tool.Call) string {
	var arguments struct {
		FilePath string `json:"file_path"`
	}
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
		panic(err) // the schema has accepted it
	}
	return filepath.Join(call.Cwd, arguments.FilePath)
}

// heldOpen is the scenario in which somebody reads the file while it is edited: who has it open sees the old one, whole.
func heldOpen(outside string, edit func(ctx context.Context, run running, call tool.Call) tool.Result) (_ scaffold.Scenario, seen *string) {
	seen = new(string)
	held := scenario(outside)
	held.ReplaceTools("tool-files", around("edit", func(ctx context.Context, run running, call tool.Call) tool.Result {
		reader, err := os.Open(pathOf(call))
		if err != nil {
			*seen = err.Error()
			return run(ctx, call)
		}
		defer reader.Close()
		result := edit(ctx, run, call)
		text, err := io.ReadAll(reader)
		*seen = string(text)
		if err != nil {
			*seen = err.Error()
		}
		return result
	}))
	return held, seen
}

// wantOldFile checks what the one who had the file open has read.
func wantOldFile(t scaffold.T, seen string) {
	t.Helper()
	if seen != written {
		t.Errorf("who had the file open while it was edited read %q, want the old file, whole: %q", seen, written)
	}
}

func TestAnEditPutsANewFileIntoThePlaceOfTheOldOne(t *testing.T) {
	scaffold.OnlyReplay(t)
	held, seen := heldOpen(t.TempDir(), func(ctx context.Context, run running, call tool.Call) tool.Result { return run(ctx, call) })
	held.Check = nil
	scaffold.Run(t, held)
	wantOldFile(t, *seen)
}

// A tool that writes into the file that is there would be seen.
func TestAnEditInPlaceWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant, seen := heldOpen(t.TempDir(), func(_ context.Context, _ running, call tool.Call) tool.Result {
		if err := os.WriteFile(pathOf(call), []byte(poem), 0o600); err != nil {
			return tool.Failed("WriteError", tool.CodeInternal, err.Error())
		}
		return tool.Result{Text: "Edited poems/rain.txt: 1 replacement, in line 3."}
	})
	mutant.Check = nil
	failures := scaffold.Trial(t, func(t scaffold.T) {
		scaffold.Run(t, mutant)
		wantOldFile(t, *seen)
	})
	scaffold.WantSeen(t, failures, "who had the file open while it was edited read", "<b>& tea</b> at five.")
}

// Tools that follow a link out of the workspace, and write and read where it leads, would be seen.
func TestToolsThatEscapeWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, mutant := range map[string]struct {
		act  func(path string) (string, error)
		says []string
	}{
		"write": {func(path string) (string, error) {
			return "Overwrote escape.txt: 1 line, 12 bytes.", os.WriteFile(path, []byte("overwritten\n"), 0o600)
		}, []string{"has other tool results", `secret.txt holds "overwritten\n"`}},
		"read": {func(path string) (string, error) {
			text, err := os.ReadFile(path)
			return string(text), err
		}, []string{"has other tool results", "this is not for the model"}},
	} {
		t.Run(name, func(t *testing.T) {
			outside := t.TempDir()
			broken := scenario(outside)
			broken.ReplaceTools("tool-files", around(name, func(ctx context.Context, run running, call tool.Call) tool.Result {
				if filepath.Base(pathOf(call)) != "escape.txt" {
					return run(ctx, call)
				}
				text, err := mutant.act(pathOf(call))
				if err != nil {
					return tool.Failed("FileError", tool.CodeInternal, err.Error())
				}
				return tool.Result{Text: text}
			}))
			broken.Check = func(s *scaffold.Stage) { wantWorld(s, outside) }
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
			scaffold.WantSeen(t, failures, mutant.says...)
		})
	}
}
