// Command notices writes NOTICES: what of others is in keylane's binary, with the whole text of each licence, and what only builds and
// tests it.
//
//	./bazelw run //tools:notices              write the file
//	./bazelw run //tools:notices -- --check   write nothing; a file that is not as it should be is an error
//
// Which Go modules are in the binary says `go list`, their texts come from the module cache (nothing is guessed from names), and
// what is in the page says the page itself: its assets/licences.txt, made by tools/webbundle from what was bundled. A text that no known
// licence explains is an error, and so is a licence that asks more of people who pass the binary on than to keep its text (permitted, in
// licence.go).
//
// The test beside it needs neither network nor module cache: it holds the committed file against go.mod, the lockfiles, MODULE.bazel, the
// imports of the product and the bundled page.
//
// Exit codes: 0 the file is as it should be, 1 with --check: it is not, 2 the command cannot be carried out.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"keylane/tools/invoke"
)

// output is the file in the workspace.
const output = "NOTICES"

var errStale = errors.New(output + " is not what it should be; ./bazelw run //tools:notices writes it")

func main() {
	check := flag.Bool("check", false, "write nothing; a file that is not as it should be is an error")
	client := flag.String("client", "web/client.zip", "the bundled page, from tools/webbundle")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: notices [--check] [--client FILE]\n\nWrites %s, the licences of what keylane is made with.\n\n", output)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	err := run(*client, *check)
	switch {
	case errors.Is(err, errStale):
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(2)
	}
}

func run(client string, check bool) error {
	page, err := pageLicences(client)
	if err != nil {
		return err
	}
	workspace, err := invoke.Workspace()
	if err != nil {
		return err
	}
	entries, err := gather(workspace, page)
	if err != nil {
		return err
	}
	text := render(entries)
	path := filepath.Join(workspace, output)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading what is there: %w", err)
	}
	if bytes.Equal(before, text) {
		fmt.Println(output, "is as it should be")
		return nil
	}
	if check {
		return errStale
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	fmt.Println("wrote", output)
	return nil
}

// pageLicences reads assets/licences.txt out of the bundled page.
func pageLicences(client string) (string, error) {
	archive, err := zip.OpenReader(client)
	if err != nil {
		return "", fmt.Errorf("opening the bundled page (--client): %w", err)
	}
	defer archive.Close()
	file, err := archive.Open("assets/licences.txt")
	if err != nil {
		return "", fmt.Errorf("the bundled page has no licences: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return "", fmt.Errorf("reading the page's licences: %w", err)
	}
	return string(text), nil
}
