package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// onTerminal runs the command on a pseudo-terminal of 60 columns, types the input, and gives what the terminal was sent.
func onTerminal(t *testing.T, home, input string, variables []string, arguments ...string) outcome {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine gives no terminals: %v", err)
	}
	defer func() { _ = master.Close() }()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, arguments...)
	command.Env = append(append(os.Environ(), asCommand+"=1", "KEYLANE_HOME="+home, "TERM=xterm", "NO_COLOR="), variables...)
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := slave.Close(); err != nil { // the command has its own
		t.Fatal(err)
	}
	if _, err := io.WriteString(master, input); err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	if _, err := io.Copy(&shown, master); err != nil && !errors.Is(err, unix.EIO) { // EIO: nobody has the other end any more
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{code: command.ProcessState.ExitCode(), out: strings.ReplaceAll(shown.String(), "\r\n", "\n")}
}

func TestATerminalGetsTextForPeople(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store := shelfOf(t, home)
	now := time.Now()
	storedSession(t, store, "s", "/srv/a", strings.Repeat("A long title ", 9), 1, now.Add(-2*time.Hour-time.Minute))
	storedSession(t, store, "evil", "/srv/a", "\x1b]0;owned\x07\u202eevil", 1, now.Add(-3*24*time.Hour-time.Hour))
	o := onTerminal(t, home, "", nil, "sessions", "list").want(t, exitOK, "\x1b[1mA long title", "…\x1b[0m  \x1b[2m2 hours ago\x1b[0m\n", "3 days ago", "\uFFFD]0;owned\uFFFD\uFFFDevil")
	if strings.Contains(o.out, "\x1b]") || strings.Contains(o.out, "\u202e") {
		t.Errorf("a title reached the terminal as it is: %q", o.out)
	}
	o = onTerminal(t, home, "", []string{"NO_COLOR=1"}, "sessions", "list", "--limit", "1").want(t, exitOK, "A long title", "1 of 2 sessions; --limit 0 shows all.")
	if strings.Contains(o.out, "\x1b[1m") || strings.Contains(o.out, "\x1b[2m") {
		t.Errorf("colours in spite of NO_COLOR: %q", o.out)
	}
	for _, arguments := range [][]string{{"show", "s", "--turn", "1"}, {"show", "s", "--events"}, {"export", "s", "--format", "markdown"}} {
		if o := onTerminal(t, home, "", nil, append([]string{"sessions"}, arguments...)...).want(t, exitOK, "Question 1"); strings.Contains(o.out, "\x1b[31m") {
			t.Errorf("%v: what a tool printed steers the terminal: %q", arguments, o.out)
		}
	}
	to := filepath.Join(t.TempDir(), "all")
	onTerminal(t, home, "", nil, "sessions", "export", "--all", "--to", to).want(t, exitOK, "exporting 2 of 2", "\r\x1b[K2 sessions in ")
}

// Work that a long log makes long says on a terminal what it is at, and leaves nothing of that on the screen.
func TestOnATerminalLongWorkSaysHowFarItIs(t *testing.T) {
	home, _ := someSessions(t)
	to := filepath.Join(t.TempDir(), "to")
	for line, says := range map[string]string{
		"list":                    "reading what sessions there are …",
		"show sound":              " bytes of session sound …",
		"export sound --to " + to: "22 of 22 events",
		"repair sick":             "repairing session sick …",
	} {
		o := onTerminal(t, home, "", nil, append([]string{"sessions"}, strings.Fields(line)...)...).want(t, exitOK, says, "\r\x1b[K")
		screen := o.out
		for {
			before, after, erased := strings.Cut(screen, "\r\x1b[K")
			if !erased {
				break
			}
			screen = before[:strings.LastIndex(before, "\n")+1] + after
		}
		if strings.Contains(screen, says) {
			t.Errorf("%s: stays on the screen: %q", line, screen)
		}
	}
}

func TestOnATerminalADeleteAsks(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := storedSession(t, shelfOf(t, home), "s", "/srv/a", "A title", 1, longAgo)
	onTerminal(t, home, "n\n", nil, "sessions", "delete", "s").want(t, exitOK, "A title", "Delete 1 session for good? [y/N]", "Nothing was deleted.")
	onTerminal(t, home, "\x04", nil, "sessions", "delete", "s").want(t, exitOK, "Nothing was deleted.")
	onTerminal(t, home, "\x03", nil, "sessions", "delete", "nobody").want(t, exitNotFound)
	contentOf(t, path)
	onTerminal(t, home, "y\n", nil, "sessions", "delete", "s").want(t, exitOK, "Deleted s")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the log is there still")
	}
}

func TestTextIsCutToItsRoom(t *testing.T) {
	for _, c := range []struct {
		text string
		room int
		want string
	}{
		{"short", 10, "short"}, {"exact", 5, "exact"}, {"longer", 5, "long…"}, {"闸门闸门", 8, "闸门闸门"}, {"闸门闸门", 7, "闸门闸…"}, {"闸门闸门", 6, "闸门…"},
		{"e\u0301e\u0301e", 3, "e\u0301e\u0301e"}, {"", 5, ""}, {"abc", 0, "a…"},
	} {
		if got := fit(c.text, c.room); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.room, got, c.want)
		}
	}
}
