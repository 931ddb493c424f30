package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
)

func TestChunksHaveExactlyTheKeysOfTheLogFormat(t *testing.T) {
	for _, text := range []string{
		`{"type":"block-start","index":0,"blockType":"reasoning"}`,
		`{"type":"text-delta","index":1,"text":""}`,
		`{"type":"reasoning-delta","index":0,"text":"a\n<b>"}`,
		`{"type":"tool-call-delta","index":2,"id":"call_1","name":"bash","argumentsDelta":""}`,
		`{"type":"tool-call-delta","index":2,"id":"","argumentsDelta":"{"}`,
		`{"type":"tool-call-delta","index":2,"id":"x","name":"","argumentsDelta":"{"}`,
		`{"type":"block-end","index":1,"block":{"type":"text","text":"hi"}}`,
		`{"type":"block-end","index":1,"block":{"type":"tool-call","id":"a","name":"b","arguments":"{}"}}`,
		`{"type":"usage","usage":{"inputTokens":1,"outputTokens":2,"cacheReadTokens":0}}`,
		`{"type":"finish","reason":{"kind":"stop"}}`,
		`{"type":"finish","reason":{"kind":"tool-calls"},"replayState":{"k":[1]}}`,
		`{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"SERVER","status":500}}}`,
	} {
		var chunk llm.Chunk
		if err := json.Unmarshal([]byte(text), &chunk); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		written, err := chunk.MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if string(written) != text {
			t.Errorf("wrote %s\n want %s", written, text)
		}
	}
}

func TestABrokenChunkIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                               `unknown chunk type ""`,
		`{"type":"text"}`:                  `unknown chunk type "text"`,
		`{"type":"text-delta","text":"a"}`: `"index"`,
		`{"type":"text-delta","index":0}`:  `"text"`,
		`{"type":"block-start","index":0}`: `"blockType"`,
		`{"type":"block-end","index":0}`:   `"block"`,
		`{"type":"usage"}`:                 `"usage"`,
		`{"type":"finish"}`:                `"reason"`,
		`{"type":"finish","reason":{}}`:    `unknown finish kind`,
		`{"type":"tool-call-delta","index":0,"argumentsDelta":""}`:    `"id"`,
		`{"type":"tool-call-delta","index":0,"id":"a"}`:               `"argumentsDelta"`,
		`{"type":"text-delta","index":-1,"text":""}`:                  `negative index`,
		`{"type":"text-delta","index":1.5,"text":""}`:                 `reading chunk`,
		`{"type":"finish","reason":{"kind":"error"}}`:                 `"failure"`,
		`{"type":"finish","reason":{"kind":"aborted"}}`:               `"failure"`,
		`{"type":"block-end","index":0,"block":{"type":"tool-call"}}`: `reading chunk`,
		`[]`: `reading chunk`,
	} {
		var chunk llm.Chunk
		if err := json.Unmarshal([]byte(text), &chunk); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", text, err, want)
		}
	}
	if _, err := json.Marshal(llm.Chunk{Type: llm.ChunkUsage}); err == nil {
		t.Error("a usage chunk without usage was written")
	}
}

func FuzzChunkCodec(f *testing.F) {
	f.Add([]byte(`{"type":"tool-call-delta","index":2,"id":"call_1","name":"bash","argumentsDelta":""}`))
	f.Add([]byte(`{"type":"block-end","index":1,"block":{"type":"text","text":"hi"}}`))
	f.Add([]byte(`{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"c"}},"replayState":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second llm.Chunk
		if json.Unmarshal(data, &first) != nil {
			return
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		if err := json.Unmarshal(written, &second); err != nil {
			t.Fatalf("%q was written but cannot be read: %v", written, err)
		}
		again, err := json.Marshal(second)
		if err != nil || cmp.Diff(string(written), string(again)) != "" {
			t.Fatalf("not a fixed point: %s then %s (%v)", written, again, err)
		}
	})
}
