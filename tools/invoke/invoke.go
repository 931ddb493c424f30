// Package invoke runs Bazel in the workspace for the commands under tools/ and reads back what it did.
//
// A tool started with `./bazelw run` finds the workspace through BUILD_WORKSPACE_DIRECTORY; started by hand it takes the folder
// it stands in. Test runs one `./bazelw test` with Bazel's own progress passed through to the terminal, and returns the build
// events. Nothing here writes into the workspace.
package invoke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"keylane/tools/buildevents"
)

// Workspace returns the absolute path of the repository's root, or an error that says how to start the tool.
func Workspace() (string, error) {
	dir := os.Getenv("BUILD_WORKSPACE_DIRECTORY")
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return "", fmt.Errorf("invoke: finding the workspace: %w", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "MODULE.bazel")); err != nil {
		return "", fmt.Errorf("invoke: %s is not the root of the workspace: start the tool with ./bazelw run", dir)
	}
	return dir, nil
}

// Path is a path as the person who started the tool meant it: below the folder they stood in, not below the runfiles where
// `./bazelw run` puts a tool.
func Path(path string) string {
	if folder := os.Getenv("BUILD_WORKING_DIRECTORY"); folder != "" && !filepath.IsAbs(path) {
		return filepath.Join(folder, path)
	}
	return path
}

// Test runs `./bazelw test` with args in the workspace. Bazel's output goes to progress. The build is returned also when tests
// failed; an error means that there is no build to speak of.
func Test(ctx context.Context, workspace string, progress io.Writer, args ...string) (buildevents.Build, error) {
	folder, err := os.MkdirTemp("", "keylane-events-")
	if err != nil {
		return buildevents.Build{}, fmt.Errorf("invoke: making a folder for the build events: %w", err)
	}
	defer os.RemoveAll(folder)
	events := filepath.Join(folder, "events.json")
	command := exec.CommandContext(ctx, filepath.Join(workspace, "bazelw"), append([]string{"test", "--build_event_json_file=" + events}, args...)...)
	command.Dir = workspace
	command.Stdout, command.Stderr = progress, progress
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	runErr := command.Run()
	build, err := buildevents.ReadFile(events)
	if err != nil {
		return buildevents.Build{}, fmt.Errorf("invoke: bazelw left no build events: %w", errors.Join(runErr, err))
	}
	if !build.Finished {
		return build, fmt.Errorf("invoke: bazelw ended before the build did: %w", runErr)
	}
	return build, nil
}
