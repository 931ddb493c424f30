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

// interruptible is a context that a signal ends after it was asked so often whether it has ended.
type interruptible struct {
	context.Context
	left int
}

func (i *interruptible) Err() error {
	if i.left--; i.left < 0 {
		return context.Canceled
	}
	return nil
}

// interruptions run a command line, interrupted at every moment at which it looks, until it comes to its end, and return what was not kept:
// 130 with a next step and no result, and a world as it was.
func interruptions(t *testing.T, spoil func(invoked) invoked, line string) (broken []string) {
	t.Helper()
	for asked := 0; ; asked++ {
		home, damaged := someSessions(t)
		before, root := contentOf(t, damaged), filepath.Dir(damaged)
		to := filepath.Join(t.TempDir(), "to")
		stop := &interruptible{t.Context(), asked}
		got := spoil(inProcess(home)(stop, append([]string{"sessions"}, strings.Fields(strings.ReplaceAll(line, "TO", to))...)...))
		if got.code == exitOK {
			if asked == 0 {
				broken = append(broken, line+": cannot be interrupted")
			}
			return broken
		}
		left, err := os.ReadDir(root)
		_, exported := os.Stat(to)
		if got.code != exitInterrupted || !strings.HasPrefix(got.problems, "keylane: interrupted; ") || strings.Count(got.problems, "\nNext: ") != 1 ||
			strings.HasPrefix(line, "repair") && got.out != "" || err != nil || len(left) != 1 || contentOf(t, damaged) != before || exported == nil {
			return append(broken, fmt.Sprintf("%s, interrupted at moment %d: exit %d, out %q, err %q, %d files, exported: %v", line, asked, got.code, got.out, got.problems, len(left), exported == nil))
		}
	}
}

func TestACommandAboutSessionsCanBeInterruptedAtAnyMoment(t *testing.T) {
	as := func(i invoked) invoked { return i }
	for _, line := range []string{"list", "list --json", "show sound", "show sound --events", "show sound --turn 2", "export sound --to TO", "export sound --format markdown", "repair sick", "repair sound", "delete sound --yes"} {
		for _, each := range interruptions(t, as, line) {
			t.Error(each)
		}
	}
}

// What an interrupted command had done before is told, and is whole.
func TestAnInterruptedCommandTellsWhatItHasDone(t *testing.T) {
	told := map[string]bool{}
	for asked := 0; ; asked++ {
		home, folder := filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "all")
		store := shelfOf(t, home)
		for _, id := range []string{"a", "b"} {
			storedSession(t, store, id, "/srv/a", "A title", 1, longAgo)
		}
		stop := &interruptible{t.Context(), asked}
		got := inProcess(home)(stop, "sessions", "export", "--all", "--to", folder)
		if got.code == exitOK {
			break
		}
		files, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is sound
		for _, file := range files {
			if text := contentOf(t, file); strings.Count(text, "\n") != 12 {
				t.Errorf("%s is not whole:\n%s", file, text)
			}
		}
		if got.code != exitInterrupted || len(files) > 0 && !strings.HasPrefix(got.problems, fmt.Sprintf("keylane: interrupted; %d of 2 sessions are in ", len(files))) {
			t.Fatalf("exit %d with %d files: %s", got.code, len(files), got.problems)
		}
		told[fmt.Sprint("exported ", len(files))] = true
	}
	for asked := 0; ; asked++ {
		home := filepath.Join(t.TempDir(), "home")
		store := shelfOf(t, home)
		for _, id := range []string{"a", "b"} {
			storedSession(t, store, id, "/srv/a", "A title", 1, longAgo)
		}
		got := inProcess(home)(&interruptible{t.Context(), asked}, "sessions", "delete", "a", "b", "--yes")
		if got.code == exitOK {
			break
		}
		entries, err := store.List(t.Context())
		if err != nil || got.code != exitInterrupted || (len(entries) == 1) != strings.HasPrefix(got.problems, "keylane: interrupted; deleted were a\nNext: keylane sessions list") {
			t.Fatalf("exit %d with %d sessions left: %s (%v)", got.code, len(entries), got.problems, err)
		}
		told[fmt.Sprint("deleted ", 2-len(entries))] = true
	}
	for _, want := range []string{"exported 0", "exported 1", "deleted 0", "deleted 1"} {
		if !told[want] {
			t.Errorf("never interrupted with %s: %v", want, told)
		}
	}
}

func TestAnInterruptionThatLooksLikeAFailureIsSeen(t *testing.T) {
	for name, spoil := range map[string]func(invoked) invoked{
		"the exit code of a failure": func(i invoked) invoked {
			if i.code == exitInterrupted {
				i.code = exitFailed
			}
			return i
		},
		"the words of a part": func(i invoked) invoked {
			i.problems = strings.ReplaceAll(i.problems, "interrupted; nothing was changed", "host: clock: starting: context canceled")
			return i
		},
		"no next step": func(i invoked) invoked { i.problems = strings.ReplaceAll(i.problems, "Next:", ""); return i },
	} {
		t.Run(name, func(t *testing.T) {
			if len(interruptions(t, spoil, "list")) == 0 {
				t.Error("it is not seen")
			}
		})
	}
}
