package replay_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/replay"
)

// overridden installs a fixture of three turns, "one" to "three", answered 1 to 3, with an override over it.
func overridden(t *testing.T, text string, marker func(string)) (lane, error) {
	t.Helper()
	path := fixture(t, map[string][]string{"session.jsonl": {
		header, user("one"), chunks("1", "1", "1"), user("two"), chunks("2", "1", "2"), user("three"), chunks("3", "1", "3")}})
	file := filepath.Join(filepath.Dir(path), "override.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	registry := llm.NewRegistry()
	handle, err := replay.Install(registry, replay.Options{Fixture: path, Override: file, Marker: marker})
	if err != nil {
		return lane{}, err
	}
	t.Cleanup(handle.Dispose)
	return lane{t, registry, handle}, nil
}

func (l lane) fails(r llm.Request, want session.Failure) {
	l.t.Helper()
	if _, failure := l.ask(r); failure != want {
		l.t.Errorf("failed with %+v, want %+v", failure, want)
	}
}

func TestAnOverrideReplacesAtItsPositionAndAppendsAtTheLength(t *testing.T) {
	l, err := overridden(t, `
calls:
  - at: 3
    chunks:
      - {type: text-delta, index: 0, text: appended}
      - {type: finish, reason: {kind: stop}}
  - at: 1
    throw: {code: SERVER, message: the provider is down, status: 503, retryAfterMs: 250, requestId: r-1, prefix: 1}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.want(llm.Request{SessionID: "s", Messages: said("one")}, "1")
	l.fails(llm.Request{SessionID: "s", Messages: said("one", "two")},
		session.Failure{Code: "SERVER", Message: "the provider is down", Status: 503, RetryAfterMs: 250, RequestID: "r-1"})
	l.want(llm.Request{SessionID: "s", Messages: said("one", "two", "three")}, "3")
	l.left("consumed 3/4")
	l.want(llm.Request{SessionID: "s", Messages: said("one", "two", "three", "whatever")}, "appended")
	l.consumed()
}

func TestAReplacedCallStillFollowsWhatWasRecorded(t *testing.T) {
	l, err := overridden(t, "calls: [{at: 0, throw: {code: SERVER, message: down}}]", nil)
	if err != nil {
		t.Fatal(err)
	}
	l.refused(llm.Request{SessionID: "s", Messages: said("one", "other")}, replay.CodeMismatch, `expected: "one"`)
}

func TestACutBreaksTheStreamAfterItsChunks(t *testing.T) {
	for name, text := range map[string]string{
		"recorded": "calls: [{at: 0, chunks: recorded, cut: 1}]",
		"listed":   "calls: [{at: 0, chunks: [{type: text-delta, index: 0, text: '1'}, {type: text-delta, index: 0, text: more}, {type: finish, reason: {kind: stop}}], cut: 1}]",
	} {
		l, err := overridden(t, text, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		stream, err := l.registry.Stream(t.Context(), llm.Request{SessionID: "s", Provider: "deepseek", Purpose: llm.PurposeTurn, Messages: said("one")})
		if err != nil {
			t.Fatal(err)
		}
		first, _ := stream.Next()
		second, _ := stream.Next()
		if first.Text != "1" || second.Finish == nil || second.Finish.Failure.Code != llm.CodeTransport {
			t.Errorf("%s: %+v, then %+v", name, first, second)
		}
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAHangGivesItsPrefixTellsItsMarkerOnceAndEndsWithItsCall(t *testing.T) {
	for _, prefix := range []string{"1", "[{type: text-delta, index: 0, text: '1'}]"} {
		told := make(chan string, 2)
		l, err := overridden(t, "calls: [{at: 0, hang: {marker: half, prefix: "+prefix+"}}]", func(name string) { told <- name })
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stream, err := l.registry.Stream(ctx, llm.Request{SessionID: "s", Provider: "deepseek", Purpose: llm.PurposeTurn, Messages: said("one")})
		if err != nil {
			t.Fatal(err)
		}
		if chunk, _ := stream.Next(); chunk.Text != "1" || len(told) != 0 {
			t.Errorf("%+v, told %d", chunk, len(told))
		}
		ended := make(chan llm.Chunk)
		go func() {
			chunk, _ := stream.Next()
			ended <- chunk
		}()
		if markers := l.handle.Markers(); len(markers) != 1 || markers[0] != "half" {
			t.Errorf("the markers are %q", markers)
		}
		if name := <-told; name != "half" {
			t.Errorf("told %q", name)
		}
		cancel()
		if chunk := <-ended; chunk.Finish == nil || chunk.Finish.Kind != llm.FinishAborted {
			t.Errorf("%+v", chunk)
		}
		if _, err := stream.Next(); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if err := stream.Close(); err != nil || len(told) != 0 {
			t.Error(err, len(told))
		}
	}
}

func TestAHangEndsWhenItsStreamIsClosed(t *testing.T) {
	told := make(chan string, 1)
	l, err := overridden(t, "calls: [{at: 0, hang: {marker: m}}]", func(name string) { told <- name })
	if err != nil {
		t.Fatal(err)
	}
	stream, err := l.registry.Stream(t.Context(), llm.Request{SessionID: "s", Provider: "deepseek", Purpose: llm.PurposeTurn, Messages: said("one")})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan llm.Chunk)
	go func() {
		chunk, _ := stream.Next()
		ended <- chunk
	}()
	<-told
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if chunk := <-ended; !chunk.Finish.Failed() {
		t.Errorf("%+v", chunk)
	}
}

func TestACallThatWasCutLiveNeedsAnOverrideAndIsFineWithOne(t *testing.T) {
	path := fixture(t, map[string][]string{"session.jsonl": {header, user("a"), strings.Split(chunks("1", "1", "b"), "\n")[0]}})
	file := filepath.Join(filepath.Dir(path), "override.yml")
	if err := os.WriteFile(file, []byte("calls: [{at: 0, chunks: recorded, cut: 1}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := install(t, replay.Options{Fixture: path, Override: file})
	_, failure := l.ask(llm.Request{SessionID: "s", Messages: said("a")})
	if failure.Code != llm.CodeTransport {
		t.Errorf("%+v", failure)
	}
	l.consumed()
}

func TestAnOverrideAloneAnswersALogWithoutCalls(t *testing.T) {
	path := fixture(t, map[string][]string{"session.jsonl": {header, user("a")}})
	file := filepath.Join(filepath.Dir(path), "override.yml")
	if err := os.WriteFile(file, []byte("calls: [{at: 0, throw: {code: AUTH, message: no}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := install(t, replay.Options{Fixture: path, Override: file})
	l.fails(llm.Request{SessionID: "s", Messages: said("a")}, session.Failure{Code: "AUTH", Message: "no"})
	l.consumed()
}

func TestEveryMistakeInAnOverrideIsAnErrorWithItsPlace(t *testing.T) {
	finish := "{type: finish, reason: {kind: stop}}"
	for name, c := range map[string]struct{ text, place, words string }{
		"empty":                   {"", "1:1", "needs `calls:`"},
		"only a comment":          {"# nothing", "1:1", "needs `calls:`"},
		"not YAML":                {"calls:\n  - at: [", "2:1", "not YAML"},
		"two documents":           {"calls: []\n---\ncalls: []", "", "more than one YAML document"},
		"a list":                  {"- at: 0", "1:1", "must be a mapping"},
		"another key":             {"call: []", "1:1", `no key "call"`},
		"a key twice":             {"calls: []\ncalls: []", "2:1", "twice"},
		"no entries":              {"calls: []", "1:1", "at least one entry"},
		"calls is no list":        {"calls: {}", "1:8", "must be a list"},
		"an entry is no mapping":  {"calls: [1]", "1:9", "must be a mapping"},
		"no at":                   {"calls:\n  - hang: {marker: m}", "2:5", "needs `at`"},
		"at is a text":            {"calls: [{at: x, hang: {marker: m}}]", "1:14", "whole number from 0"},
		"at is negative":          {"calls: [{at: -1, hang: {marker: m}}]", "1:14", "whole number from 0"},
		"out of range":            {"calls:\n  - {at: 4, hang: {marker: m, prefix: []}}", "2:10", "append at exactly 3"},
		"duplicate":               {"calls:\n  - {at: 1, hang: {marker: m}}\n  - {at: 1, hang: {marker: n}}", "3:10", "twice: first in line 2"},
		"no kind":                 {"calls: [{at: 0}]", "1:9", "exactly one of chunks, throw and hang, this one has 0"},
		"two kinds":               {"calls: [{at: 0, hang: {marker: m}, chunks: recorded}]", "1:9", "has 2"},
		"an unknown kind":         {"calls: [{at: 0, delay: 1}]", "1:17", `no key "delay"`},
		"cut of a hang":           {"calls: [{at: 0, hang: {marker: m}, cut: 1}]", "1:41", "cut goes with chunks only"},
		"cut beyond the list":     {"calls: [{at: 0, chunks: [" + finish + "], cut: 1}]", "1:70", "only 0 chunk(s)"},
		"cut beyond the call":     {"calls: [{at: 0, chunks: recorded, cut: 2}]", "1:40", "has only 1 chunk(s) before its finish"},
		"no finish":               {"calls: [{at: 0, chunks: [{type: text-delta, index: 0, text: a}]}]", "1:25", "do not end in a finish"},
		"no chunks":               {"calls: [{at: 0, chunks: []}]", "1:25", "do not end in a finish"},
		"something after finish":  {"calls: [{at: 0, chunks: [" + finish + ", " + finish + "]}]", "1:64", "nothing follows a finish"},
		"an unknown chunk type":   {"calls: [{at: 0, chunks: [{type: words}]}]", "1:26", `unknown chunk type "words"`},
		"a chunk lacks a key":     {"calls: [{at: 0, chunks: [{type: text-delta, index: 0}]}]", "1:26", `needs "text"`},
		"a chunk has another key": {"calls: [{at: 0, chunks: [{type: text-delta, index: 0, text: a, txt: b}]}]", "1:64", `no key "txt"`},
		"a chunk is a text":       {"calls: [{at: 0, chunks: [a]}]", "1:26", "must be a mapping"},
		"a prefix with a finish":  {"calls: [{at: 0, hang: {marker: m, prefix: [" + finish + "]}}]", "1:44", "a prefix has no finish"},
		"a prefix beyond":         {"calls: [{at: 0, hang: {marker: m, prefix: 2}}]", "1:43", "has only 1 chunk(s) before its finish"},
		"a prefix of nothing":     {"calls: [{at: 3, hang: {marker: m, prefix: 1}}]", "1:43", "no recorded call at 3"},
		"recorded of nothing":     {"calls: [{at: 3, chunks: recorded}]", "1:25", "no recorded call at 3"},
		"hang without a marker":   {"calls: [{at: 0, hang: {prefix: 1}}]", "1:23", "needs a marker"},
		"an empty marker":         {"calls: [{at: 0, hang: {marker: ''}}]", "1:32", "not empty"},
		"throw without a code":    {"calls: [{at: 0, throw: {message: m}}]", "1:24", "needs a code and a message"},
		"a code that is a number": {"calls: [{at: 0, throw: {code: 1, message: m}}]", "1:31", "put it in quotes"},
		"a status that is none":   {"calls: [{at: 0, throw: {code: C, message: m, status: 99}}]", "1:54", "from 100 to 599"},
		"an unknown fact":         {"calls: [{at: 0, throw: {code: C, message: m, retry: 1}}]", "1:46", `no key "retry"`},
		"an alias":                {"calls: [{at: 0, throw: &x {code: C, message: m}}, {at: 1, throw: *x}]", "1:66", "must be a mapping"},
	} {
		_, err := overridden(t, c.text, nil)
		if err == nil {
			t.Errorf("%s: installed", name)
			continue
		}
		if !strings.Contains(err.Error(), "override.yml:"+c.place) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v\nwant it at %q to say %q", name, err, c.place, c.words)
		}
	}
}
