// Package hostile_test opens sessions with what a model or a tool may say and a page must survive: text that the markdown parser cannot
// take, output that a terminal would have overwritten, a command that something killed. The sessions lie on disk; no model is asked.
package hostile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const sessionID = "session-hostile"

// log is a session of one turn: the prompt, then the events given, each the data of one.
func log(t *testing.T, events ...string) []byte {
	t.Helper()
	lines := []string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
	}
	lines = append(lines, events...)
	lines = append(lines, `{"type":"step/end","data":{"turn":1,"step":1}}`, `{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`)
	return []byte(strings.Join(lines, "\n") + "\n")
}

func says(t *testing.T, block map[string]any) string {
	t.Helper()
	return fmt.Sprintf(`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[%s],`+
		`"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`, quoted(t, block))
}

// ran is a call of bash and its result, as the tool's own card describes it.
func ran(t *testing.T, output string, card map[string]any) []string {
	t.Helper()
	card["card"], card["command"], card["cwd"], card["description"] = "terminal", "build", "/", "Build it"
	return []string{
		says(t, map[string]any{"type": "tool-call", "id": "c1", "name": "bash", "arguments": `{"command":"build","description":"Build it"}`}),
		`{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c1","name":"bash","arguments":"{\"command\":\"build\",\"description\":\"Build it\"}"}}`,
		fmt.Sprintf(`{"type":"tool/result","data":{"turn":1,"step":1,"message":{"id":"m3","role":"user","content":[{"type":"tool-result",`+
			`"toolCallId":"c1","content":[{"type":"text","text":%s}],"isError":false}],"source":{"kind":"tool","callId":"c1"}},"meta":%s},"surfaceOp":"append"}`,
			quoted(t, output), quoted(t, card)),
	}
}

func quoted(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// opened is the scenario of a page that opens a session with that log; tripwires see whatever the page throws.
func opened(log []byte, look func(*scaffold.Stage)) scaffold.Scenario {
	return scaffold.Scenario{
		Name:  "hostile",
		Seeds: []scaffold.Seed{{SessionID: sessionID, Log: log}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			look(s)
		},
	}
}

func TestABrokenListOfFoldersIsSaidAndHidesNoSession(t *testing.T) {
	file := func(s scaffold.Folders) string { return filepath.Join(s.Home, "workspaces.json") }
	scaffold.Run(t, scaffold.Scenario{
		Name:    "hostile",
		Seeds:   []scaffold.Seed{{SessionID: sessionID, Log: log(t, says(t, map[string]any{"type": "text", "text": "KEYLANE_KEPT"}))}},
		Prepare: func(f scaffold.Folders) error { return os.WriteFile(file(f), []byte("{"), 0o600) },
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(chromium.CSS("[data-session-id]"))
			notice := s.Text("[role=alert]")
			for _, want := range []string{"The list of folders cannot be read", file(s.Folders), "unexpected EOF", "Mend this file"} {
				if !strings.Contains(notice, want) {
					s.Errorf("the notice does not say %q:\n%s", want, notice)
				}
			}
			s.Click(chromium.CSS("[data-session-id]"))
			s.WaitFor(chromium.Role("textbox", "Message the agent")) // it comes with what is in the session
			s.Settle()
			if shown := s.Text("main"); !strings.Contains(shown, "KEYLANE_KEPT") {
				s.Errorf("the session is not on the page:\n%.400s", shown)
			}
			if err := os.Remove(file(s.Folders)); err != nil {
				s.Fatalf("mending: %v", err)
			}
			s.Click(chromium.Role("button", "Try again"))
			if err := s.Page.WaitGone(s.Context, chromium.AnyName("alert")); err != nil {
				s.Errorf("the file is gone, its notice is not: %v", err)
			}
		},
	})
}

func deep(t *testing.T) scaffold.Scenario {
	text := strings.Repeat(">", 5000) + " KEYLANE_DEEP"
	return opened(log(t, says(t, map[string]any{"type": "text", "text": text})), func(s *scaffold.Stage) {
		if shown := s.Text("main"); !strings.Contains(shown, ">>>>") || !strings.Contains(shown, "KEYLANE_DEEP") {
			s.Errorf("the text is not on the page:\n%.400s", shown)
		}
	})
}

func TestTextThatIsNestedTooDeepIsShownAsItIs(t *testing.T) {
	scaffold.Run(t, deep(t))
}

// What a browser would obey, if it were let: still is there to be pressed, runs does something by itself.
const (
	still = `<form action="/api/host.describe"><button>Press me</button></form>

<script>document.title = "KEYLANE_RAN"</script>

[a link](javascript:document.title='KEYLANE_RAN') and [another](https://example.com/)
`
	runs = `<img src="/favicon.svg" onerror="document.title='KEYLANE_RAN'" onload="document.title='KEYLANE_RAN'">

`
)

func stranger(t *testing.T, markup string) scaffold.Scenario {
	return opened(log(t, says(t, map[string]any{"type": "text", "text": markup})), func(s *scaffold.Stage) {
		if shown := s.Text("main"); !strings.Contains(shown, "<form action") || strings.Contains(markup, "<img") != strings.Contains(shown, `<img src="/favicon.svg"`) {
			s.Errorf("the markup is not shown as the text that it is:\n%.400s", shown)
		}
		obeyed, err := chromium.Eval[[]string](s.Context, s.Page, `[...document.querySelectorAll(".markdown :is(img, script, form, button, iframe, [onerror], [onload], a:not([href^='https:']))")].map(e => e.outerHTML)`)
		if err != nil {
			s.Fatalf("looking for elements: %v", err)
		}
		for _, each := range obeyed {
			s.Errorf("what a stranger wrote has become an element: %s", each)
		}
		if link := s.WaitFor(chromium.Role("link", "another")); link.Name != "another" {
			s.Errorf("the link that is fine is %+v", link)
		}
	})
}

func TestMarkupIsTextAndIsNotObeyed(t *testing.T) {
	scaffold.Run(t, stranger(t, runs+still))
}

// endings are how a command is killed, as its card says.
func endings() map[string]map[string]any {
	return map[string]map[string]any{
		"signal":    {"exitCode": nil, "signal": "SIGKILL"},
		"timed out": {"exitCode": nil, "signal": "SIGTERM", "timedOut": true},
	}
}

func killed(t *testing.T, card map[string]any) scaffold.Scenario {
	return opened(log(t, ran(t, "[killed]", card)...), func(s *scaffold.Stage) {
		if row := s.Text("[data-row-kind=tool]"); !strings.Contains(row, "Failed") {
			s.Errorf("the closed row says %q, nothing of a failure", row)
		}
	})
}

func TestAKilledCommandHasNotGoneWell(t *testing.T) {
	for name, card := range endings() {
		t.Run(name, func(t *testing.T) { scaffold.Run(t, killed(t, card)) })
	}
}

func progress(t *testing.T) scaffold.Scenario {
	output := "10%\r 20%\r100%\r\nKEYLANE_NEXT\r\n\rlast\r"
	return opened(log(t, ran(t, output, map[string]any{"exitCode": 0})...), func(s *scaffold.Stage) {
		s.Click(chromium.RoleContaining("button", "Build it"))
		s.WaitFor(chromium.Role("group", "Terminal"))
		if got, want := s.Text(".card-output"), "100%\nKEYLANE_NEXT\nlast"; got != want {
			s.Errorf("the terminal shows %q, want %q", got, want)
		}
	})
}

func TestAProgressBarShowsItsEnd(t *testing.T) {
	scaffold.Run(t, progress(t))
}
