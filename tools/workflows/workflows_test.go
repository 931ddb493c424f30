package workflows

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is the repository: a checkout, or what of it is in the runfiles.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTheFilesOfCIKeepTheirPromises(t *testing.T) {
	problems, err := Check(os.DirFS(tree(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestEveryScriptIsOneThatBashCanRead(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(tree(t), ".ci", "*"))
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	for _, script := range scripts {
		if out, err := exec.Command("bash", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

const (
	goodScript   = "#!/usr/bin/env bash\n# What a change must pass.\nset -euo pipefail\necho\n"
	goodWorkflow = `name: gate
on:
  pull_request:
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    env:
      KEYLANE_CACHE: ${{ vars.KEYLANE_CACHE }}
    steps:
      - uses: actions/checkout@0123456789012345678901234567890123456789 # v4
        with:
          persist-credentials: false
      - run: .ci/gate
`
)

func TestEachBrokenPromiseIsSeen(t *testing.T) {
	good := func() fstest.MapFS {
		return fstest.MapFS{
			".ci/gate":                   {Data: []byte(goodScript), Mode: 0o755},
			".github/workflows/gate.yml": {Data: []byte(goodWorkflow)},
		}
	}
	if problems, err := Check(good()); err != nil || len(problems) > 0 {
		t.Fatalf("without a change: %v %v", problems, err)
	}
	for name, mutant := range map[string]struct{ file, from, to, says string }{
		"an action by its tag":          {"gate.yml", "@0123456789012345678901234567890123456789", "@v4", "whole commit hash"},
		"an action by a short hash":     {"gate.yml", "@0123456789012345678901234567890123456789", "@0123456", "whole commit hash"},
		"a token left in the tree":      {"gate.yml", "persist-credentials: false", "fetch-depth: 1", "persist-credentials"},
		"a command that is no script":   {"gate.yml", "run: .ci/gate", "run: make && curl example.com", "no plain call"},
		"words of a stranger in a line": {"gate.yml", "run: .ci/gate", "run: .ci/gate ${{ github.head_ref }}", "no plain call"},
		"a script that is not there":    {"gate.yml", "run: .ci/gate", "run: .ci/none", "there is no .ci/none"},
		"a golden written":              {"gate.yml", "run: .ci/gate", "run: ./bazelw run //tools:refresh", "never writes"},
		"a golden written by a script":  {"gate", "echo", "./bazelw test --config=refresh //e2e/...", "never writes"},
		"a recording":                   {"gate", "echo", "go run ./tools/record hello", "never writes"},
		"an accepted difference":        {"gate", "echo", "./bazelw run //tools:accept", "never writes"},
		"a mode by its variable":        {"gate.yml", "KEYLANE_CACHE: ", "KEYLANE_MODE: ", "never writes"},
		"a secret for strangers":        {"gate.yml", "vars.KEYLANE_CACHE ", "secrets.KEYLANE_CACHE ", "given a secret"},
		"an upload by strangers":        {"gate.yml", "KEYLANE_CACHE: ${{ vars.KEYLANE_CACHE }}", "KEYLANE_CACHE_UPLOAD: yes", "write into the cache"},
		"a secret for an action":        {"gate.yml", "persist-credentials: false", "persist-credentials: false\n          token: ${{ secrets.TOKEN }}", "given a secret"},
		"rights of the repository":      {"gate.yml", "  pull_request:", "  pull_request_target:", "pull_request_target"},
		"a right to write":              {"gate.yml", "contents: read", "contents: write", "permissions"},
		"no word about rights":          {"gate.yml", "permissions:\n  contents: read\n", "", "permissions"},
		"no end":                        {"gate.yml", "    timeout-minutes: 60\n", "", "timeout-minutes"},
		"any system":                    {"gate.yml", "ubuntu-24.04", "ubuntu-latest", "runs-on"},
		"a misspelt key":                {"gate.yml", "timeout-minutes", "timeout-minuets", "timeout-minuets"},
		"no YAML":                       {"gate.yml", "jobs:", "jobs: [", "yaml"},
		"nothing that starts it":        {"gate.yml", "on:\n  pull_request:\n", "", "never runs"},
		"a log of every command":        {"gate", "set -euo pipefail\n", "set -euo pipefail\nset -x\n", "secret"},
		"a log of the environment":      {"gate", "echo", "printenv", "secret"},
		"a token that is shown":         {"gate", "echo", `echo "$KEYLANE_CACHE_TOKEN"`, "secret"},
		"a failure passed over":         {"gate", "set -euo pipefail\n", "", "set -euo pipefail"},
		"another shell":                 {"gate", "env bash", "env zsh", "names bash"},
	} {
		t.Run(name, func(t *testing.T) {
			files := good()
			for path, file := range files {
				if !strings.HasSuffix(path, "/"+mutant.file) {
					continue
				}
				if !strings.Contains(string(file.Data), mutant.from) {
					t.Fatalf("%q is not in %s", mutant.from, path)
				}
				file.Data = []byte(strings.Replace(string(file.Data), mutant.from, mutant.to, 1))
			}
			problems, err := Check(files)
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Join(problems, "\n"); !strings.Contains(found, mutant.says) {
				t.Errorf("nothing says %q: %s", mutant.says, found)
			}
		})
	}
	unusable := good()
	unusable[".ci/gate"].Mode = 0o644
	if problems, err := Check(unusable); err != nil || len(problems) != 1 || !strings.Contains(problems[0], "chmod") {
		t.Errorf("a script that cannot be executed: %v %v", problems, err)
	}
	for name, tree := range map[string]fs.FS{"nothing": fstest.MapFS{}, "no script": fstest.MapFS{".github/workflows/gate.yml": {Data: []byte(goodWorkflow)}}} {
		if _, err := Check(tree); err == nil {
			t.Errorf("%s: taken for the tree that was meant", name)
		}
	}
}
