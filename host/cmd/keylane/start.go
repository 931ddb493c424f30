package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/webserver"
)

// writable says why the host could not keep anything in a home that exists; one that does not exist yet is made by the row home.
func writable(dir string) error {
	const writeAndEnter = 2 | 1 // W_OK and X_OK of access(2)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		err = syscall.ENOTDIR
	case err == nil:
		err = syscall.Access(dir, writeAndEnter)
	}
	if err == nil {
		return nil
	}
	return &problem{exit: exitFailed, text: fmt.Sprintf("nothing can be written in the home folder %s: %v", dir, err), next: otherHome, err: err}
}

const otherHome = "--home DIR or " + home.Variable + " names another folder"

// notStarted is a boot's error as a person meets it: one line for each mistake, and what to do.
func (w webCommand) notStarted(err error) error {
	p := &problem{exit: exitFailed, text: strings.Join(mistakes(err), "\nkeylane: "), err: err}
	var refused *fs.PathError
	var mistake *composition.Error
	switch {
	case errors.Is(err, webserver.ErrAddressInUse):
		p.next = "is keylane running already? Choose another port with --port N, or --port 0 for any free one"
	case errors.As(err, &mistake) && mistake.Row == "home" && errors.As(err, &refused):
		p.next = otherHome + "; or mend what is said of " + refused.Path
	default:
		p.next = "mend that; " + w.command("config", "check") + " says whether it would start"
	}
	return p
}

// command is the text of another command on the same composition.
func (f treeFlags) command(words ...string) string {
	out := append([]string{"keylane"}, words...)
	if f.Home != "" {
		out = append(out, "--home", quoted(f.Home))
	}
	for _, name := range f.Patch {
		out = append(out, "--patch", quoted(name))
	}
	return strings.Join(out, " ")
}

// tellReport says on standard error which rows do not run that should; nothing when all do.
func tellReport(c console, report composition.Report) {
	problems := report.Problems()
	if problems == "" {
		return
	}
	for line := range strings.Lines(problems) {
		fmt.Fprint(c.err, "keylane: ", line)
	}
	fmt.Fprintln(c.err, "Next: everything else runs. Mend that and start again, or disable the row; the page says the same under Settings, About and diagnostics.")
}
