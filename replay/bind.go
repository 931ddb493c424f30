package replay

import (
	"fmt"
	"slices"
	"strings"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
)

// bind finds the recorded session of a live one and claims it.
func (h *Handle) bind(r llm.Request) (*recording, error) {
	if bound := h.bound[r.SessionID]; bound != nil {
		return bound, nil
	}
	var candidates []*recording
	for _, recording := range h.recordings {
		if recording.claimedBy == "" && h.sameLineage(recording, r) && recording.begins(r) {
			candidates = append(candidates, recording)
		}
	}
	candidates = first(candidates)
	switch len(candidates) {
	case 1:
		candidates[0].claimedBy = r.SessionID
		h.bound[r.SessionID] = candidates[0]
		return candidates[0], nil
	case 0:
		return nil, h.unrecorded(r)
	}
	return nil, h.ambiguous(r, candidates)
}

// first is the one of several candidates that the override says asks first; all of them, where it does not place each.
func first(candidates []*recording) []*recording {
	if len(candidates) < 2 || slices.ContainsFunc(candidates, func(each *recording) bool { return each.place == 0 }) {
		return candidates
	}
	return []*recording{slices.MinFunc(candidates, func(a, b *recording) int { return a.place - b.place })}
}

// sameLineage reports whether a live session stands where the recorded one stood: at the root, or below the live session that is bound to
// the recorded parent. A parent that is not part of the fixture (it was seeded, and asked nothing) fits any parent that is not bound.
func (h *Handle) sameLineage(candidate *recording, r llm.Request) bool {
	if (candidate.header.ParentSession == "") != (r.ParentSession == "") {
		return false
	}
	if r.ParentSession == "" {
		return true
	}
	liveParent := h.bound[r.ParentSession]
	for _, other := range h.recordings {
		if other.header.ID == candidate.header.ParentSession {
			return liveParent == other
		}
	}
	return liveParent == nil
}

// begins reports whether a request can be the first of the recorded session. A turn call shows the conversation; other calls only quote it.
func (c *recording) begins(r llm.Request) bool {
	if r.Purpose == llm.PurposeTurn {
		if c.seeded { // the history begins with what was inherited
			return llm.LastUserText(r.Messages) == c.firstText
		}
		return llm.FirstUserText(r.Messages) == c.firstText
	}
	if c.scripts[r.Purpose] == nil {
		return false
	}
	for _, message := range r.Messages {
		if strings.Contains(message.Text(), c.firstText) {
			return true
		}
	}
	return false
}

// check compares what a call follows with what the recorded one followed.
func (h *Handle) check(r llm.Request, recording *recording, call recorded.Call, index int) error {
	script := recording.scripts[r.Purpose]
	if r.Purpose != llm.PurposeTurn || script.appended && index == len(script.calls)-1 {
		return nil // the log does not tell what was asked
	}
	place := fmt.Sprintf("model call %d of session %s (recorded in %s, turn %d step %d)", index+1, r.SessionID, recording.name, call.Turn, call.Step)
	if got := llm.LastUserText(r.Messages); got != call.LastUserText {
		return h.refuse(CodeMismatch, fmt.Sprintf("%s asks something else than recorded: the last user text differs at character %d.\n  expected: %s\n  got:      %s",
			place, firstDifference(call.LastUserText, got)+1, quote(call.LastUserText), quote(got)),
			"send the recorded text in the scenario, or record the scenario again")
	}
	if got := recorded.ResultsOf(r.Messages); !slices.Equal(got, call.ResultsOf) {
		return h.refuse(CodeMismatch, fmt.Sprintf("%s follows other tool results than recorded.\n  expected results of: %s\n  got results of:      %s",
			place, list(call.ResultsOf), list(got)),
			"see why other tool calls ran before it, or record the scenario again")
	}
	return nil
}

func firstDifference(a, b string) int {
	left, right := []rune(a), []rune(b)
	for i := range left {
		if i >= len(right) || left[i] != right[i] {
			return i
		}
	}
	return len(left)
}
