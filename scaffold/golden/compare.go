package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"keylane/scaffold/aria"
)

// What golden files end in, by kind. Directory.Compare and Directory.CompareText choose.
const (
	TreeExtension = ".aria" // an accessibility tree, in package aria's format
	TextExtension = ".txt"  // a text: what was captured, and nothing around it
)

// IsGolden says whether a file's name is a golden's.
func IsGolden(name string) bool {
	extension := filepath.Ext(name)
	return extension == TreeExtension || extension == TextExtension
}

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

	captured map[string]string // by the golden's file name
}

// Outcome says how a capture relates to its golden.
type Outcome int

// The outcomes.
const (
	Same Outcome = iota
	Missing
	Different
	Unstable // captured before in this run, and different now: there is nothing to accept
	Invalid  // the golden is not in the format, what was captured can't be printed, or the state's name is no file name
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

// Acceptable says that a comparison that does not hold would hold after what was captured became the golden.
func (r Result) Acceptable() bool { return r.Got != "" && r.Outcome != Unstable }

// Compare compares a captured tree, already normalised, with the golden <state>.aria. It may be called again for the same
// state: the second capture must equal the first.
func (d *Directory) Compare(state string, tree aria.Tree) Result {
	got, err := aria.Print(tree)
	return d.compare(state, TreeExtension, got, err, func(text string) error {
		_, err := aria.Parse(text)
		return err
	})
}

// CompareText compares a captured text, already normalised, with the golden <state>.txt, as Compare does. A golden is a file that
// people read and diff: the text must be UTF-8 without carriage returns, and a line feed is added where its last line has none.
func (d *Directory) CompareText(state, text string) Result {
	err := checkText(text)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return d.compare(state, TextExtension, text, err, checkText)
}

func checkText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return errors.New("the text is not UTF-8")
	case strings.ContainsRune(text, '\r'):
		return errors.New("the text has a carriage return")
	case strings.TrimSpace(text) == "":
		return errors.New("the text is empty, which pins nothing")
	}
	return nil
}

// compare compares what was printed. Unprintable says why it could not be; parse judges a golden that differs.
func (d *Directory) compare(state, extension, got string, unprintable error, parse func(string) error) Result {
	result := Result{State: state}
	fail := func(outcome Outcome, format string, args ...any) Result {
		result.Outcome = outcome
		result.Err = fmt.Errorf(format+"\n%s", append(args, d.Command)...)
		return result
	}
	if state == "" || state != filepath.Base(state) || strings.ContainsAny(state, `\. `) {
		return fail(Invalid, "golden: state %q can't be a file name: use words and hyphens", state)
	}
	if unprintable != nil {
		return fail(Invalid, "golden: %s: %w", state, unprintable)
	}
	result.Got = got
	file := state + extension
	if first, again := d.captured[file]; again && first != got {
		result.Want, result.Diff = first, udiff.Unified(state+" (first capture)", state+" (this capture)", first, got)
		return fail(Unstable, "golden: %s was captured before in this run and is different now:\n%s", state, result.Diff)
	}
	if d.captured == nil {
		d.captured = map[string]string{}
	}
	d.captured[file] = got
	path := filepath.Join(d.Path, file)
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
		if syntax := parse(result.Want); syntax != nil {
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
		if err := d.write(file, got); err != nil {
			return fail(Invalid, "golden: writing the new golden of %s: %w", state, err)
		}
	}
	return result
}

func (d *Directory) write(file, text string) error {
	outputs, err := filepath.Abs(d.Outputs)
	if err != nil {
		return err
	}
	accepted, err := filepath.Abs(d.Path)
	if err != nil {
		return err
	}
	if d.Outputs == "" || outputs == accepted {
		return errors.New("the folder of outputs must be a directory of its own: goldens are never written where they are read")
	}
	if err := os.MkdirAll(outputs, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(outputs, file), []byte(text), 0o644)
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
		if _, captured := d.captured[entry.Name()]; !captured || entry.IsDir() {
			extra = append(extra, entry.Name())
		}
	}
	if len(extra) > 0 {
		return fmt.Errorf("golden: %s holds what this scenario does not capture: %s (it captures: %s)\n%s",
			d.Path, strings.Join(extra, ", "), strings.Join(d.Files(), ", "), d.Command)
	}
	return nil
}

// Files are the names of the goldens captured so far, sorted.
func (d *Directory) Files() []string { return slices.Sorted(maps.Keys(d.captured)) }
