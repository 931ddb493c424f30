package deepseek

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func FuzzEventStream(f *testing.F) {
	f.Add(awkward, uint(3))
	f.Add("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", uint(1))
	f.Fuzz(func(t *testing.T, text string, size uint) {
		whole := parseAll(t, text)
		var pieces []string
		step := int(size%7) + 1
		for rest := text; rest != ""; {
			n := min(step, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if diff := cmp.Diff(whole, parseAll(t, pieces...)); diff != "" {
			t.Fatalf("pieces of %d: %s", step, diff)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":""}}]},"finish_reason":"tool_calls"}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"content":"a","reasoning_content":"b"}}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"error":{"message":"m","code":429}}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		decoder := newDecoder(func(chunkType) {})
		if decoder.event(data) == nil {
			_ = decoder.end(nil)
		}
	})
}
