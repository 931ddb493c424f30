package session

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// A checker, which forgets what messages say, refuses the event that Validate refuses and no other.
func TestACheckerRefusesWhatValidateRefuses(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		result := func(call, text string, duration int) json.RawMessage {
			return fmt.Appendf(nil, `{"turn":1,"step":1,"meta":{"durationMs":%d},"message":{"id":"m","role":"user","source":{"kind":"tool","callId":%q},`+
				`"content":[{"type":"tool-result","toolCallId":%q,"content":[{"type":"text","text":%q}]}]}}`, duration, call, call, text)
		}
		checker := NewChecker()
		var events []Event
		for i := range rapid.IntRange(1, 15).Draw(t, "events") {
			e := Event{Type: TypeToolResult, Seq: int64(i), SurfaceOp: &SurfaceOp{},
				Data: result(rapid.SampledFrom([]string{"c", "d"}).Draw(t, "call"), rapid.String().Draw(t, "text"), rapid.IntRange(1, 2).Draw(t, "duration"))}
			if rapid.Bool().Draw(t, "is a message") {
				e = userEvent(fmt.Sprint("m", i), "words")
				e.Seq = int64(i)
			}
			if i > 0 && rapid.Bool().Draw(t, "replaces") {
				at := rapid.Int64Range(0, int64(i-1)).Draw(t, "which")
				e.SurfaceOp, e.HasSources, e.SourceEventSeqs = &SurfaceOp{Replace: true, Start: at, End: at}, true, []int64{at}
			}
			want, got := Validate(append(events, e)), checker.Add(e)
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Fatalf("event %d: %v of the checker, %v of Validate", i, got, want)
			}
			if got != nil {
				refused++
				return
			}
			events = append(events, e)
		}
	})
	if refused == 0 {
		t.Error("nothing was refused, so nothing was compared")
	}
}

// What a checker keeps of a log does not grow with what its messages say.
func TestACheckerKeepsNoText(t *testing.T) {
	checker := NewChecker()
	for _, e := range sequence(userEvent("a", "words"), Event{Type: TypeToolResult, SurfaceOp: &SurfaceOp{}, Data: json.RawMessage(
		`{"turn":1,"step":1,"message":{"id":"m","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"words"}]}]}}`)}) {
		if err := checker.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range checker.surface.nodes {
		if n.data != nil || n.message.Content != nil || n.usage != nil || (n.forgotten != nil) != (n.typ == TypeToolResult) {
			t.Errorf("it keeps %+v", n)
		}
	}
}
