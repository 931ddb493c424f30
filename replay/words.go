package replay

import (
	"errors"
	"fmt"
	"strings"

	"keylane/host/llm"
)

// refuse words a call that does not fit: what, where, and what to do.
func (h *Handle) refuse(code, what, next string) error {
	if !strings.Contains(what, "\n") { // what goes on for lines ends in a quotation, which is to the letter
		what = strings.TrimSuffix(what, ".") + "."
	}
	return llm.NewError(code, fmt.Sprintf("replay: %s\n  fixture: %s\n  next step: %s (%s)",
		what, h.options.Fixture, next, recordCommand(h.options.Fixture)), nil)
}

func (h *Handle) unrecorded(r llm.Request) error {
	return h.refuse(CodeUnrecorded, fmt.Sprintf("session %s (%s) asked for a %s, but no recorded session that is still free begins like it.\n  it begins: %s\n  recorded:\n%s",
		r.SessionID, lineage(r.ParentSession), r.Purpose, quote(llm.FirstUserText(r.Messages)), h.inventory()),
		"prompt in the scenario what was recorded, or record the scenario again")
}

func (h *Handle) ambiguous(r llm.Request, candidates []*recording) error {
	names := make([]string, len(candidates))
	for i, candidate := range candidates {
		names[i] = candidate.name
	}
	return h.refuse(CodeAmbiguous, fmt.Sprintf("session %s (%s) fits more than one recorded session: %s all begin with %s",
		r.SessionID, lineage(r.ParentSession), strings.Join(names, ", "), quote(candidates[0].firstText)),
		"let the sessions begin with different texts, or name them under `bind:` in override.yml in the order in which they first ask")
}

func (h *Handle) exhausted(r llm.Request, recording *recording, recordedCalls int) error {
	return h.refuse(CodeExhausted, fmt.Sprintf("session %s asked for model call %d for a %s, but %s has only %d.\n  it asks: %s",
		r.SessionID, recordedCalls+1, r.Purpose, recording.name, recordedCalls, quote(llm.LastUserText(r.Messages))),
		"see why the scenario asks once more, or record the scenario again")
}

func (h *Handle) inventory() string {
	var lines []string
	for _, recording := range h.recordings {
		state := "free"
		if recording.claimedBy != "" {
			state = "bound to session " + recording.claimedBy
		}
		lines = append(lines, fmt.Sprintf("    %s (%s, %s): %s", recording.name, lineage(recording.header.ParentSession), state, quote(recording.firstText)))
	}
	return strings.Join(lines, "\n")
}

// AssertConsumed is nil when every recorded call was asked for and every call that was asked for was recorded. Its error is one
// message that lists all the rest.
func (h *Handle) AssertConsumed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for _, recording := range h.recordings {
		for _, purpose := range []llm.Purpose{llm.PurposeTurn, llm.PurposeTitle, llm.PurposeCompaction} {
			if script := recording.scripts[purpose]; script != nil && script.next < len(script.calls) {
				lines = append(lines, left(recording, purpose, script))
			}
		}
	}
	for _, stray := range h.strays {
		lines = append(lines, "stray call: "+strings.ReplaceAll(stray, "\n", "\n    "))
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New("replay: the fixture was not consumed as recorded:\n  - " + strings.Join(lines, "\n  - ") +
		fmt.Sprintf("\n  fixture: %s\n  next step: see why the scenario asked the model less or otherwise than recorded, or record it again (%s)",
			h.options.Fixture, recordCommand(h.options.Fixture)))
}

func left(recording *recording, purpose llm.Purpose, script *script) string {
	owner := "never bound to a live session"
	if recording.claimedBy != "" {
		owner = "session " + recording.claimedBy
	}
	call := script.calls[script.next]
	rest := "the rest begins"
	if call.Turn > 0 {
		rest += fmt.Sprintf(" at turn %d step %d", call.Turn, call.Step)
	}
	if call.LastUserText != "" {
		rest += ", after " + quote(call.LastUserText)
	} else {
		rest += ", in the session that begins with " + quote(recording.firstText)
	}
	return fmt.Sprintf("%s (%s): %s: consumed %d/%d recorded call(s); %s", recording.name, owner, purpose, script.next, len(script.calls), rest)
}

func lineage(parent string) string {
	if parent == "" {
		return "a root session"
	}
	return "a child of session " + parent
}

func quote(text string) string {
	const limit = 400
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

func list(ids []string) string {
	if len(ids) == 0 {
		return "no tool call"
	}
	return strings.Join(ids, ", ")
}
