package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// invocation runs a command line in this process, on a home, until stop ends.
type invocation func(stop context.Context, arguments ...string) invoked

// inProcess is the invocation of the command as it is.
func inProcess(home string) invocation {
	return func(stop context.Context, arguments ...string) invoked {
		var out, problems bytes.Buffer
		code := run(append(arguments, "--home", home), console{strings.NewReader(""), &out, &problems, stop, page, nil})
		return invoked{code, out.String(), problems.String()}
	}
}

// someSessions makes a home with a sound session of two turns and a damaged one of three; it returns the path of that one's log.
func someSessions(t *testing.T) (home, damaged string) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	storedSession(t, store, "sound", "/srv/a", "A sound one", 2, longAgo)
	damaged = storedSession(t, store, "sick", "/srv/b", "A sick one", 3, longAgo)
	spoil(t, damaged, 2)
	return home, damaged
}

// sessionsManners are what the commands about sessions keep to: JSON of known keys when asked for it and nothing beside it, exit codes, a next
// step, and a world in which exactly that has changed which was asked for. It returns what was not kept.
func sessionsManners(t *testing.T, spoil func(invocation) invocation) (broken []string) {
	t.Helper()
	home, damaged := someSessions(t)
	invoke := spoil(inProcess(home))
	fail := func(format string, values ...any) { broken = append(broken, fmt.Sprintf(format, values...)) }
	before := contentOf(t, damaged)
	to := filepath.Join(t.TempDir(), "to.jsonl")
	write(t, to, "mine")
	for _, each := range []struct {
		line string
		code int
		keys string // of the JSON on standard output, in order; "" for no output, "*" for any
		next string // what standard error ends with; "" for nothing there
	}{
		{"list --json", exitOK, "sessions total", ""},
		{"list --json --damaged", exitFailed, "sessions total", ""},
		{"show sound --json", exitOK, "bytes contextTokens contextWindow createdAt cwd events id lastActivity path state steps title turns usage waiting", ""},
		{"show sick --turn 1", exitFailed, "*", "\nNext: keylane sessions repair sick --dry-run --home HOME\n"},
		{"show nobody --json", exitNotFound, "", "\nNext: keylane sessions list --home HOME\n"},
		{"export sound --to TO", exitFailed, "", "\nNext: another --to, or --force to replace it\n"},
		{"export sound --to TO2 --json", exitOK, "exported failed", ""},
		{"repair sick --dry-run --json", exitFailed, "damaged events id problem repaired", ""},
		{"repair sound --json", exitOK, "damaged events id repaired", ""},
		{"delete sound", exitMisused, "", "\nNext: keylane sessions --help\n"},
		{"delete nobody --yes --json", exitNotFound, "deleted failed", "\nNext: keylane sessions list --home HOME\n"},
	} {
		line := strings.NewReplacer("TO2", to+"2", "TO", to).Replace(each.line)
		got := invoke(t.Context(), append([]string{"sessions"}, strings.Fields(line)...)...)
		next := strings.ReplaceAll(each.next, "HOME", home)
		if got.code != each.code || !strings.HasSuffix(got.problems, next) || next == "" && got.problems != "" {
			fail("%s: exit %d, err %q", each.line, got.code, got.problems)
		}
		if keys := keysOf(got.out); keys != each.keys && (each.keys != "*" || got.out == "") {
			fail("%s: prints the keys %q", each.line, keys)
		}
	}
	if contentOf(t, damaged) != before {
		fail("looking changed a log")
	}
	if contentOf(t, to) != "mine" {
		fail("an export replaced a file")
	}
	if got := invoke(t.Context(), "sessions", "show", "sound"); got.code != exitOK || strings.ContainsAny(got.out, "\x1b\r") {
		fail("without a terminal: %q", got.out)
	}
	var done repaired
	got := invoke(t.Context(), "sessions", "repair", "sick", "--json")
	if err := json.Unmarshal([]byte(got.out), &done); err != nil || got.code != exitOK || !done.Repaired {
		fail("repair: exit %d, %s", got.code, got.out)
	} else if copied, err := os.ReadFile(done.Backup); err != nil || string(copied) != before {
		fail("the log as it was is not kept")
	}
	got = invoke(t.Context(), "sessions", "delete", "sick", "--yes")
	if _, err := os.Stat(damaged); err == nil || got.code != exitOK || !strings.Contains(got.out, "Deleted sick") {
		fail("delete: exit %d, %q, and the log is there", got.code, got.out)
	}
	return broken
}

