package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold/fixture"
	"keylane/seed"
)

// A file is one that the command writes.
type file struct {
	path string // relative to the workspace
	kind string // "new" or "changed"
	text []byte
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkName refuses names that can be no scenario's and those that are taken.
func checkName(workspace, name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q cannot be a scenario's name: use lower-case letters, digits and underscores, a letter first", name)
	}
	for _, room := range []string{"e2e", "fixtures", "goldens"} {
		_, err := os.Lstat(filepath.Join(workspace, room, name))
		switch {
		case err == nil:
			return fmt.Errorf("%s/%s exists: choose another name, or remove it first", room, name)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("looking for %s/%s: %w", room, name, err)
		}
	}
	return nil
}

// scenarioOf makes everything that has to be written, and checks that it would work as far as that can be seen without a browser.
func scenarioOf(ctx context.Context, workspace string, s source, args arguments, today time.Time) ([]file, error) {
	values := valuesOf(s, args.Replace)
	log, err := scrubbed(s, values)
	if err != nil {
		return nil, fmt.Errorf("making a fixture of %s: %w", s.name, err)
	}
	header, events, err := session.Read(bytes.NewReader(log), session.ReadOptions{Lenient: true})
	if err != nil {
		return nil, fmt.Errorf("making a fixture of %s: %w", s.name, err)
	}
	plan := skeleton{Name: args.Name, Origin: s.name, Cut: s.open}
	if args.Origin != "" {
		plan.Origin = args.Origin
	}
	if args.Cold {
		if err := seedable(ctx, log); err != nil {
			return nil, fmt.Errorf("%s cannot be put on disk as a session: %w", s.name, err)
		}
	} else if plan.story, err = storyOf(header, events); err != nil {
		return nil, fmt.Errorf("%s cannot be replayed:\n  %s\nimport it as a session that lies on disk: --cold", s.name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	if plan.story.namesItsFolder() {
		return nil, fmt.Errorf("%s cannot be replayed: its first prompt begins with the session's folder, so the session's name would be cut from this "+
			"machine's path; let that prompt begin otherwise (--replace 'look into %s=look around'), or import it as a session that lies on disk: --cold", s.name, s.header.Cwd)
	}
	meta, err := metaOf(s, plan, header, events, today)
	if err != nil {
		return nil, err
	}
	build, test, err := plan.print(args.Cold)
	if err != nil {
		return nil, err
	}
	awaited, err := await(workspace, args.Name)
	if err != nil {
		return nil, err
	}
	name := args.Name
	return []file{
		{filepath.Join("fixtures", name, fixture.LogName), "new", log},
		{filepath.Join("fixtures", name, fixture.MetaName), "new", meta},
		{filepath.Join("e2e", name, "BUILD.bazel"), "new", build},
		{filepath.Join("e2e", name, name+"_test.go"), "new", test},
		{filepath.Join("goldens", "BUILD.bazel"), "changed", awaited},
	}, nil
}

func metaOf(s source, plan skeleton, header session.Header, events []session.Event, today time.Time) ([]byte, error) {
	model := session.Project(header, events).Model
	meta := fixture.Meta{
		Format: fixture.Format, Scenario: plan.Name, Source: "import", Origin: plan.Origin, SHA256: s.sha256,
		Provider: model.Provider, Model: model.Model, Recorded: today.UTC().Format(time.DateOnly),
	}
	if s.header.CreatedAt > 0 {
		meta.Recorded = time.UnixMilli(s.header.CreatedAt).UTC().Format(time.DateOnly)
	}
	return meta.Print()
}

// seedable puts the log into a store of its own, as the scenario will.
func seedable(ctx context.Context, log []byte) (err error) {
	folder, err := os.MkdirTemp("", "keylane-import-")
	if err != nil {
		return fmt.Errorf("making a folder to try it: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store, err := jsonl.New(jsonl.Config{Root: folder}, clock.System())
	if err != nil {
		return fmt.Errorf("making a store to try it: %w", err)
	}
	_, err = seed.Session(ctx, store, log, seed.Options{SessionID: "session-imported", Cwd: folder, AllowOpen: true})
	return errors.Join(err, store.Close(ctx))
}

// awaitedList is where goldens/BUILD.bazel names scenarios whose folder may not be there yet: without goldens the scenario could not run.
var awaitedList = regexp.MustCompile(`(?s)awaited = \[\n(.*?)\]`)

// await adds a scenario to that list.
func await(workspace, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(workspace, "goldens", "BUILD.bazel"))
	if err != nil {
		return nil, fmt.Errorf("reading the list of awaited goldens: %w", err)
	}
	found := awaitedList.FindSubmatchIndex(text)
	if found == nil {
		return nil, errors.New(`goldens/BUILD.bazel has no list "awaited = [", a name on each line`)
	}
	line := "    \"" + name + "\",\n"
	lines := slices.Collect(strings.Lines(string(text[found[2]:found[3]])))
	at := slices.IndexFunc(lines, func(each string) bool { return strings.TrimSpace(each) > strings.TrimSpace(line) })
	if at < 0 {
		at = len(lines)
	}
	lines = slices.Insert(lines, at, line)
	return slices.Concat(text[:found[2]], []byte(strings.Join(lines, "")), text[found[3]:]), nil
}

// writeAll writes the files. What could not be written whole is taken back.
func writeAll(workspace string, files []file) error {
	var made []string
	for _, each := range files {
		path := filepath.Join(workspace, each.path)
		if err := write(path, each.text); err != nil {
			for _, path := range made {
				err = errors.Join(err, os.RemoveAll(path))
			}
			return err
		}
		if each.kind == "new" {
			made = append(made, filepath.Dir(path))
		}
	}
	return nil
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of a file: %w", err)
	}
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing the scenario: %w", err)
	}
	return nil
}
