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

type checkCommand struct{ treeFlags }

// Help is what kong shows below the flags.
func (checkCommand) Help() string {
	return `Reads HOME/config.yml and the --patch files over the shipped rows, and finds everything that "keylane web" would refuse before it starts anything: text that is no YAML, patches that match no row, unknown keys, values that do not fit, rows that wait for each other. Each is one line, FILE:LINE:COLUMN: row "ID": what.

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
	_, err = fmt.Fprintf(c.out, "%s would start.\n%s", count(int64(len(report.Started)), "row"), report)
	return err
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

type versionCommand struct{}

func (versionCommand) Run(c console) error {
	_, err := fmt.Fprintln(c.out, "keylane", host.Version)
	return err
}
