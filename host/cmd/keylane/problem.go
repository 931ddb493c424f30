package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"keylane/host/api"
	"keylane/host/persistence"
	"keylane/host/session"
)

// Exit codes. They are part of what scripts rely on.
const (
	exitOK          = 0
	exitFailed      = 1 // something failed, or problems were found
	exitMisused     = 2 // the command line is wrong
	exitLocked      = 3 // another process has the session open
	exitNotFound    = 4 // there is no such session
	exitInterrupted = 130
)

const exitCodes = `Exit codes: 0 done as asked; 1 something failed, or problems were found; 2 the command line is wrong; 3 the session is open in another process; 4 there is no such session; 130 interrupted.`

// problem is an error as a person meets it: its code (of the wire's vocabulary where it has one), what and where, and the next step.
type problem struct {
	exit int
	code string
	text string
	next string // a command or a sentence; "" when there is nothing to do
	err  error
}

func (p *problem) Error() string {
	var out strings.Builder
	if p.code != "" {
		out.WriteString(p.code + ": ")
	}
	out.WriteString(p.text)
	if p.next != "" {
		out.WriteString("\nNext: " + p.next)
	}
	return out.String()
}

func (p *problem) Unwrap() error { return p.err }

// exitWith is the error of a command that has said already what is wrong.
type exitWith int

func (e exitWith) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// misuse is a command line that parses and makes no sense.
func misuse(format string, values ...any) error {
	return &problem{exit: exitMisused, text: fmt.Sprintf(format, values...), next: "keylane sessions --help"}
}

// explain makes of an error about a session what a person meets. command gives the text of a `keylane sessions` command.
func explain(id string, err error, command func(words ...string) string) *problem {
	var known *problem
	var locked *persistence.LockedError
	var damage *persistence.Damage
	p := &problem{exit: exitFailed, err: err}
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return interrupted(err)
	case errors.Is(err, persistence.ErrNotFound):
		p.exit, p.code, p.text = exitNotFound, string(api.SessionNotFound), fmt.Sprintf("there is no session %q", id)
		p.next = command("list")
	case errors.As(err, &locked):
		p.exit, p.code = exitLocked, string(api.SessionLocked)
		p.text = fmt.Sprintf("session %q is open in %s", id, holder(&locked.Holder))
		p.next = "stop that process, then the same command again"
	case errors.As(err, &damage):
		p.code, p.text = string(api.SessionDamaged), fmt.Sprintf("session %q: %s", id, where(damage))
		p.next = command("repair", id, "--dry-run")
	case errors.Is(err, session.ErrUnsupportedVersion):
		p.code, p.text = string(api.SessionUnsupported), fmt.Sprintf("session %q was written by a newer keylane", id)
		p.next = "upgrade keylane"
	default:
		p.code, p.text = string(api.SessionUnreadable), fmt.Sprintf("session %q: %v", id, err)
		p.next = "put that right, or bring the file back from a backup; " + command("delete", id) + " removes it for good"
	}
	return p
}

// interrupted is the problem of a command that a signal ended before it had done anything that lasts.
func interrupted(err error) *problem {
	return &problem{exit: exitInterrupted, text: "interrupted; nothing was changed", next: "the same command again starts over", err: err}
}

// where tells of a damage with its place.
func where(d *persistence.Damage) string {
	return fmt.Sprintf("%s is damaged from row %d (byte %d) on: %s", d.Path, d.Row, d.Byte, d.Reason)
}

func holder(h *persistence.Holder) string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d since %s", h.PID, stamp(h.Since))
}

// quoted makes a word safe for a POSIX shell.
func quoted(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
