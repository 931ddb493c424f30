package await

import (
	"fmt"
	"strings"
)

// Verdict is the outcome of a check. The order matters: a later one is further from success.
type Verdict int

// The verdicts.
const (
	// Met: the expectation holds now.
	Met Verdict = iota
	// Unmet: it does not hold now, and it may later.
	Unmet
	// Unmeetable: it does not hold and never will; waiting ends at once.
	Unmeetable
)

// String returns the verdict's name in lower case.
func (v Verdict) String() string {
	switch v {
	case Met:
		return "met"
	case Unmet:
		return "unmet"
	case Unmeetable:
		return "unmeetable"
	}
	return fmt.Sprintf("verdict(%d)", int(v))
}

// Expectation is a sentence about a state of type S, with its check. It is a value: reuse and combine it freely.
type Expectation[S any] struct {
	// Description completes "waiting until ...": "the page has applied 12".
	Description string
	// Check judges one state. The reason says what was seen; it is needed unless the verdict is Met.
	// Check is called once per event, so it must be quick and must not change anything.
	Check func(S) (Verdict, string)
}

// That makes an expectation of a condition that may become true at any time. seen says what the state showed.
func That[S any](description string, condition func(S) (met bool, seen string)) Expectation[S] {
	return Expectation[S]{Description: description, Check: func(state S) (Verdict, string) {
		met, seen := condition(state)
		if met {
			return Met, seen
		}
		return Unmet, seen
	}}
}

// AllOf is met when all parts are met by the same state, and unmeetable as soon as one part is.
func AllOf[S any](parts ...Expectation[S]) Expectation[S] {
	return Expectation[S]{Description: describe("all of", parts), Check: func(state S) (Verdict, string) {
		worst, lines := Met, new(report)
		for _, part := range parts {
			worst = max(worst, judge(lines, part, state))
		}
		return worst, lines.String()
	}}
}

// AnyOf is met when one part is met, and unmeetable when all parts are. With no parts it is unmeetable.
func AnyOf[S any](parts ...Expectation[S]) Expectation[S] {
	return Expectation[S]{Description: describe("any of", parts), Check: func(state S) (Verdict, string) {
		best, lines := Unmeetable, new(report)
		for _, part := range parts {
			best = min(best, judge(lines, part, state))
		}
		return best, lines.String()
	}}
}

// Not is met when the part is not met, be it unmet or unmeetable. To say that
// something must never happen, use a check that returns [Unmeetable] instead: Not holds
// only at the moment of the verdict.
func Not[S any](part Expectation[S]) Expectation[S] {
	return Expectation[S]{Description: "not: " + part.Description, Check: func(state S) (Verdict, string) {
		verdict, seen := part.Check(state)
		if verdict == Met {
			return Unmet, seen
		}
		return Met, seen
	}}
}

// OnceMet waits for the first part; in the state that meets it, all others must be met too:
// if they are not, the whole is unmeetable. Use it for what must be true at a barrier.
func OnceMet[S any](first Expectation[S], then ...Expectation[S]) Expectation[S] {
	return Expectation[S]{
		Description: "once " + first.Description + ": " + describe("all of", then),
		Check: func(state S) (Verdict, string) {
			lines := new(report)
			if verdict := judge(lines, first, state); verdict != Met {
				return verdict, lines.String()
			}
			worst := Met
			for _, part := range then {
				worst = max(worst, judge(lines, part, state))
			}
			if worst != Met {
				return Unmeetable, lines.String()
			}
			return Met, lines.String()
		},
	}
}

// Copy is always met and stores the state it saw last. Inside [AllOf] or [OnceMet] it holds, after success, the
// state that met the whole.
func Copy[S any](into *S) Expectation[S] {
	return Expectation[S]{Description: "the state is copied", Check: func(state S) (Verdict, string) {
		*into = state
		return Met, ""
	}}
}

func describe[S any](word string, parts []Expectation[S]) string {
	if len(parts) == 1 {
		return parts[0].Description
	}
	words := make([]string, len(parts))
	for i, part := range parts {
		words[i] = part.Description
	}
	return word + " (" + strings.Join(words, "; ") + ")"
}

func judge[S any](r *report, part Expectation[S], state S) Verdict {
	verdict, seen := part.Check(state)
	return r.add(part.Description, verdict, seen)
}

// report collects one line per part, with what a nested part reported indented below it.
type report struct{ lines []string }

func (r *report) String() string { return strings.Join(r.lines, "\n") }

func (r *report) add(description string, verdict Verdict, seen string) Verdict {
	line := fmt.Sprintf("%-10s %s", verdict, description)
	switch {
	case seen == "":
		r.lines = append(r.lines, line)
	case strings.Contains(seen, "\n"):
		r.lines = append(r.lines, line)
		for _, nested := range strings.Split(seen, "\n") {
			r.lines = append(r.lines, "  "+nested)
		}
	default:
		r.lines = append(r.lines, line+": "+seen)
	}
	return verdict
}
