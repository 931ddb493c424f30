package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletionKnowsCommandsFlagsValuesAndSessions(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	storedSession(t, store, "session-a", "/srv/a", "The\ttitle", 1, longAgo)
	storedSession(t, store, "session-b", "/srv/a", "Another", 1, longAgo)
	storedSession(t, store, "session c", "/srv/a", "Needs quotes", 1, longAgo)
	for words, want := range map[string]string{
		"se":                                    "sessions",
		"sessions ":                             "list show export repair delete",
		"sessions re":                           "repair",
		"config ":                               "check dump",
		"web --no":                              "--no-open",
		"sessions list --d":                     "--damaged",
		"--home x sessions li":                  "list",
		"sessions export --format ":             "jsonl markdown",
		"sessions export --format m":            "markdown",
		"sessions export --format = m":          "markdown", // bash parts words at =
		"sessions export --format =":            "jsonl markdown",
		"sessions export --to ":                 files,
		"sessions list --patch x --patch ":      files,
		"web --home ":                           folders,
		"web --port ":                           "",
		"web ":                                  "",
		"sessions show ":                        "session-a session-b",
		"sessions show --home HOME session-":    "session-a session-b",
		"sessions show --home=/nowhere session": "",
		"sessions show session-a ":              "",
		"sessions delete session-a session-":    "session-a session-b",
		"completion ":                           "bash zsh fish",
		"nonsense ":                             "web sessions config completion version",
	} {
		var asked []string
		for word := range strings.SplitSeq(words, " ") {
			asked = append(asked, strings.ReplaceAll(word, "HOME", home))
		}
		o := keylane(t, home, append([]string{"complete", "--"}, asked...)...).want(t, exitOK)
		var got []string
		for line := range strings.Lines(o.out) {
			word, help, described := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if described == strings.HasPrefix(word, ":") || strings.Contains(help, "\t") {
				t.Errorf("%q: line %q", words, line)
			}
			got = append(got, word)
		}
		if all := strings.Join(got, " "); all != want || o.err != "" {
			t.Errorf("%q: got %q, want %q; %s", words, all, want, o.err)
		}
	}
	if out := keylane(t, home, "--help").want(t, exitOK).out; strings.Contains(out, "\n  complete ") {
		t.Error("the command that the scripts ask is shown to people")
	}
	keylane(t, home, "completion", "csh").want(t, exitMisused)
}

// TestTheScriptsWorkInTheirShells has each shell complete with a keylane that is this program, where the machine has the shell.
func TestTheScriptsWorkInTheirShells(t *testing.T) {
	folder := t.TempDir()
	home := filepath.Join(folder, "home")
	storedSession(t, shelfOf(t, home), "session-a", "/srv/a", "A title", 1, longAgo)
	write(t, filepath.Join(folder, "some file"), "")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(folder, "keylane")); err != nil {
		t.Fatal(err)
	}
	const bash = `source <(keylane completion bash)
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keylane 2>/dev/null; printf '%s\n' "${COMPREPLY[@]}" .; }
ask keylane sess; ask keylane sessions show ""; ask keylane sessions export --to so; ask keylane sessions export --format = m`
	const fish = `keylane completion fish | source
for line in 'keylane sess' 'keylane sessions show ' 'keylane sessions export --to so' 'keylane sessions export --format m'
complete -C "$line"
echo .
end`
	for shell, c := range map[string]struct{ script, want string }{
		"bash": {bash, "sessions\n.\nsession-a\n.\nsome file\n.\nmarkdown\n.\n"},
		"fish": {fish, "sessions\tList, show, export, repair and delete sessions\n.\nsession-a\tA title\n.\nsome file\n.\nmarkdown\n.\n"},
		"zsh":  {"compdef() { print registered; }\nsource <(keylane completion zsh)", "registered\n"},
	} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("this machine has no %s", shell)
			}
			command := exec.CommandContext(t.Context(), shell, "-c", c.script)
			command.Env = append(os.Environ(), asCommand+"=1", "KEYLANE_HOME="+home, "HOME="+folder, "PATH="+folder+":"+os.Getenv("PATH"))
			command.Dir = folder
			out, err := command.CombinedOutput()
			if got := strings.ReplaceAll(string(out), `some\ file`, "some file"); err != nil || got != c.want {
				t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, c.want)
			}
		})
	}
}
