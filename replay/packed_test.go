package replay_test

import (
	"testing"

	"keylane/host/llm"
	"keylane/replay"
)

func TestAPackedLogAnswersLikeAnUnpackedOne(t *testing.T) {
	at := `{"type":"assistant/chunk","data":{"turn":1,"step":1,"chunk":`
	end := at + `{"type":"finish","reason":{"kind":"stop"}}}}`
	for name, lines := range map[string][]string{
		"packed":   {`{"type":"text-chunks","data":{"turn":1,"step":1,"index":0,"dt":[5,5],"texts":["a","b","c"]}}`, end},
		"unpacked": {at + `{"type":"text-delta","index":0,"text":"a"}}}`, at + `{"type":"text-delta","index":0,"text":"b"}}}`, at + `{"type":"text-delta","index":0,"text":"c"}}}`, end},
	} {
		l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{"session.jsonl": append([]string{header, user("go")}, lines...)})})
		l.want(llm.Request{SessionID: "s", Messages: said("go")}, "abc")
		if calls := l.handle.Calls(); calls[0].Chunks != 4 {
			t.Errorf("%s: %d chunks, want 4", name, calls[0].Chunks)
		}
		l.consumed()
	}
}
