// Package committed is how the commands under tools/ change the goldens in the tree: what is there, what would change, and the change.
//
// A command collects Changes for one scenario after the other, with Put and Remove. Each changes one file below
// goldens/<scenario>/ in one step, or with DryRun only says what it would do. Print tells a person what happened: a line for each file
// with how many lines came and went, then the refused scenarios, then the sum. Nothing here decides whether a golden may be taken over.
package committed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"keylane/scaffold/golden"
)

// A Change is what happened to one golden.
type Change struct {
	Path           string // relative to the workspace
	Kind           string // "new", "changed" or "removed"
	Added, Removed int    // lines
	Diff           string // unified
}

// Changes are what one command does to goldens.
type Changes struct {
	Workspace string // absolute
	DryRun    bool   // say everything, write nothing
	Done      []Change
	Same      int      // goldens that are as captured
	Refused   []string // one sentence for each scenario whose goldens were not taken
}

// Refuse says why a scenario's goldens are left alone.
func (c *Changes) Refuse(format string, args ...any) {
	c.Refused = append(c.Refused, fmt.Sprintf(format, args...))
}

// Folder is where a scenario's goldens are.
func (c *Changes) Folder(scenario string) string {
	return filepath.Join(c.Workspace, "goldens", scenario)
}

// Put makes text the golden; before is what it was, nil when there was none.
func (c *Changes) Put(scenario, name string, before, text []byte) error {
	if before != nil && string(before) == string(text) {
		c.Same++
		return nil
	}
	kind := "changed"
	if before == nil {
		kind = "new"
	}
	c.note(kind, scenario, name, before, text)
	if c.DryRun {
		return nil
	}
	return replace(filepath.Join(c.Folder(scenario), name), text)
}

// Remove removes a golden that no state captures; before is what it was.
func (c *Changes) Remove(scenario, name string, before []byte) error {
	c.note("removed", scenario, name, before, nil)
	if c.DryRun {
		return nil
	}
	if err := os.Remove(filepath.Join(c.Folder(scenario), name)); err != nil {
		return fmt.Errorf("committed: removing a golden that no state captures: %w", err)
	}
	return nil
}

func (c *Changes) note(kind, scenario, name string, before, after []byte) {
	path := filepath.Join("goldens", scenario, name)
	change := Change{Path: path, Kind: kind, Diff: udiff.Unified(path, path, string(before), string(after))}
	for line := range strings.Lines(change.Diff) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			change.Added++
		case strings.HasPrefix(line, "-"):
			change.Removed++
		}
	}
	c.Done = append(c.Done, change)
}

// Print tells what happened, with the whole diff of each change if asked.
func (c *Changes) Print(w io.Writer, diffs bool) {
	for _, each := range c.Done {
		fmt.Fprintf(w, "%-8s %s  +%d -%d\n", each.Kind, each.Path, each.Added, each.Removed)
		if diffs {
			fmt.Fprintln(w, strings.TrimRight(each.Diff, "\n"))
		}
	}
	for _, sentence := range c.Refused {
		fmt.Fprintf(w, "refused  %s\n", sentence)
	}
	verb := "written"
	if c.DryRun {
		verb = "would be written"
	}
	fmt.Fprintf(w, "%d goldens %s, %d as they were, %d scenarios refused\n", len(c.Done), verb, c.Same, len(c.Refused))
}

// Read reads the goldens of a folder, of both kinds, by name; a folder that does not exist holds none.
func Read(folder string) (map[string][]byte, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("committed: reading goldens: %w", err)
	}
	texts := map[string][]byte{}
	for _, entry := range entries {
		if entry.IsDir() || !golden.IsGolden(entry.Name()) {
			continue
		}
		if texts[entry.Name()], err = os.ReadFile(filepath.Join(folder, entry.Name())); err != nil {
			return nil, fmt.Errorf("committed: reading a golden: %w", err)
		}
	}
	return texts, nil
}

// replace replaces path in one step, so that an interrupted command leaves no half golden.
func replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("committed: making the folder of a golden: %w", err)
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o644); err != nil {
		return fmt.Errorf("committed: writing a golden: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("committed: writing a golden: %w", err)
	}
	return nil
}
