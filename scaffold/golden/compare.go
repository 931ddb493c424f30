package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"keylane/scaffold/aria"
)

// Extension is what golden files end in.
const Extension = ".aria"

// Directory is the goldens of one scenario in one run. It is not safe for concurrent use.
type Directory struct {
	// Path holds the accepted goldens; it is only read. It need not exist while there are none.
	Path string
	// Outputs receives new goldens; it is made when needed. It must not be Path.
	Outputs string
	// Refresh writes every captured golden to Outputs, and a difference is no failure.
	Refresh bool
	// Command is the last line of every error: what a person runs to accept the change.
	Command string

	captured map[string]string
}

// Outcome says how a capture relates to its golden.
type Outcome int

// The outcomes.
const (
	Same Outcome = iota
	Missing
	Different
	Invalid // the golden is not in the format, the tree can't be printed, or the state's name is no file name
)

// Result is one comparison.
type Result struct {
	State   string
	Outcome Outcome
	Got     string // as printed
	Want    string // the golden; empty when missing
	Diff    string // unified, from golden to captured; empty when the same
	// Err is nil when the scenario may go on as passed: the same, or refresh mode with a valid capture. Its last line is the command.
	Err error
}

// Compare compares a capture, already normalised, with the golden of the state. It may be called again for the same
// state: the second capture must equal the first.
func (d *Directory) Compare(state string, tree aria.Tree) Result {
	result := Result{State: state}
	fail := func(outcome Outcome, format string, args ...any) Result {
		result.Outcome = outcome
		result.Err = fmt.Errorf(format+"\n%s", append(args, d.Command)...)
		return result
	}
	if state == "" || state != filepath.Base(state) || strings.ContainsAny(state, `\. `) {
		return fail(Invalid, "golden: state %q can't be a file name: use words and hyphens", state)
	}
	got, err := aria.Print(tree)
	if err != nil {
		return fail(Invalid, "golden: %s: %w", state, err)
	}
	result.Got = got
	if first, again := d.captured[state]; again && first != got {
		result.Want, result.Diff = first, udiff.Unified(state+" (first capture)", state+" (this capture)", first, got)
		return fail(Different, "golden: %s was captured before in this run and is different now:\n%s", state, result.Diff)
	}
	if d.captured == nil {
		d.captured = map[string]string{}
	}
	d.captured[state] = got
	path := filepath.Join(d.Path, state+Extension)
	want, err := os.ReadFile(path)
	result.Want = string(want)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		result.Outcome, result.Diff = Missing, udiff.Unified("no golden", state+" (captured)", "", got)
		result.Err = fmt.Errorf("golden: %s is missing; captured was:\n%s\n%s", path, got, d.Command)
	case err != nil:
		return fail(Invalid, "golden: reading %s: %w", path, err)
	case result.Want == got:
	default:
		result.Outcome, result.Diff = Different, udiff.Unified(path, state+" (captured)", result.Want, got)
		if _, syntax := aria.Parse(result.Want); syntax != nil {
			result.Outcome = Invalid
			result.Err = fmt.Errorf("golden: %s: %w; it was not written by the command below, or for another version:\n%s\n%s", path, syntax, result.Diff, d.Command)
			break
		}
		result.Err = fmt.Errorf("golden: %s differs from what was captured:\n%s\n%s", path, result.Diff, d.Command)
	}
	if d.Refresh {
		result.Err = nil
	}
	if d.Refresh || result.Err != nil {
		if err := d.write(state, got); err != nil {
			return fail(Invalid, "golden: writing the new golden of %s: %w", state, err)
		}
	}
	return result
}

func (d *Directory) write(state, text string) error {
	outputs, err := filepath.Abs(d.Outputs)
	if err != nil {
		return err
	}
	accepted, err := filepath.Abs(d.Path)
	if err != nil {
		return err
	}
	if d.Outputs == "" || outputs == accepted {
		return errors.New("Outputs must be a directory of its own: goldens are never written where they are read")
	}
	if err := os.MkdirAll(outputs, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(outputs, state+Extension), []byte(text), 0o644)
}

// CheckInventory fails if the directory holds anything but the goldens of the states captured in this run: a golden whose
// state is gone proves nothing. BUILD.bazel is allowed. Goldens that are missing have been reported by Compare.
// In refresh mode it passes: the command compares the inventories when it copies.
func (d *Directory) CheckInventory() error {
	if d.Refresh {
		return nil
	}
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("golden: reading the inventory: %w\n%s", err, d.Command)
	}
	var extra []string
	for _, entry := range entries {
		if entry.Name() == "BUILD.bazel" {
			continue
		}
		state, ok := strings.CutSuffix(entry.Name(), Extension)
		if _, captured := d.captured[state]; !ok || !captured || entry.IsDir() {
			extra = append(extra, entry.Name())
		}
	}
	if len(extra) > 0 {
		return fmt.Errorf("golden: %s holds what this scenario does not capture: %s (it captures: %s)\n%s",
			d.Path, strings.Join(extra, ", "), strings.Join(d.States(), ", "), d.Command)
	}
	return nil
}

// States are the states captured so far, sorted.
func (d *Directory) States() []string {
	states := make([]string, 0, len(d.captured))
	for state := range d.captured {
		states = append(states, state)
	}
	slices.Sort(states)
	return states
}
