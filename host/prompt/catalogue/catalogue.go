// Package catalogue is the context that tells a model which skills it can load: a name and a line each. It is told when a session first asks
// a model, and again when a skill comes, goes or changes its line. It is no part of the system prompt or of the tool's schema, so that a new
// skill leaves the beginning of the request, and with it the provider's cache, as it was.
package catalogue

import (
	"context"
	"fmt"
	"strings"

	"keylane/host/prompt"
	"keylane/host/session"
	"keylane/host/skill"
)

// New makes the source over a library; maxBytes bounds a context message, frame and all.
func New(library *skill.Library, maxBytes int) prompt.Source {
	return prompt.Source{
		Kind: session.SourceSkills, Rank: prompt.RankSkills,
		Text: func(ctx context.Context, f prompt.Facts) string {
			skills, _ := library.List(ctx, f.Cwd) // of what is broken a model cannot make use
			return compose(skills, maxBytes-prompt.FrameBytes)
		},
		Gone: "There are no skills any more.",
	}
}

const heading = "Skills you can load with the tool skill; load the one that fits before you begin the work. This list replaces earlier ones.\n"

// compose lists skills in at most limit bytes; "" when there are none.
func compose(skills []skill.Skill, limit int) string {
	if len(skills) == 0 {
		return ""
	}
	const room = 60 // for the line about those that are left out
	var out strings.Builder
	out.WriteString(heading)
	for i, s := range skills {
		line := fmt.Sprintf("\n- %s: %s", s.Name, s.Description)
		if out.Len()+len(line)+room > limit {
			fmt.Fprintf(&out, "\n[%d more skills are not listed]", len(skills)-i)
			break
		}
		out.WriteString(line)
	}
	return out.String()
}
