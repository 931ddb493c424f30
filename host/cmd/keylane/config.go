package main

import (
	"fmt"

	"keylane/host"
)

type configCommand struct {
	Dump dumpCommand `cmd:"" help:"Print the rows as they would boot: all patches applied, all defaults filled in, secrets hidden. The output can be read again as a composition."`
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
