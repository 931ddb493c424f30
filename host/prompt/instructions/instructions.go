// Package instructions is the context that files for agents give: AGENTS.md of the keylane home, then of every folder from the project's
// root down to the session's. It is told when a session first asks a model, and again, as a whole, when a file has changed.
//
// A folder has one file: the first of the configured names that it holds. Files of a project are read without following a link out of
// it; one that cannot be read is named with its reason where its text would stand. The whole is bounded: the nearest files, which are the
// most specific, get their room first, and what is left out is said where it is missing.
package instructions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"keylane/host/project"
	"keylane/host/prompt"
	"keylane/host/session"
)

// MinBytes is the least that MaxBytes may be.
const MinBytes = 1024

// Options of a source.
type Options struct {
	// File is the person's own, absolute; it need not exist. Links are followed.
	File string
	// Names are those of files in a project's folders, the first that a folder holds counts.
	Names []string
	// MaxBytes bounds a context message, frame and all; at least MinBytes.
	MaxBytes int
}

// New makes the source.
func New(o Options) prompt.Source {
	return prompt.Source{
		Kind: session.SourceInstructions, Rank: prompt.RankInstructions,
		Text: func(_ context.Context, f prompt.Facts) string {
			return compose(o.collect(f.Cwd), o.MaxBytes-prompt.FrameBytes)
		},
		Gone: "The instructions that were given here no longer hold: their files are gone.",
	}
}

// file is one that speaks, or that cannot be read.
type file struct {
	path    string
	text    string // of at most as many bytes as could be shown
	whole   bool   // nothing of it is missing in text
	size    int64  // of the file, in bytes
	problem error
}

// collect reads the files, the most general first.
func (o Options) collect(cwd string) []file {
	var files []file
	if f, there := o.read(project.Trusted(filepath.Dir(o.File)), filepath.Base(o.File)); there {
		files = append(files, f)
	}
	root := project.Root(cwd)
	place, err := project.Confined(root)
	if err != nil {
		return files // the session's folder is gone, which is for its tools to say
	}
	defer func() { _ = place.Close() }() // it was only read
	for _, folder := range project.Chain(root, cwd) {
		for _, name := range o.Names {
			if f, there := o.read(place, path.Join(folder, name)); there {
				files = append(files, f)
				break
			}
		}
	}
	return slices.CompactFunc(files, func(a, b file) bool { return a.path == b.path }) // a session may work in the home
}

func (o Options) read(place *project.Place, name string) (f file, there bool) {
	text, err := place.Read(name, int64(o.MaxBytes))
	f = file{path: place.Path(name), problem: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, false
	case err != nil:
		return f, true
	}
	// Defused first, so that the frame adds nothing that was not counted.
	f.text, f.size = prompt.Defuse(strings.TrimSpace(text.Content)), text.Size
	f.whole = text.Size <= int64(o.MaxBytes)
	return f, f.text != ""
}

const heading = "Instructions from the person and the project. Where files disagree the later one wins, and what the person says here wins over all. " +
	"They replace earlier ones."

// compose writes the files in at most limit bytes; "" when there are none.
func compose(files []file, limit int) string {
	if len(files) == 0 {
		return ""
	}
	const room = 80 // for the line about files that were left out
	left := limit - len(heading) - room
	parts := make([]string, len(files))
	omitted := 0
	for i := len(files) - 1; i >= 0; i-- {
		part, fits := files[i].part(left)
		if !fits {
			omitted++
			continue
		}
		parts[i] = part
		left -= len(part)
	}
	text := heading + strings.Join(parts, "")
	if omitted > 0 {
		text += fmt.Sprintf("\n\n[%d files left out: there is no room for them]", omitted)
	}
	return text
}

// part is the file in at most limit bytes; false when not even its name fits.
func (f file) part(limit int) (string, bool) {
	if f.problem != nil {
		part := fmt.Sprintf("\n\nFrom %s:\n\n[it could not be read: %v]", f.path, f.problem)
		return part, len(part) <= limit
	}
	head := fmt.Sprintf("\n\nFrom %s:\n\n", f.path)
	if f.whole && len(head)+len(f.text) <= limit {
		return head + f.text, true
	}
	marker := func(shown int64) string {
		return fmt.Sprintf("\n[cut: %d of the file's %d bytes are shown]", shown, f.size)
	}
	room := limit - len(head) - len(marker(f.size))
	if room < 0 {
		return "", false
	}
	shown := project.Cut(f.text, room)
	return head + shown + marker(int64(len(shown))), true
}
