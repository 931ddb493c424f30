// Command record drives a scenario against a provider and keeps the session that came out of it as the scenario's fixture.
//
//	./bazelw run //tools:record -- round_trip                   against e2e/round_trip/script.yml
//	./bazelw run //tools:record -- --script my.yml round_trip   against another script
//	./bazelw run //tools:record -- --live round_trip            against the live provider (DEEPSEEK_API_KEY)
//
// A script is a small YAML of replies that a loopback server gives in the provider's own wire format, so the real adapter is what
// gets recorded (see scaffold/record/script). The scenario runs under Bazel with KEYLANE_MODE=record: it drives the page, harvests
// the session from memory once the host is idle, scrubs it, and replays what it recorded with all of its checks. Only when that
// worked does this command write fixtures/<scenario>/. Goldens are not touched: run //tools:refresh afterwards.
//
// Exit codes: 0 the fixture is as recorded, 1 the scenario failed and nothing was written, 2 the command cannot be carried out.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/alecthomas/kong"

	"keylane/tools/buildevents"
	"keylane/tools/invoke"
)

type arguments struct {
	Script   string `help:"A script of replies to record against. Default: e2e/<scenario>/script.yml." xor:"source"`
	Live     bool   `help:"Record against the live provider; needs DEEPSEEK_API_KEY (and DEEPSEEK_BASE_URL for another one)." xor:"source"`
	DryRun   bool   `help:"Record and replay, and write nothing."`
	Scenario string `arg:"" help:"The scenario's name, such as round_trip."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("record"), kong.Description("Records the fixture of a scenario. It needs no key with a script; --live asks the real model."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
	}
	os.Exit(code)
}

func run(ctx context.Context, args arguments) (int, error) {
	workspace, err := invoke.Workspace()
	if err != nil {
		return 2, err
	}
	flags, err := flagsFor(workspace, args)
	if err != nil {
		return 2, err
	}
	build, err := invoke.Test(ctx, workspace, os.Stderr, flags...)
	if err != nil {
		return 2, err
	}
	recorded, err := recordedBy(build)
	if err != nil {
		return 1, err
	}
	written, err := keep(recorded, filepath.Join(workspace, "fixtures", args.Scenario), args.DryRun)
	if err != nil {
		return 2, err
	}
	switch {
	case len(written) == 0:
		fmt.Printf("fixtures/%s is as recorded\n", args.Scenario)
	case args.DryRun:
		fmt.Printf("fixtures/%s would change: %v\n", args.Scenario, written)
	default:
		fmt.Printf("fixtures/%s: wrote %v\nnow refresh its goldens: ./bazelw run //tools:refresh -- %s\n", args.Scenario, written, args.Scenario)
	}
	return 0, nil
}

// flagsFor says how Bazel is to run the scenario.
func flagsFor(workspace string, args arguments) ([]string, error) {
	folder := filepath.Join(workspace, "e2e", args.Scenario)
	if _, err := os.Stat(filepath.Join(folder, "BUILD.bazel")); err != nil {
		return nil, fmt.Errorf("there is no scenario %q: the scenarios are the folders of e2e/", args.Scenario)
	}
	flags := []string{"--config=record"}
	if args.Live {
		if os.Getenv("DEEPSEEK_API_KEY") == "" {
			return nil, fmt.Errorf("--live needs DEEPSEEK_API_KEY in the environment; without a key, record against a script")
		}
		// The config passes the key by name only: its value stands in no command line and no build event.
		flags = append(flags, "--config=record-live")
	} else {
		script, err := args.Script, error(nil)
		if script == "" {
			script = filepath.Join(folder, "script.yml")
		} else if script, err = filepath.Abs(invoke.Path(script)); err != nil {
			return nil, fmt.Errorf("finding the script: %w", err)
		}
		if _, err := os.Stat(script); err != nil {
			return nil, fmt.Errorf("there is no script to record against: %w; write e2e/%s/script.yml or use --live", err, args.Scenario)
		}
		// A script of one's own may lie outside the workspace, where the sandbox does not look.
		flags = append(flags, "--sandbox_add_mount_pair="+filepath.Dir(script), "--test_env=KEYLANE_RECORD_SCRIPT="+script)
	}
	return append(flags, "//e2e/"+args.Scenario+":"+args.Scenario), nil
}

// recordedBy returns the folder in which the scenario left its fixture.
func recordedBy(build buildevents.Build) (string, error) {
	if len(build.Problems) > 0 {
		return "", fmt.Errorf("nothing was recorded: %s", build.Problems[0])
	}
	if len(build.Tests) != 1 || len(build.Tests[0].Runs) == 0 {
		return "", fmt.Errorf("nothing was recorded: Bazel ran %d tests, want the one scenario", len(build.Tests))
	}
	test := build.Tests[0]
	if !test.Passed() {
		return "", fmt.Errorf("%s ended %s, so nothing was written; see %s", test.Label, test.Status, test.Runs[0].Outputs["test.log"])
	}
	folder := filepath.Join(test.Runs[0].OutputsFolder(), "fixture")
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("%s passed but recorded nothing: does it have a fixture? (%w)", test.Label, err)
	}
	return folder, nil
}

// keep copies what differs. The day of the recording alone is no difference: fixture.yml follows session.jsonl.
func keep(recorded, fixture string, dryRun bool) ([]string, error) {
	const log, meta = "session.jsonl", "fixture.yml"
	fresh, err := os.ReadFile(filepath.Join(recorded, log))
	if err != nil {
		return nil, fmt.Errorf("reading what was recorded: %w", err)
	}
	old, oldErr := os.ReadFile(filepath.Join(fixture, log))
	_, metaErr := os.Stat(filepath.Join(fixture, meta))
	if oldErr == nil && metaErr == nil && bytes.Equal(old, fresh) {
		return nil, nil
	}
	names := []string{log, meta}
	if dryRun {
		return names, nil
	}
	if err := os.MkdirAll(fixture, 0o755); err != nil {
		return nil, fmt.Errorf("making the fixture's folder: %w", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(recorded, name))
		if err != nil {
			return nil, fmt.Errorf("reading what was recorded: %w", err)
		}
		path := filepath.Join(fixture, name)
		if err := os.WriteFile(path+".new", text, 0o644); err != nil {
			return nil, fmt.Errorf("writing the fixture: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return nil, fmt.Errorf("writing the fixture: %w", err)
		}
	}
	return names, nil
}
