package script

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const whole = `
replies:
  - expect: list the files
    reasoning: I should look.
    text: One moment.
    toolCalls:
      - name: bash
        arguments: {command: "ls <x>", description: List, timeoutMs: 5, deep: [1.5, true, null, {a: 2026-12-01}]}
      - {id: mine, name: read, arguments: "{\"cut"}
    usage: {inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8}
    chunkRunes: 3
    delayMs: 5
  - text: |
      Two
      lines
    cutAfterChunks: 2
  - error: {status: 429, message: slow down, retryAfterSeconds: 1}
  - finish: stop
`

func TestAScriptIsReadAsWritten(t *testing.T) {
	got, err := Parse("script.yml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &Script{Replies: []Reply{
		{Line: 3, Expect: "list the files", Reasoning: "I should look.", Text: "One moment.", ToolCalls: []ToolCall{
			{Name: "bash", Arguments: `{"command": "ls <x>", "description": "List", "timeoutMs": 5, "deep": [1.5, true, null, {"a": "2026-12-01"}]}`},
			{ID: "mine", Name: "read", Arguments: `{"cut`},
		}, Usage: &Usage{120, 30, 64, 8}, ChunkRunes: 3, Delay: 5 * time.Millisecond, CutAfter: -1, HangAfter: -1},
		{Line: 13, Text: "Two\nlines\n", ChunkRunes: 4, CutAfter: 2, HangAfter: -1},
		{Line: 17, ChunkRunes: 4, CutAfter: -1, HangAfter: -1, Error: &Error{429, "slow down", 1}},
		{Line: 18, Finish: "stop", ChunkRunes: 4, CutAfter: -1, HangAfter: -1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryMistakeHasItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `s.yml:1:1: the file is empty`,
		"replies: []":                    `s.yml:1:1: a script needs at least one reply`,
		"[]":                             `s.yml:1:1: a script must be a mapping`,
		"replies: {}":                    `s.yml:1:10: replies must be a list`,
		"answers: []":                    `s.yml:1:1: a script has no key "answers"`,
		"replies:\n- txt: a":             `s.yml:2:3: a reply has no key "txt"`,
		"replies:\n- text: 3":            `s.yml:2:9: this must be a text: put it in quotes`,
		"replies:\n- text: a\n  text: b": `s.yml:3:3: a reply has the key "text" twice`,
		"replies:\n- expect: a":          `s.yml:2:3: a reply needs reasoning, text, toolCalls or error`,
		"replies:\n- {text: a, error: {status: 500}}":                  `s.yml:2:3: a reply has either an error or something to say`,
		"replies:\n- {text: a, cutAfterChunks: 1, hangAfterChunks: 1}": `s.yml:2:3: a reply is either cut or hangs, not both`,
		"replies:\n- error: {status: 200}":                             `s.yml:2:19: this must be a whole number from 400 to 599`,
		"replies:\n- error: {message: a}":                              `s.yml:2:10: error needs a status`,
		"replies:\n- {text: a, chunkRunes: 0}":                         `s.yml:2:25: this must be a whole number from 1`,
		"replies:\n- {text: a, delayMs: 1.5}":                          `s.yml:2:22: this must be a whole number`,
		"replies:\n- {text: a, finish: bored}":                         `s.yml:2:21: finish must be`,
		"replies:\n- toolCalls: [{arguments: {}}]":                     `s.yml:2:15: a tool call needs a name`,
		"replies:\n- toolCalls: [{name: a, arguments: [1]}]":           `s.yml:2:36: arguments must be a mapping`,
		"replies:\n- toolCalls: [{name: a, arguments: {b: 1, b: 2}}]":  `s.yml:2:43: a key of the arguments is not a text, or is there twice`,
		"replies:\n- toolCalls: [{name: a, arguments: {b: .nan}}]":     `s.yml:2:40: ".nan" is not a JSON value`,
		"replies:\n- &x {text: a}\n- *x":                               `s.yml:3:3: a reply must be a mapping`,
		"replies:\n\t- text: a":                                        `s.yml:2:1: not YAML`,
		"replies:\n- text: a\n---\nreplies: []":                        `more than one YAML document`,
	} {
		_, err := Parse("s.yml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\ndoes not say %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("replies:\n- &x {text: a}\n- *x\n"))
	f.Add([]byte("a: b: c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		script, err := Parse("s.yml", data)
		if err == nil && len(script.Replies) == 0 {
			t.Fatal("a script without replies was accepted")
		}
		if err != nil && !strings.HasPrefix(err.Error(), "script: s.yml") {
			t.Fatalf("an error without its file: %v", err)
		}
	})
}
