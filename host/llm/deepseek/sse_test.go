package deepseek

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
)

func parseAll(t *testing.T, pieces ...string) []string {
	t.Helper()
	var parser sseParser
	var events []string
	for _, piece := range pieces {
		if err := parser.feed([]byte(piece), func(data []byte) error {
			events = append(events, string(data))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

const awkward = "\xEF\xBB\xBF: comment\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata:  three\n\nid: 7\rdata: ü€😀\r\rdata\n\n\n\ndata: a\r\ndata: b\n\r\nretry: 1\n\ndata: unfinished"

var awkwardEvents = []string{"one", "two\n three", "ü€😀", "", "a\nb"}

func TestEventsAreReadByTheRulesOfEventStreams(t *testing.T) {
	if diff := cmp.Diff(awkwardEvents, parseAll(t, awkward)); diff != "" {
		t.Error(diff)
	}
}

func TestEventsDoNotDependOnWhereTheBytesAreSplit(t *testing.T) {
	for first := 0; first <= len(awkward); first++ {
		for second := first; second <= len(awkward); second++ {
			got := parseAll(t, awkward[:first], awkward[first:second], awkward[second:])
			if !slices.Equal(awkwardEvents, got) {
				t.Fatalf("split at %d and %d: %q", first, second, got)
			}
		}
	}
	var bytes []string
	for i := range len(awkward) {
		bytes = append(bytes, awkward[i:i+1])
	}
	if diff := cmp.Diff(awkwardEvents, parseAll(t, bytes...)); diff != "" {
		t.Error(diff)
	}
}

func TestAnEndlessEventIsRefused(t *testing.T) {
	for name, piece := range map[string]string{"one line": strings.Repeat("x", 1<<20), "many lines": "data: " + strings.Repeat("x", 1<<20) + "\n"} {
		var parser sseParser
		var err error
		for range 10 {
			if err = parser.feed([]byte(piece), func([]byte) error { return nil }); err != nil {
				break
			}
		}
		if !errors.Is(err, errEventTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// However the bytes are split, the events are the same, and no line end of the stream is in them but the one that joins two lines.
func FuzzEventStream(f *testing.F) {
	f.Add(awkward)
	f.Add("data: {\"choices\":[]}\n\ndata: [DONE]\n\n")
	f.Add("\xEF\xBB\xBF\r\r\ndata\rdata:\n\rdata:x\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		whole := parseAll(t, text)
		for _, event := range whole {
			if strings.Contains(event, "\r") {
				t.Fatalf("a line end in %q", event)
			}
		}
		if lines := strings.Count(strings.ReplaceAll(text, "\r", "\n"), "\n"); len(whole) > lines {
			t.Fatalf("%d events of %d lines", len(whole), lines)
		}
		cuts := min(len(text), 300)
		for cut := range cuts {
			if got := parseAll(t, text[:cut], text[cut:]); !slices.Equal(whole, got) {
				t.Fatalf("split at %d: %q, whole: %q", cut, got, whole)
			}
		}
		var bytes []string
		for i := range len(text) {
			bytes = append(bytes, text[i:i+1])
		}
		if got := parseAll(t, bytes...); !slices.Equal(whole, got) {
			t.Fatalf("byte by byte: %q, whole: %q", got, whole)
		}
	})
}

// Whatever a provider sends: what the decoder makes of it is a stream that the assembler takes and the log can hold, with one finish, at
// its end, exactly when the answer is whole.
func FuzzDecoder(f *testing.F) {
	const done = "\n[DONE]"
	f.Add(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":""}}]},"finish_reason":"tool_calls"}]}` + done)
	f.Add(`{"choices":[{"delta":{"content":"a","reasoning_content":"b"}}],"usage":{"prompt_tokens":1}}`)
	f.Add(`{"choices":[{"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"delta":{"reasoning_content":"b"}}]}` + "\n" + `{"choices":[{"delta":{"content":"c"},"finish_reason":"stop"}]}` + done)
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"id":"b","function":{"name":"x"}}]},"finish_reason":"length"}]}`)
	f.Add(`{"error":{"message":"m","code":429}}`)
	f.Fuzz(func(t *testing.T, events string) {
		var chunks []llm.Chunk
		decoder := newDecoder(func(c llm.Chunk) { chunks = append(chunks, c) })
		var err error
		for data := range strings.SplitSeq(events, "\n") {
			if err = decoder.event([]byte(data)); err != nil {
				break
			}
		}
		if err == nil {
			err = decoder.end(nil)
		}
		var assembler llm.Assembler
		finished := false
		for i, c := range chunks {
			if adding := assembler.Add(c); adding != nil {
				t.Fatalf("chunk %d, %+v: %v", i, c, adding)
			}
			text, encoding := c.MarshalJSON()
			var again llm.Chunk
			if encoding != nil || json.Unmarshal(text, &again) != nil {
				t.Fatalf("chunk %d, %+v: the log cannot hold it: %v", i, c, encoding)
			}
			if c.Type == llm.ChunkFinish {
				finished = true
				if i != len(chunks)-1 {
					t.Fatalf("a finish at %d of %d chunks", i, len(chunks))
				}
			}
		}
		if finished != (err == nil) {
			t.Fatalf("finished %v, and the error is %v", finished, err)
		}
	})
}
