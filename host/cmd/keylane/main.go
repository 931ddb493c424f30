// Command keylane is an agent host with a page: prompt, watch it work, read
// what it did.
//
//	keylane web                 serve the page on this machine and open it
//	keylane sessions list       what sessions there are; also show, export, repair, delete
//	keylane config check        what would keep the composition from starting, and what waits; dump prints it
//	keylane completion SHELL    for bash, zsh and fish
//	keylane version
//
// `keylane --help` says the rest.
//
// Exit codes are those of problem.go; --help tells them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/alecthomas/kong"

	"keylane/web"
)

const description = `keylane is an agent host with a page. It runs on this machine, keeps every session in a log under its home folder, and needs no account.

Start it with "keylane web"; end it with Ctrl-C. With DEEPSEEK_API_KEY set the agent talks to a live model; without it the page offers a recorded demo.

What runs is a composition of rows, each a plugin with its config. Change it with patches in HOME/config.yml or --patch FILE; "keylane config dump" shows the result.

` + exitCodes

type commandLine struct {
	Web        webCommand        `cmd:"" help:"Serve the page and open it in the browser."`
	Sessions   sessionsCommand   `cmd:"" help:"List, show, export, repair and delete sessions."`
	Config     configCommand     `cmd:"" help:"Look at the composition: check it, print it."`
	Completion completionCommand `cmd:"" help:"Print what makes a shell complete keylane's commands."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"What the scripts of completion ask."`
	Version    versionCommand    `cmd:"" help:"Print the version, the page's revision, and what it was built with."`
}

// console is what a command has of its process: where it writes, what ends it, and the
// page it was built with.
type console struct {
	in       io.Reader
	out, err io.Writer
	stop     context.Context // ends with the first TERM or INT
	client   func() (fs.FS, error)
	model    *kong.Application // the commands there are; set by run
}

func main() {
	stop, done := signals()
	code := run(os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr, stop, web.Client, nil})
	done()
	os.Exit(code)
}

// run is main without the process: it parses and runs one command and returns the exit
// code.
func run(arguments []string, c console) int {
	var line commandLine
	asked := false // --help was printed
	parser, err := kong.New(&line, kong.Name("keylane"), kong.Description(description), kong.Writers(c.out, c.err),
		kong.Exit(func(int) { asked = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(c.err, "keylane:", err)
		return exitFailed
	}
	c.model = parser.Model
	selected, err := parser.Parse(arguments)
	if asked {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(c.err, "keylane: %v\nNext: %s\n", err, helpOf(err))
		return exitMisused
	}
	return conclude(selected.Run(c), c)
}

// helpOf is the command that teaches what a command line should have been, as far as the line was understood.
func helpOf(err error) string {
	words := "keylane"
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		for _, step := range wrong.Context.Path {
			if step.Command != nil {
				words += " " + step.Command.Name
			}
		}
	}
	return words + " --help"
}

// conclude says what a command failed with, and gives its exit code.
func conclude(err error, c console) int {
	var said exitWith
	var known *problem
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &said):
		return int(said)
	}
	if c.stop.Err() != nil && errors.Is(err, context.Canceled) && !errors.As(err, &known) {
		err = interrupted(err) // in a part that knows nothing of people
	}
	fmt.Fprintln(c.err, "keylane:", err)
	if errors.As(err, &known) {
		return known.exit
	}
	return exitFailed
}
