// Command wiretypes writes the page's types of the wire from the host's: web/wire/types.ts from api.NewSchema.
//
//	./bazelw run //tools:types                  write the file
//
// Shapes come from the types themselves, by reflection; the comments come from the Go sources in the workspace, because reflection
// does not know them. The same sources say whether an enumeration in the schema has all of its constants. A test beside this program
// makes the file again and compares, so that nobody edits it by hand and nobody forgets to make it.
//
// Exit codes: 0 the file is as it should be, 2 the command cannot be carried out.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"keylane/host/api"
	"keylane/tools/invoke"
)

// output is where the types go, in the workspace.
const output = "web/wire/types.ts"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "wiretypes:", err)
		os.Exit(2)
	}
}

func run() error {
	workspace, err := invoke.Workspace()
	if err != nil {
		return err
	}
	text, err := generate(os.DirFS(workspace), api.NewSchema())
	if err != nil {
		return err
	}
	path := filepath.Join(workspace, filepath.FromSlash(output))
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading what is there: %w", err)
	}
	if bytes.Equal(before, text) {
		fmt.Println(output, "is as it should be")
		return nil
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	fmt.Println("wrote", output)
	return nil
}