// keysOf are the keys of a JSON object in order; "" for no text, and the text itself when it is no object.
func keysOf(text string) string {
	var object map[string]json.RawMessage
	if text == "" {
		return ""
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return text
	}
	var keys []string
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

func TestEveryCommandAboutSessionsKeepsItsManners(t *testing.T) {
	for _, each := range sessionsManners(t, func(i invocation) invocation { return i }) {
		t.Error(each)
	}
}

// Commands about sessions that do something else are seen.
func TestACommandAboutSessionsWithoutMannersIsSeen(t *testing.T) {
	without := func(flag string) func(invocation) invocation {
		return func(i invocation) invocation {
			return func(stop context.Context, arguments ...string) invoked {
				return i(stop, slices.DeleteFunc(slices.Clone(arguments), func(a string) bool { return a == flag })...)
			}
		}
	}
	with := func(command, flag string) func(invocation) invocation {
		return func(i invocation) invocation {
			return func(stop context.Context, arguments ...string) invoked {
				if arguments[1] == command {
					arguments = append(arguments, flag)
				}
				return i(stop, arguments...)
			}
		}
	}
	after := func(spoil func(arguments []string, i invoked) invoked) func(invocation) invocation {
		return func(i invocation) invocation {
			return func(stop context.Context, arguments ...string) invoked {
				return spoil(arguments, i(stop, arguments...))
			}
		}
	}
	for name, mutant := range map[string]struct {
		spoil func(invocation) invocation
		seen  string
	}{
		"a dry run that is none":       {without("--dry-run"), "looking changed a log"},
		"no JSON":                      {without("--json"), "list --json: prints the keys"},
		"an export that replaces":      {with("export", "--force"), "an export replaced a file"},
		"a delete that does not ask":   {with("delete", "--yes"), "delete sound: exit 0"},
		"a repair that does nothing":   {with("repair", "--dry-run"), "repair: exit 1"},
		"damage that passes for sound": {after(func(_ []string, i invoked) invoked { i.code = exitOK; return i }), "list --json --damaged: exit 0"},
		"text among JSON":              {after(func(_ []string, i invoked) invoked { i.out = "hello\n" + i.out; return i }), "list --json: prints the keys"},
		"keys that are renamed": {after(func(_ []string, i invoked) invoked {
			i.out = strings.ReplaceAll(i.out, `"title"`, `"name"`)
			return i
		}), "show sound --json: prints the keys"},
		"no next step": {after(func(_ []string, i invoked) invoked {
			i.problems, _, _ = strings.Cut(i.problems, "Next:")
			return i
		}), "show nobody --json: exit 4"},
		"colour in a pipe": {after(func(_ []string, i invoked) invoked {
			i.out = strings.ReplaceAll(i.out, "A sound one", "\x1b[1mA sound one")
			return i
		}), "without a terminal"},
		"no copy of the log": {after(func(arguments []string, i invoked) invoked {
			var done repaired
			if arguments[1] == "repair" && json.Unmarshal([]byte(i.out), &done) == nil && done.Backup != "" {
				_ = os.Remove(done.Backup)
			}
			return i
		}), "the log as it was is not kept"},
		"a delete that deletes nothing": {func(i invocation) invocation {
			return func(stop context.Context, arguments ...string) invoked {
				if arguments[1] == "delete" && arguments[2] == "sick" {
					return invoked{exitOK, "Deleted sick\n", ""}
				}
				return i(stop, arguments...)
			}
		}, "and the log is there"},
	} {
		t.Run(name, func(t *testing.T) {
			if broken := strings.Join(sessionsManners(t, mutant.spoil), "\n"); !strings.Contains(broken, mutant.seen) {
				t.Errorf("nothing says %q:\n%s", mutant.seen, broken)
			}
		})
	}
}
