package recorded

import (
	"errors"
	"fmt"
	"time"

	"keylane/host/llm"
	"keylane/host/session"
)

// Script is what a session asked models for one purpose, in order.
type Script struct {
	Purpose llm.Purpose
	// FirstUserText is what a person said first in the derived part of the log ([llm.FirstUserText]); "" when nobody said anything.
	FirstUserText string
	Calls         []Call
}

// Call is one recorded model call.
type Call struct {
	// Turn and Step are where the call was made; 0 for calls outside of turns (titles, manual compactions).
	Turn, Step int
	// Seq is the event the call was read from: its first chunk, its title or its summary.
	Seq int64
	// LastUserText is what a person had said last when the call was made ([llm.LastUserText]); "" when the log does not tell what
	// the model was asked (titles, compactions).
	LastUserText string
	// ResultsOf are the ids of the tool calls whose results stand behind the last assistant message ([ResultsOf]), in order.
	ResultsOf []string
	// Chunks end in a finish chunk, unless Unfinished.
	Chunks []llm.Chunk
	// Delays are how long each chunk took to come, after the one before it or, for the first, after the event before it. They are zero
	// where the log has no times.
	Delays []time.Duration
	// Unfinished marks a call whose stream was cut. See [UnfinishedError].
	Unfinished bool
}

// UnfinishedError names a recorded call that does not end in a finish chunk.
type UnfinishedError struct {
	Turn, Step int
	// Seq is the call's first chunk, Chunks how many there are.
	Seq    int64
	Chunks int
	// Index is the call's position in the turn script, from 0: where an override has to go.
	Index int
}

// Error names the call and what to do.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("recorded: turn %d step %d (seq %d): model call %d is unfinished: %d chunk(s) and no finish, because the live stream was cut; "+
		"the log alone cannot replay it: add an override for call %d", e.Turn, e.Step, e.Seq, e.Index, e.Chunks, e.Index)
}

// Unfinished lists the unfinished calls that an error of [Derive] names, in order; other is what else is wrong, nil for nothing.
func Unfinished(err error) (calls []*UnfinishedError, other error) {
	var rest []error
	for _, part := range flatten(err) {
		var unfinished *UnfinishedError
		if errors.As(part, &unfinished) {
			calls = append(calls, unfinished)
			continue
		}
		rest = append(rest, part)
	}
	return calls, errors.Join(rest...)
}

func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []error
		for _, part := range joined.Unwrap() {
			parts = append(parts, flatten(part)...)
		}
		return parts
	}
	return []error{err}
}

// ResultsOf lists the ids of the tool calls whose results stand behind the last assistant message of a history, in order: what a call
// with this history answers, unless it is empty.
func ResultsOf(messages []session.Message) []string {
	start := len(messages)
	for start > 0 && messages[start-1].Role != session.RoleAssistant {
		start--
	}
	var ids []string
	for _, message := range messages[start:] {
		for _, block := range message.Content {
			if block.Type == session.BlockToolResult {
				ids = append(ids, block.ToolCallID)
			}
		}
	}
	return ids
}
