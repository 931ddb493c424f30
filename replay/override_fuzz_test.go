package replay

import (
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
)

func FuzzAnOverrideIsLaidOverOrRefusedWithAPlace(f *testing.F) {
	f.Add("calls: [{at: 0, hang: {marker: m, prefix: 1}}, {at: 1, chunks: recorded, cut: 1}]")
	f.Add("calls:\n  - at: 2\n    throw: {code: SERVER, message: m, status: 503, retryAfterMs: 1, requestId: r, prefix: [{type: text-delta, index: 0, text: a}]}")
	f.Add("calls: [{at: 0, chunks: [{type: finish, reason: {kind: stop}}]}]")
	f.Add("bind: [session.jsonl, session.two.jsonl]")
	said := []llm.Chunk{
		{Type: llm.ChunkTextDelta, Text: "a"}, {Type: llm.ChunkTextDelta, Text: "b"}, {Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishStop}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		main := &recording{name: "session.jsonl", scripts: map[llm.Purpose]*script{
			llm.PurposeTurn: {calls: []recorded.Call{{Chunks: said}, {Chunks: said, Unfinished: true}}},
		}}
		o, err := parseOverride("override.yml", []byte(text))
		if err == nil {
			err = o.lay(main)
		}
		if err == nil {
			err = o.bind([]*recording{main, {name: "session.two.jsonl"}})
		}
		turns := main.scripts[llm.PurposeTurn]
		switch {
		case err != nil && !strings.Contains(err.Error(), "override.yml:"):
			t.Errorf("%v has no place", err)
		case err == nil && len(turns.endings) == 0 && main.place == 0:
			t.Error("neither refused nor laid over")
		case err == nil && len(turns.calls) > 3:
			t.Errorf("%d calls: there is only one place to append", len(turns.calls))
		}
	})
}
