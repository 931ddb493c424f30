package history_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
)

// The shapes of July 2026: messages are flat and have no ids, what is said into a running turn has an event of its own, a turn tells what
// began it.
func july(t *testing.T) []byte {
	person := object{"kind": "user"}
	return lines(t,
		object{"type": "turn/start", "data": object{"turn": 1, "trigger": object{"kind": "message", "source": person}}},
		object{"type": "user/message", "surfaceOp": "append", "data": object{"content": said("Look around."), "source": person}},
		object{"type": "step/start", "data": object{"turn": 1, "step": 1}},
		object{"type": "assistant/message", "surfaceOp": "append", "data": object{"turn": 1, "step": 1, "provenance": object{"provider": "p", "model": "m"},
			"content": []object{{"type": "text", "text": "I look."}, {"type": "tool-call", "id": "c1", "name": "bash", "arguments": `{"command":"ls"}`}}}},
		object{"type": "tool/call", "data": object{"turn": 1, "step": 1, "callId": "c1", "name": "bash", "arguments": `{"command":"ls"}`}},
		object{"type": "tool/result", "surfaceOp": "append", "data": object{"turn": 1, "step": 1, "callId": "c1", "content": said("ls: cannot open"), "isError": true}},
		object{"type": "step/end", "data": object{"turn": 1, "step": 1}},
		object{"type": "steering/message", "surfaceOp": "append", "data": object{"turn": 1, "content": said("Only files."), "source": person}},
		object{"type": "step/start", "data": object{"turn": 1, "step": 2}},
		object{"type": "assistant/message", "surfaceOp": "append", "data": object{"turn": 1, "step": 2, "provenance": object{"provider": "p", "model": "m"}, "content": said("There are none.")}},
		object{"type": "step/end", "data": object{"turn": 1, "step": 2}},
		object{"type": "turn/end", "data": object{"turn": 1, "reason": object{"kind": "completed"}}})
}

func TestALogOfJulyIsShown(t *testing.T) {
	scaffold.Run(t, opened(july(t), func(s *scaffold.Stage) {
		wantText(s, "Look around.", "I look.", "Bash", "ls", "Failed", "Only files.", "There are none.")
	}))
}

// august is the shapes of the 4th of August 2026: a failed call is retried in a turn of its own, whose end tells whether that helped.
func august(t *testing.T, then ...object) []byte {
	failure := object{"code": "SERVER", "message": "overloaded"}
	return lines(t, append([]object{
		{"type": "turn/start", "data": object{"turn": 1, "trigger": object{"kind": "message", "source": object{"kind": "user"}}}},
		{"type": "user/message", "surfaceOp": "append", "data": object{"id": "m1", "role": "user", "content": said("Try."), "source": object{"kind": "user"}}},
		{"type": "step/start", "data": object{"turn": 1, "step": 1}},
		{"type": "assistant/chunk", "data": object{"turn": 1, "step": 1, "chunk": object{"type": "text-delta", "index": 0, "text": "half a"}}},
		{"type": "step/end", "data": object{"turn": 1, "step": 1}},
		{"type": "llm/retry", "data": object{"turn": 1, "step": 1, "provider": "p", "mode": "normal", "policyKey": "k", "retry": 1, "maxRetries": 2, "delayMs": 1, "failure": failure}},
		{"type": "turn/end", "data": object{"turn": 1, "reason": object{"kind": "error", "step": 1, "failure": failure}}},
	}, then...)...)
}

func again() []object {
	return []object{
		{"type": "turn/start", "data": object{"turn": 2, "trigger": object{"kind": "retry"}}},
		{"type": "step/start", "data": object{"turn": 2, "step": 1}},
		{"type": "assistant/message", "surfaceOp": "append", "data": object{"turn": 2, "step": 1, "message": object{"id": "m2", "role": "assistant", "content": said("Here it is."),
			"source": object{"kind": "model", "provider": "p", "model": "m"}}}},
		{"type": "step/end", "data": object{"turn": 2, "step": 1}},
		{"type": "turn/end", "data": object{"turn": 2, "reason": object{"kind": "completed"}}},
	}
}

func recovered(t *testing.T) scaffold.Scenario {
	return opened(august(t, again()...), func(s *scaffold.Stage) {
		wantText(s, "Try.", "The model answered at retry 1 of 2.", "Here it is.")
		if shown := s.Text("main"); strings.Contains(shown, "This turn failed") || strings.Contains(shown, "half a") {
			s.Errorf("a failure that was retried is shown as the end:\n%s", shown)
		}
	})
}

func TestARetryOfAugustIsNotAFailedTurn(t *testing.T) { scaffold.Run(t, recovered(t)) }

func TestAFailureOfAugustThatWasNotRetriedIsOne(t *testing.T) {
	scaffold.Run(t, opened(august(t), func(s *scaffold.Stage) { wantText(s, "Try.", "Retry 1 of 2 failed too.", "This turn failed", "SERVER") }))
}

func said(text string) []object { return []object{{"type": "text", "text": text}} }
