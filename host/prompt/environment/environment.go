// Package environment is the context that tells a model where its session runs: the folder, the machine, the branch, what it may do without
// asking, and the day. It is told when a session first asks a model, and again when any of it has changed.
//
// Only what a model needs and cannot guess belongs here, and only what changes seldom: each change is a message in the log. Nothing of the
// host's own environment does: no variables, no names of the person or the machine.
package environment

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"keylane/host/clock"
	"keylane/host/project"
	"keylane/host/prompt"
	"keylane/host/session"
)

// Options of a source.
type Options struct {
	// Clock says the day; nil leaves it out.
	Clock clock.Clock
	// Explain says what a mode means for the model; "" for a mode that it does not know. nil leaves the mode out.
	Explain func(mode string) string
}

// New makes the source.
func New(o Options) prompt.Source {
	return prompt.Source{
		Kind: session.SourceRuntime, Rank: prompt.RankRuntime,
		Text: func(_ context.Context, f prompt.Facts) string { return o.text(f) },
		Gone: "What was said here about where you work no longer holds.",
	}
}

func (o Options) text(f prompt.Facts) string {
	lines := []string{"Where you work now:", "- Working directory: " + f.Cwd}
	root := project.Root(f.Cwd)
	if root != f.Cwd {
		lines = append(lines, "- Project root: "+root)
	}
	if branch := project.Branch(root); branch != "" {
		lines = append(lines, "- Git branch: "+branch)
	}
	lines = append(lines, fmt.Sprintf("- Platform: %s/%s", runtime.GOOS, runtime.GOARCH))
	if o.Explain != nil {
		if meaning := o.Explain(f.Mode); meaning != "" {
			lines = append(lines, fmt.Sprintf("- Access mode: %s (%s)", f.Mode, meaning))
		}
	}
	if o.Clock != nil {
		lines = append(lines, "- Date: "+o.Clock.Now().Format("2006-01-02"))
	}
	return strings.Join(lines, "\n")
}
