package main

import (
	"fmt"
	"io/fs"

	"keylane/host"
	"keylane/host/composition"
)

type configCommand struct {
	Check checkCommand `cmd:"" help:"Say what is wrong with the composition, each with file, line and column, without starting anything. Exit code 1 when something is."`
	Dump  dumpCommand  `cmd:"" help:"Print the rows as they would boot: all patches applied, all defaults filled in, secrets hidden. The output can be read again as a composition."`
}

// Help is what kong shows below the commands.
func (configCommand) Help() string {
	return `What runs is a list of rows, each a plugin with its config. HOME/config.yml and --patch files change it: each is a list of patches.

Examples of patches:

    - id: webserver                          # the row of that id gets another config, whole
      config: {host: 127.0.0.1, port: 8080}
    - id: llm-recorded                       # no demo
      disabled: true

Examples:

    keylane config dump                      what there is to change
    keylane config check                     whether it would start as it is written now

` + exitCodes
}

type checkCommand struct {
	treeFlags
	All bool `help:"Say of every row what would become of it, also of those that would start."`
}

// Help is what kong shows below the flags.
func (checkCommand) Help() string {
	return `Reads HOME/config.yml and the --patch files over the shipped rows, and finds everything that "keylane web" would refuse before it starts anything: text that is no YAML, patches that match no row, unknown keys, values that do not fit, rows that wait for each other. Each is one line, FILE:LINE:COLUMN: row "ID": what.

Rows that would wait for a service nobody provides are listed too, with the service; they keep nothing else from starting, and do not change the exit code. Whether a row that starts succeeds is known only by starting it: "keylane web" says so on the terminal, and the page under Settings, About and diagnostics.

Examples:

    keylane config check
    keylane config check --patch next.yml && cp next.yml ~/.keylane/config.yml

` + exitCodes
}

func (k checkCommand) Run(c console) error {
	layers, err := k.layers()
	if err != nil {
		return err
	}
	// Whether this binary has a page is no matter of the composition.
	report, err := host.Check(host.Options{Layers: layers, Client: noPage{}})
	if err != nil {
		for _, line := range mistakes(err) {
			fmt.Fprintln(c.err, "keylane:", line)
		}
		return exitWith(exitFailed)
	}
	if _, err = fmt.Fprintf(c.out, "%s would start.\n%s", count(int64(len(report.Started)), "row"), report); err != nil || !k.All {
		return err
	}
	for _, row := range report.Rows() {
		if _, err := fmt.Fprintf(c.out, "%s\t%s\t%s\tset by %s\t%s\n", row.State, row.ID, row.Plugin, row.Layer, row.Reason); err != nil {
			return err
		}
	}
	return nil
}

// noPage is a page without files.
type noPage struct{}

func (noPage) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// mistakes are the errors of a composition that are joined in one, each with its place.
func mistakes(err error) []string {
	switch joined := err.(type) {
	case *composition.Error:
		return []string{joined.Error()}
	case interface{ Unwrap() []error }:
		var out []string
		for _, one := range joined.Unwrap() {
			out = append(out, mistakes(one)...)
		}
		return out
	case interface{ Unwrap() error }:
		if inner := joined.Unwrap(); inner != nil {
			return mistakes(inner)
		}
	}
	return []string{err.Error()}
}

type dumpCommand struct{ treeFlags }

// Help is what kong shows below the flags.
func (dumpCommand) Help() string {
	return `Each row stands under a comment with the place it was written. Keys whose names end like those of secrets are hidden.

Examples:

    keylane config dump | less
    keylane config dump --patch next.yml > after.yml      what a patch would change:
    keylane config dump > before.yml; diff before.yml after.yml

` + exitCodes
}

func (d dumpCommand) Run(c console) error {
	layers, err := d.layers()
	if err != nil {
		return err
	}
	tree, err := host.Tree(layers...)
	if err != nil {
		return err
	}
	return tree.Dump(c.out, host.Plugins()...)
}
