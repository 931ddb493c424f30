// Package workflows holds the files of CI to what they promise: GitHub's workflows do nothing but call the scripts of .ci/, which anybody
// can run, and none of them writes a golden, takes an action that can change under its name, or shows a secret.
//
// Check reads .github/workflows/*.yml and .ci/* of a tree. It knows the few parts of GitHub's format that the workflows here use
// (docs.github.com, "Workflow syntax for GitHub Actions") and takes any other key for a mistake, so that a misspelt one is none that
// GitHub passes over. What a hosted runner really does with them it cannot tell.
package workflows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A workflow is one file.
type workflow struct {
	Name        string               `yaml:"name"`
	On          map[string]yaml.Node `yaml:"on"`
	Permissions map[string]string    `yaml:"permissions"`
	Concurrency yaml.Node            `yaml:"concurrency"`
	Jobs        map[string]job       `yaml:"jobs"`
}

type job struct {
	RunsOn      string            `yaml:"runs-on"`
	Timeout     int               `yaml:"timeout-minutes"`
	Concurrency yaml.Node         `yaml:"concurrency"`
	Env         map[string]string `yaml:"env"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	If   string            `yaml:"if"`
	Uses string            `yaml:"uses"`
	With map[string]string `yaml:"with"`
	Run  string            `yaml:"run"`
	Env  map[string]string `yaml:"env"`
}

var (
	pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	script = regexp.MustCompile(`^\.ci/[a-z-]+( [\w.-]+)*$`)
	// what writes fixtures or goldens, by any of its names
	writes = regexp.MustCompile(`tools[/:](refresh|record|accept|import)\b|--config=(refresh|record)|KEYLANE_MODE|go run \./tools/(refresh|record|accept|import)`)
	// what puts the environment or each command into the log
	shows = regexp.MustCompile(`\bset -[a-z]*x|\bprintenv\b|^\s*env\s*$|\bbash -[a-z]*x`)
	token = regexp.MustCompile(`\b(echo|cat)\b.*\$\{?KEYLANE_CACHE_TOKEN`)
)

// Check returns what is wrong, one sentence each, sorted by file. A tree without any workflow or script is an error, because it is not
// the tree that was meant.
func Check(root fs.FS) ([]string, error) {
	files, err := fs.Glob(root, ".github/workflows/*")
	if err != nil {
		return nil, err
	}
	scripts, err := fs.Glob(root, ".ci/*")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 || len(scripts) == 0 {
		return nil, fmt.Errorf("workflows: %d workflows and %d scripts of CI are here", len(files), len(scripts))
	}
	var problems []string
	for _, name := range append(files, scripts...) {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, fmt.Errorf("workflows: reading %s: %w", name, err)
		}
		say := func(format string, arguments ...any) {
			problems = append(problems, name+": "+fmt.Sprintf(format, arguments...))
		}
		checkLines(text, say)
		if slices.Contains(scripts, name) {
			checkScript(root, name, text, say)
		} else {
			checkWorkflow(root, text, say)
		}
	}
	return problems, nil
}

// checkLines is for what no file of CI may say.
func checkLines(text []byte, say func(string, ...any)) {
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if writes.MatchString(line) {
			say("line %d: CI compares and never writes fixtures or goldens", number)
		}
		if code, _, _ := strings.Cut(line, "#"); shows.MatchString(code) || token.MatchString(code) {
			say("line %d: puts what may be secret into the log", number)
		}
	}
}

func checkScript(root fs.FS, name string, text []byte, say func(string, ...any)) {
	if !bytes.HasPrefix(text, []byte("#!/usr/bin/env bash\n# ")) {
		say("begins with neither the line that names bash nor what it is for")
	}
	if !bytes.Contains(text, []byte("\nset -euo pipefail\n")) {
		say("goes on after a command that failed: set -euo pipefail")
	}
	if info, err := fs.Stat(root, name); err != nil || info.Mode()&0o111 == 0 {
		say("cannot be executed: chmod +x")
	}
}

func checkWorkflow(root fs.FS, text []byte, say func(string, ...any)) {
	var read workflow
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&read); err != nil {
		say("%v", err)
		return
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		say("more than one document")
	}
	if len(read.On) == 0 || len(read.Jobs) == 0 {
		say("never runs: no `on` or no jobs")
	}
	if _, privileged := read.On["pull_request_target"]; privileged {
		say("pull_request_target runs what strangers propose with the repository's own rights")
	}
	_, ofStrangers := read.On["pull_request"]
	if len(read.Permissions) != 1 || read.Permissions["contents"] != "read" {
		say("permissions must be `contents: read` and nothing else")
	}
	for name, job := range read.Jobs {
		in := func(format string, arguments ...any) {
			say("job %s: %s", name, fmt.Sprintf(format, arguments...))
		}
		if job.Timeout == 0 {
			in("no timeout-minutes")
		}
		if job.RunsOn == "" || strings.HasSuffix(job.RunsOn, "-latest") {
			in("runs-on must name one system, not %q", job.RunsOn)
		}
		environment := []map[string]string{job.Env}
		for _, step := range job.Steps {
			environment = append(environment, step.Env)
			checkStep(root, step, in)
		}
		for _, variables := range environment {
			if ofStrangers && strings.Contains(fmt.Sprint(variables), "secrets.") {
				in("what strangers propose is given a secret")
			}
			if ofStrangers && variables["KEYLANE_CACHE_UPLOAD"] != "" {
				in("what strangers propose may write into the cache")
			}
		}
		if len(job.Steps) == 0 {
			in("no steps")
		}
	}
}

func checkStep(root fs.FS, step step, say func(string, ...any)) {
	switch {
	case (step.Uses == "") == (step.Run == ""):
		say("a step is one of `uses` and `run`")
	case step.Uses != "":
		if !pinned.MatchString(step.Uses) {
			say("%s is not pinned by a whole commit hash", step.Uses)
		}
		if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != "false" {
			say("checkout leaves its token in the tree: persist-credentials: false")
		}
		if strings.Contains(fmt.Sprint(step.With), "secrets.") {
			say("%s is given a secret", step.Uses)
		}
	case !script.MatchString(step.Run):
		say("%q is no plain call of a script of .ci/", step.Run)
	default:
		name, _, _ := strings.Cut(step.Run, " ")
		if _, err := fs.Stat(root, path.Clean(name)); err != nil {
			say("there is no %s", name)
		}
	}
}
