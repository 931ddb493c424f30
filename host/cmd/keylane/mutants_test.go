package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// invoked is what came of a command line.
type invoked struct {
	code          int
	out, problems string
}

// manners are what every command keeps to: exit codes, what goes to which stream, and that an error says what to do next. It returns what
// was not kept by the commands that invoke runs.
func manners(t *testing.T, invoke func(arguments ...string) invoked) (broken []string) {
	t.Helper()
	home := t.TempDir()
	patch, file := filepath.Join(home, "bad.yml"), filepath.Join(home, "file")
	write(t, patch, "- id: webservr\n  disabled: true\n")
	write(t, file, "")
	for _, each := range []struct {
		arguments []string
		code      int
		out, next string // what standard output says, "" for nothing; what standard error ends with, "" for nothing
	}{
		{[]string{"--help"}, exitOK, "Exit codes:", ""},
		{[]string{"web", "--help"}, exitOK, "Examples:", ""},
		{[]string{"config", "--help"}, exitOK, "Examples:", ""},
		{[]string{"config", "check", "--help"}, exitOK, "Examples:", ""},
		{[]string{"config", "dump", "--help"}, exitOK, "Examples:", ""},
		{[]string{"sessions", "--help"}, exitOK, "Examples:", ""},
		{[]string{"completion", "--help"}, exitOK, "Examples:", ""},
		{[]string{"version", "--help"}, exitOK, "Exit codes:", ""},
		{[]string{"version"}, exitOK, "\npage r\nbuilt with go", ""},
		{[]string{"config", "check", "--home", home}, exitOK, "rows would start", ""},
		{[]string{"config", "check", "--home", home, "--all"}, exitOK, "started\twebserver\twebserver\tset by web.yml", ""},
		{[]string{"frob"}, exitMisused, "", "\nNext: keylane --help\n"},
		{[]string{"web", "--frob"}, exitMisused, "", "\nNext: keylane web --help\n"},
		{[]string{"sessions", "list", "--frob"}, exitMisused, "", "\nNext: keylane sessions list --help\n"},
		{[]string{"web", "--home", home, "--patch", patch}, exitFailed, "", "\nNext: mend that; keylane config check --home " + home + " --patch " + patch + " says whether it would start\n"},
		{[]string{"web", "--home", home, "--patch", home + "/none"}, exitFailed, "", "\nNext: name a file that can be read with --patch, or do without\n"},
		{[]string{"web", "--home", file}, exitFailed, "", "\nNext: put that right; or --home DIR or KEYLANE_HOME names another folder\n"},
		{[]string{"sessions", "list", "--home", home + "/none"}, exitNotFound, "", "\nNext: --home DIR or KEYLANE_HOME names another; keylane web makes it\n"},
	} {
		got := invoke(each.arguments...)
		if got.code != each.code || !strings.Contains(got.out, each.out) || each.out == "" && got.out != "" || !strings.HasSuffix(got.problems, each.next) || each.next == "" && got.problems != "" {
			broken = append(broken, fmt.Sprintf("keylane %s: exit %d, out %q, err %q", strings.Join(each.arguments, " "), got.code, got.out, got.problems))
		}
	}
	return broken
}

func TestEveryCommandKeepsItsManners(t *testing.T) {
	for _, each := range manners(t, func(arguments ...string) invoked {
		code, out, problems := invoke(t, arguments...)
		return invoked{code, out, problems}
	}) {
		t.Error(each)
	}
}

// Commands without manners are seen.
func TestACommandWithoutMannersIsSeen(t *testing.T) {
	for name, mutant := range map[string]struct {
		spoil func(invoked) invoked
		seen  string
	}{
		"failures that look like success": {func(i invoked) invoked { i.code = exitOK; return i }, "keylane frob: exit 0"},
		"errors among the results":        {func(i invoked) invoked { i.out, i.problems = i.out+i.problems, ""; return i }, "keylane sessions list --home"},
		"no next step": {func(i invoked) invoked {
			i.problems, _, _ = strings.Cut(i.problems, "Next:")
			return i
		}, "keylane web --frob: exit 2"},
		"help that does not teach": {func(i invoked) invoked { i.out = strings.ReplaceAll(i.out, "Examples:", ""); return i }, "keylane config dump --help"},
		"chatter":                  {func(i invoked) invoked { i.problems = "hello\n" + i.problems; return i }, "keylane version: exit 0"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Join(manners(t, func(arguments ...string) invoked {
				code, out, problems := invoke(t, arguments...)
				return mutant.spoil(invoked{code, out, problems})
			}), "\n")
			if !strings.Contains(broken, mutant.seen) {
				t.Errorf("nothing says %q:\n%s", mutant.seen, broken)
			}
		})
	}
}

// A row that did not start is told of on the terminal, and the host serves.
func TestARowThatDoesNotStartIsToldAndStopsNothing(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "config.yml"), "- insert: [{id: again, plugin: tool-todo}]\n")
	p := start(t, home, "--port", "0")
	if p.url == "" {
		t.Fatalf("it does not serve: %s", p.problem)
	}
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	code := p.exit(t)
	if said := p.problem.String(); code != exitOK || !strings.Contains(said, `config.yml:1:12: row "again" did not start: `) || !strings.Contains(said, "\nNext: everything else runs.") {
		t.Errorf("exit %d: %s", code, said)
	}
}
