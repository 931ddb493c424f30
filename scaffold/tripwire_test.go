package scaffold

import (
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/host/session"
	"keylane/scaffold/chromium"
)

func TestEveryKindOfTripIsJudged(t *testing.T) {
	for _, mutant := range []struct {
		name string
		data chromium.Data
		says string // "" when the event is fine
	}{
		{"an uncaught error", chromium.PageError{Text: "boom"}, "page error"},
		{"a console error", chromium.Console{Level: chromium.Error, Text: "bad"}, "console error"},
		{"a console warning", chromium.Console{Level: chromium.Warning, Text: "careful"}, ""},
		{"a report of loss", chromium.Console{Level: chromium.Warning, Text: "[keylane] connection lost, retry #1"}, "connection loss"},
		{"a report of repair", chromium.Console{Level: chromium.Info, Text: "[keylane] Gap repair of session x"}, "connection loss"},
		{"a discontinuous page of history", chromium.Console{Level: chromium.Warning, Text: "history page discontinuous"}, "connection loss"},
		{"a policy violation", chromium.Violation{Directive: "script-src"}, "policy violation"},
		{"a crash", chromium.Crash{Reason: "killed"}, "crash"},
		{"a target nobody could observe", chromium.Blind{Reason: "late"}, "unobserved"},
		{"a request to the host", chromium.Request{Method: "GET", URL: "http://127.0.0.1:4711/api/events.mux"}, ""},
		{"a request to localhost", chromium.Request{Method: "GET", URL: "http://localhost:4711/"}, ""},
		{"a request to the loopback of version 6", chromium.Request{Method: "GET", URL: "http://[::1]:4711/"}, ""},
		{"data of the page itself", chromium.Request{Method: "GET", URL: "data:image/png;base64,AA=="}, ""},
		{"a request to a name elsewhere", chromium.Request{Method: "GET", URL: "https://fonts.example/inter.woff2"}, "stray request"},
		{"a request to a private address", chromium.Request{Method: "GET", URL: "http://192.168.0.1/"}, "stray request"},
		{"a name that only begins like the loopback", chromium.Request{Method: "GET", URL: "http://127.0.0.1.example/"}, "stray request"},
		{"an address that is none", chromium.Request{Method: "GET", URL: "http://[::1"}, "stray request"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			got := judge(chromium.Event{Source: chromium.Source{Kind: "page"}, Data: mutant.data})
			if (got == "") != (mutant.says == "") || !strings.Contains(got, mutant.says) {
				t.Errorf("judged %q, want it to say %q", got, mutant.says)
			}
		})
	}
}

func TestOnlyACallThatNobodyAnswersIsStray(t *testing.T) {
	var calls strays
	request := llm.Request{SessionID: "session-1", Provider: "deepseek", Purpose: "turn"}
	calls.saw(request, nil)
	calls.saw(request, &llm.Error{Failure: session.Failure{Code: "SERVER", Message: "down"}})
	if got := calls.list(); len(got) != 0 {
		t.Errorf("an answered call and a failed one are no strays, got %q", got)
	}
	calls.saw(request, &llm.Error{Failure: session.Failure{Code: llm.CodeNoAdapter, Message: "nobody"}})
	if got := calls.list(); len(got) != 1 || !strings.Contains(got[0], "session-1") {
		t.Errorf("want one stray call of session-1, got %q", got)
	}
	if len(calls.requests()) != 3 {
		t.Errorf("want all three requests remembered, got %d", len(calls.requests()))
	}
}

func TestAnUnknownModeIsAnErrorThatNamesTheModes(t *testing.T) {
	for value, want := range map[string]Mode{"": Replay, "replay": Replay, "refresh": Refresh, "record": Record} {
		t.Setenv(ModeVariable, value)
		if got, err := modeFromEnvironment(); err != nil || got != want {
			t.Errorf("%q: got %q, %v", value, got, err)
		}
	}
	t.Setenv(ModeVariable, "update")
	if _, err := modeFromEnvironment(); err == nil || !strings.Contains(err.Error(), "replay, record or refresh") {
		t.Errorf("want an error that names the modes, got %v", err)
	}
}

func TestACursorIsCutAtItsLastDash(t *testing.T) {
	if epoch, number, ok := cutCursor("3f-2a-17"); !ok || epoch != "3f-2a" || number != 17 {
		t.Errorf("got %q, %d, %v", epoch, number, ok)
	}
	for _, text := range []string{"", "17", "a-", "a-b"} {
		if _, _, ok := cutCursor(text); ok {
			t.Errorf("%q is no cursor", text)
		}
	}
}

func TestATextIsShortenedBetweenCharacters(t *testing.T) {
	if got := shorten("一二三", 4); got != "一 …" {
		t.Errorf("got %q", got)
	}
	if got := shorten("abc", 3); got != "abc" {
		t.Errorf("got %q", got)
	}
}
