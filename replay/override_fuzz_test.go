package replay

import (
	"encoding/json"
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
	f.Add("calls: [{at: 0, chunks: [{type: tool-call-delta, index: 0, id: a, name: bash, argumentsDelta: '{}'}, {type: finish, reason: {kind: stop}}], cut: 1}]")
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
		if err != nil {
			return
		}
		// What was laid over can be played and told of: its chunks are a log's, and exactly one thing ends each call.
		for at, end := range turns.endings {
			chunks := turns.calls[at].Chunks
			ends := 0
			for _, is := range []bool{end.cut, end.failure != nil, end.hang, len(withoutFinish(chunks)) < len(chunks)} {
				if is {
					ends++
				}
			}
			if ends != 1 || end.hang != (end.marker != "") {
				t.Errorf("call %d ends in %d ways: %+v", at, ends, end)
			}
			for i, chunk := range chunks {
				text, err := chunk.MarshalJSON()
				var again llm.Chunk
				if err != nil || json.Unmarshal(text, &again) != nil {
					t.Errorf("call %d, chunk %d: a log cannot hold it: %v", at, i, err)
				}
				if chunk.Type == llm.ChunkFinish && i != len(chunks)-1 {
					t.Errorf("call %d: a finish at %d of %d", at, i, len(chunks))
				}
			}
		}
	})
}
