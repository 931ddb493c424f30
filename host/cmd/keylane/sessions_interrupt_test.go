package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
