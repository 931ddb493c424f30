package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/host/api"
	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"

	"github.com/google/go-cmp/cmp"
)

func TestEveryBadRequestIsNamed(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	envelope := func(method, payload string) string {
		return `{"type":"client-request","rpcId":"r","method":"` + method + `","payload":` + payload + `}`
	}
	for name, c := range map[string]struct{ method, body, want string }{
		"type":               {"host.describe", `{"type":"x","rpcId":"r","method":"host.describe","payload":{}}`, `type: want "client-request", got "x"`},
		"method":             {"host.describe", envelope("session.list", `{}`), `method: want "host.describe", as in the path, got "session.list"`},
		"no payload":         {"host.describe", `{"type":"client-request","rpcId":"r","method":"host.describe"}`, `payload: want an object, got nothing`},
		"null payload":       {"host.describe", envelope("host.describe", `null`), `payload: want an object, got null`},
		"unknown key":        {"host.describe", `{"type":"client-request","rpcId":"r","method":"host.describe","payload":{},"x":1}`, `x: want no key but type, rpcId, method, payload, got this one`},
		"key twice":          {"host.describe", `{"type":"client-request","rpcId":"a","rpcId":"r","method":"host.describe","payload":{}}`, `rpcId: want the key once, got it twice`},
		"other case":         {"host.describe", `{"type":"client-request","rpcID":"r","method":"host.describe","payload":{}}`, `rpcId: want a text of 1 to 256 bytes, got nothing; rpcID: want no key but type, rpcId, method, payload, got this one`},
		"id no text":         {"host.describe", `{"type":"client-request","rpcId":7,"method":"host.describe","payload":{}}`, `rpcId: want a text of 1 to 256 bytes, got 7`},
		"id too long":        {"host.describe", `{"type":"client-request","rpcId":"` + strings.Repeat("x", 257) + `","method":"host.describe","payload":{}}`, `rpcId: want a text of 1 to 256 bytes, got 257 bytes`},
		"an array":           {"host.describe", `[]`, `the text: want an object, got a list`},
		"payload key":        {"host.describe", envelope("host.describe", `{"x":1}`), `payload.x: want no such key, got this one`},
		"payload twice":      {"session.history", envelope("session.history", `{"sessionId":"a","sessionId":"b"}`), `payload.sessionId: want the key once, got it twice`},
		"payload case":       {"session.history", envelope("session.history", `{"SessionId":"a"}`), `payload.sessionId: want a text that is not empty, got nothing; payload.SessionId: want no key but sessionId, beforeSeq, maxTurns, got this one`},
		"payload type":       {"session.history", envelope("session.history", `{"sessionId":1}`), `payload.sessionId: want a text that is not empty, got 1`},
		"no session":         {"session.history", envelope("session.history", `{}`), `payload.sessionId: want a text that is not empty, got nothing`},
		"before negative":    {"session.history", envelope("session.history", `{"sessionId":"a","beforeSeq":-1}`), `payload.beforeSeq: want a whole number from 0 on, got -1`},
		"a fraction":         {"session.history", envelope("session.history", `{"sessionId":"a","beforeSeq":1.5}`), `payload.beforeSeq: want a whole number from 0 on, got 1.5`},
		"turns no number":    {"session.history", envelope("session.history", `{"sessionId":"a","maxTurns":"x"}`), `payload.maxTurns: want a whole number from 1 to 1000, got "x"`},
		"no turns":           {"session.history", envelope("session.history", `{"sessionId":"a","maxTurns":0}`), `payload.maxTurns: want a whole number from 1 to 1000, got 0`},
		"prompt mode":        {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"x","content":[{"type":"text","text":"a"}]}`), `payload.mode: want "queue" or "steer", got "x"`},
		"prompt without":     {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[]}`), `payload.content: want a list of at least 1, got 0 entries`},
		"prompt empty":       {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[{"type":"text","text":" "}]}`), `payload.content: want words, got nothing but white space`},
		"prompt image":       {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[{"type":"image","text":"a"}]}`), `payload.content.0.type: want "text", got "image"`},
		"prompt content key": {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[{"type":"text","text":"a","x":1}]}`), `payload.content.0.x: want no key but type, text, got this one`},
		"lone surrogate":     {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[{"type":"text","text":"a \ud83d"}]}`), `payload.content.0.text: want well-formed Unicode, got a lone surrogate`},
		"no UTF-8":           {"session.prompt", envelope("session.prompt", `{"sessionId":"`+id+`","mode":"queue","content":[{"type":"text","text":"a `+"\xff"+`"}]}`), `payload.content.0.text: want well-formed Unicode, got bytes that are no UTF-8`},
		"queue action":       {"session.updateQueue", envelope("session.updateQueue", `{"sessionId":"`+id+`","itemId":"i","action":{"kind":"burn"}}`), `payload.action.kind: want "edit", "remove", "steer" or "move", got "burn"`},
		"queue content":      {"session.updateQueue", envelope("session.updateQueue", `{"sessionId":"`+id+`","itemId":"i","action":{"kind":"remove","content":[]}}`), `payload.action.content: want no such key beside kind "remove", got this one`},
		"queue no content":   {"session.updateQueue", envelope("session.updateQueue", `{"sessionId":"`+id+`","itemId":"i","action":{"kind":"edit"}}`), `payload.action.content: want a list of at least 1, got nothing`},
		"create both":        {"session.create", envelope("session.create", `{"cwd":"/tmp","workspaceId":"w"}`), `payload.workspaceId: want cwd or workspaceId, got both`},
		"create id":          {"session.create", envelope("session.create", `{"sessionId":"../x"}`), `payload.sessionId: want a name of letters, digits, ".", "_" and "-" that begins with a letter or digit, got "../x"`},
		"create model":       {"session.create", envelope("session.create", `{"model":"x"}`), `payload.provider: want the provider of the model, got nothing`},
		"workspace neither":  {"workspace.create", envelope("workspace.create", `{}`), `payload: want path or name, got neither`},
		"workspace both":     {"workspace.create", envelope("workspace.create", `{"path":"/a","name":"b"}`), `payload: want path or name, got both`},
	} {
		var reply struct {
			RPCID  string
			Result struct {
				OK    bool
				Error struct {
					Code    api.Code
					Details struct{ Issues []string }
				}
			}
		}
		text := w.post(c.method, c.body)
		if err := json.Unmarshal([]byte(text), &reply); err != nil || reply.Result.OK || reply.Result.Error.Code != api.BadRequest {
			t.Errorf("%s: %s", name, text)
		}
		if diff := cmp.Diff(strings.Split(c.want, "; "), reply.Result.Error.Details.Issues); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		salvaged := "r"
		if strings.HasPrefix(c.want, "rpcId: want a text") || strings.HasPrefix(c.want, "the text") {
			salvaged = "invalid-request"
		}
		if reply.RPCID != salvaged {
			t.Errorf("%s: the answer is to %q", name, reply.RPCID)
		}
	}
	if n := w.agents.Attached(); len(n) != 1 || n[0].Log().Len() != 0 {
		t.Error("a bad request changed something")
	}
}

func TestEveryRefusalHasItsCode(t *testing.T) {
	w := newWorld(t, api.Limits{})
	if _, err := os.Create(w.root + "/file"); err != nil {
		t.Fatal(err)
	}
	w.call("session.create", map[string]any{"sessionId": "s"}, nil)
	for name, c := range map[string]struct {
		method  string
		payload map[string]any
		code    api.Code
	}{
		"history":         {"session.history", map[string]any{"sessionId": "nobody"}, api.SessionNotFound},
		"prompt":          {"session.prompt", map[string]any{"sessionId": "nobody", "mode": "queue", "content": []any{map[string]any{"type": "text", "text": "a"}}}, api.SessionNotFound},
		"cancel":          {"session.cancel", map[string]any{"sessionId": "nobody"}, api.SessionNotFound},
		"select":          {"session.selectModel", map[string]any{"sessionId": "nobody", "provider": "fake", "model": "small"}, api.SessionNotFound},
		"model":           {"session.selectModel", map[string]any{"sessionId": "s", "provider": "fake", "model": "x"}, api.ModelUnavailable},
		"create model":    {"session.create", map[string]any{"provider": "x"}, api.ModelUnavailable},
		"create conflict": {"session.create", map[string]any{"sessionId": "s", "cwd": w.root}, api.SessionConflict},
		"create cwd":      {"session.create", map[string]any{"cwd": "relative"}, api.WorkspaceInvalidPath},
		"create on file":  {"session.create", map[string]any{"cwd": w.root + "/file"}, api.WorkspaceInvalidPath},
		"create nowhere":  {"session.create", map[string]any{"workspaceId": "x"}, api.WorkspaceNotFound},
		"workspace path":  {"workspace.create", map[string]any{"path": "x"}, api.WorkspaceInvalidPath},
	} {
		text, err := w.api.Call(t.Context(), "r", c.method, c.payload)
		if err != nil {
			t.Fatal(err)
		}
		var reply struct{ Result struct{ Error *api.Error } }
		if err := json.Unmarshal(text, &reply); err != nil || reply.Result.Error == nil || reply.Result.Error.Code != c.code || reply.Result.Error.Details == nil {
			t.Errorf("%s: want %s, got %s", name, c.code, text)
		}
	}
	w.call("workspace.create", map[string]any{"name": "n"}, nil)
	if text, _ := w.api.Call(t.Context(), "r", "workspace.create", map[string]any{"name": "n"}); !strings.Contains(string(text), string(api.WorkspaceNameConflict)) {
		t.Errorf("%s", text)
	}
}

func TestWhatNeverReachesAMethodHasAStatus(t *testing.T) {
	w := newWorld(t, api.Limits{BodyBytes: 150})
	for name, c := range map[string]struct {
		verb, path, kind, body string
		want                   int
		text                   string
	}{
		"unknown method":  {"POST", "/api/nobody", "application/json", "{}", 404, "not found"},
		"get":             {"GET", "/api/session.list", "", "", 404, "not found"},
		"post to stream":  {"POST", "/api/events.mux", "application/json", "{}", 404, "not found"},
		"bare":            {"POST", "/api", "application/json", "{}", 404, "not found"},
		"deeper":          {"POST", "/api/session.list/x", "application/json", "{}", 404, "not found"},
		"text":            {"POST", "/api/session.list", "text/plain", "{}", 415, "content type must be application/json"},
		"form":            {"POST", "/api/session.list", "application/x-www-form-urlencoded", "{}", 415, "content type must be application/json"},
		"no type":         {"POST", "/api/session.list", "", "{}", 415, "content type must be application/json"},
		"with parameters": {"POST", "/api/session.list", "Application/JSON; charset=utf-8", "{}", 200, ""},
		"no JSON":         {"POST", "/api/session.list", "application/json", "{", 400, "body is not JSON"},
		"too large":       {"POST", "/api/session.list", "application/json", `"` + strings.Repeat("x", 150) + `"`, 413, "body is larger than 150 bytes"},
		"pending":         {"POST", "/api/respond", "application/json", `{"type":"client-response","rpcId":"r","result":{"ok":true,"value":{"sessionId":"s","answer":{"answers":[]}}}}`, 200, `{"accepted":false,"reason":"not-pending"}`},
		"no result":       {"POST", "/api/respond", "application/json", `{"type":"client-response","rpcId":"r","result":{}}`, 200, `{"accepted":false,"reason":"bad-response"}`},
		"bad response":    {"POST", "/api/respond", "application/json", `{"type":"x"}`, 200, `{"accepted":false,"reason":"bad-response"}`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.verb, w.server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.kind != "" {
			request.Header.Set("Content-Type", c.kind)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != c.want || c.text != "" && string(text) != c.text {
			t.Errorf("%s: %d %s %v", name, response.StatusCode, text, err)
		}
		_ = response.Body.Close()
	}
}

func TestTheFenceLetsInOnlyItsOwnPage(t *testing.T) {
	fence, err := api.NewFence([]string{"box.example", "exact.example:8080", "10.0.0.7"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host, origin, site string
		want               bool
	}{
		"loopback name":        {"localhost:3080", "", "", true},
		"loopback upper":       {"LOCALHOST:3080", "", "", true},
		"loopback v4":          {"127.0.0.1:3080", "", "", true},
		"loopback v4 other":    {"127.9.9.9", "", "", true},
		"loopback v6":          {"[::1]:3080", "", "", true},
		"same origin":          {"localhost:3080", "http://localhost:3080", "same-origin", true},
		"typed":                {"localhost:3080", "", "none", true},
		"default port":         {"localhost", "http://localhost:80", "", true},
		"behind TLS":           {"box.example", "https://box.example", "same-origin", true},
		"trusted any port":     {"box.example:9", "", "", true},
		"trusted exact":        {"exact.example:8080", "", "", true},
		"trusted address":      {"10.0.0.7:3080", "", "", true},
		"rebound name":         {"evil.example:3080", "http://evil.example:3080", "same-origin", false},
		"a name like loopback": {"localhost.evil.example", "", "", false},
		"another address":      {"10.0.0.8:3080", "", "", false},
		"unspecified":          {"0.0.0.0:3080", "", "", false},
		"trusted other port":   {"exact.example:8081", "", "", false},
		"no host":              {"", "", "", false},
		"host with user":       {"user@localhost", "", "", false},
		"host with path":       {"localhost/x", "", "", false},
		"cross site":           {"localhost:3080", "", "cross-site", false},
		"foreign origin":       {"localhost:3080", "http://evil.example", "", false},
		"another local port":   {"localhost:3080", "http://localhost:3081", "same-site", false},
		"another loopback":     {"localhost:3080", "http://127.0.0.1:3080", "", false},
		"null origin":          {"localhost:3080", "null", "", false},
		"odd origin":           {"localhost:3080", "file://localhost:3080", "", false},
	} {
		r := httptest.NewRequestWithContext(context.Background(), "POST", "/api/x", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if err := fence.Check(r); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, entry := range []string{"", "http://x", "x/y", "X.example", "x:", "a b", "*.example", "u@x", "x:port"} {
		if _, err := api.NewFence([]string{entry}); err == nil {
			t.Errorf("%q is trusted", entry)
		}
	}
}

func TestTheFenceStandsBeforeCallsAndStreams(t *testing.T) {
	w := newWorld(t, api.Limits{})
	for _, path := range []string{"/api/session.list", "/api/events.mux", "/api/events.host", "/api/nobody"} {
		for _, verb := range []string{"GET", "POST"} {
			request, err := http.NewRequestWithContext(t.Context(), verb, w.server.URL+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Origin", "http://evil.example")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if response.StatusCode != http.StatusForbidden || string(text) != "forbidden" {
				t.Errorf("%s %s: %d %s", verb, path, response.StatusCode, text)
			}
		}
	}
}

func TestAListTellsOfAttachedAndStoredSessionsAlike(t *testing.T) {
	w := newWorld(t, api.Limits{})
	first := w.create()
	w.prompt(first, "the first one of them all")
	w.idle()
	second := w.create()
	w.prompt(second, "the second one of them all")
	w.idle()
	blank := w.create()
	var before, after struct{ Items []api.SessionSummary }
	w.call("session.list", map[string]any{}, &before)
	if len(before.Items) != 3 || before.Items[0].SessionID != blank || !before.Items[0].Blank {
		t.Fatalf("%+v", before.Items)
	}
	w.restart()
	w.call("session.list", map[string]any{}, &after)
	// A blank session leaves nothing; the others are told of as before.
	if diff := cmp.Diff(before.Items[1:], after.Items); diff != "" {
		t.Error(diff)
	}
	if got := after.Items[0]; got.SessionID != second || got.Title != "the second one of them" || got.Running || got.Cwd != w.cwd {
		t.Errorf("%+v", got)
	}
	var spaces struct{ Items []api.WorkspaceView }
	w.call("workspace.list", map[string]any{}, &spaces)
	if len(spaces.Items) != 1 || cmp.Diff([]string{second, first}, spaces.Items[0].SessionIDs) != "" {
		t.Errorf("%+v", spaces)
	}
	// Reading does not attach.
	var page api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": first}, &page)
	if len(w.agents.Attached()) != 0 || len(page.Events) == 0 || page.Projections.Values.Title == "" || page.Projections.Values.Model.Model != "small" {
		t.Errorf("%+v", page.Projections)
	}
}

func TestABrokenListOfFoldersHidesNoSession(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.prompt(id, "go")
	w.idle()
	file := filepath.Join(w.root, "workspaces.json")
	for text, cause := range map[string]string{"{": "unexpected EOF", `{"version":2,"workspaces":[]}`: "it has version 2"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var sessions struct{ Items []api.SessionSummary }
		var spaces struct {
			Items   []api.WorkspaceView
			Problem *struct{ File, Cause string }
		}
		w.call("session.list", map[string]any{}, &sessions)
		w.call("workspace.list", map[string]any{}, &spaces)
		if len(sessions.Items) != 1 || len(spaces.Items) != 1 || len(spaces.Items[0].SessionIDs) != 1 {
			t.Errorf("%+v %+v", sessions, spaces)
		}
		if spaces.Problem == nil || spaces.Problem.File != file || !strings.Contains(spaces.Problem.Cause, cause) {
			t.Errorf("%s: %+v", text, spaces.Problem)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			t.Errorf("the file is %q now, %v", now, err)
		}
	}
}

func TestASessionBeginsOnlyInAFolderThatIsThere(t *testing.T) {
	w := newWorld(t, api.Limits{})
	nowhere := filepath.Join(w.root, "no", "where")
	for _, method := range []string{"session.create", "workspace.create"} {
		key := map[string]string{"session.create": "cwd", "workspace.create": "path"}[method]
		text := w.post(method, `{"type":"client-request","rpcId":"r","method":"`+method+`","payload":{"`+key+`":"`+nowhere+`"}}`)
		if !strings.Contains(text, `"code":"workspace-invalid-path"`) || !strings.Contains(text, nowhere) {
			t.Errorf("%s: %s", method, text)
		}
		if _, err := os.Stat(filepath.Dir(nowhere)); err == nil {
			t.Errorf("%s has made the folder", method)
		}
	}
	for _, id := range []string{".", "..", "a/b", ".hidden", "-", "a b", "ä"} {
		if text := w.post("session.create", `{"type":"client-request","rpcId":"r","method":"session.create","payload":{"sessionId":"`+id+`"}}`); !strings.Contains(text, `payload.sessionId: want a name`) {
			t.Errorf("%q: %s", id, text)
		}
	}
	if n := len(w.agents.Attached()); n != 0 {
		t.Errorf("%d sessions", n)
	}
	w.call("session.create", map[string]any{"sessionId": "Plan-1.b_c"}, nil)
}

func TestATurnThatAHostLeftOpenIsToldAsInterrupted(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.prompt(id, "go")
	w.idle()
	w.stop()
	// As a killed host leaves it: the turn's end never reached the disk.
	files, err := filepath.Glob(filepath.Join(w.root, "sessions", "*", "*", "session.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte(`{"type":"turn/end"`))
	if at < 0 {
		t.Fatalf("no end of a turn in\n%s", text)
	}
	if err := os.WriteFile(files[0], text[:at], 0o600); err != nil {
		t.Fatal(err)
	}
	w.boot(api.Limits{})
	var looked, opened api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id}, &looked)
	last := looked.Events[len(looked.Events)-1].Event
	if last.Type != session.TypeTurnEnd || !bytes.Contains(last.Data, []byte(session.ReasonInterrupted)) || looked.Projections.AsOfSeq != last.Seq {
		t.Errorf("the log as it is told ends with %s %s", last.Type, last.Data)
	}
	if now, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(now, text[:at]) {
		t.Errorf("looking has changed the log: %v", err)
	}
	// Opening closes the turn with the very same events, so that a page which looked before needs no others.
	w.prompt(id, "go on")
	w.idle()
	w.call("session.history", map[string]any{"sessionId": id}, &opened)
	if diff := cmp.Diff(looked.Events, opened.Events[:len(looked.Events)]); diff != "" {
		t.Errorf("opened otherwise than told (-told +opened):\n%s", diff)
	}
}

func TestAPageOfHistoryIsWholeTurns(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	for _, words := range strings.Fields("one two three") {
		w.prompt(id, words)
		w.idle()
	}
	var all, tail, older api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id}, &all)
	w.call("session.history", map[string]any{"sessionId": id, "maxTurns": 1}, &tail)
	w.call("session.history", map[string]any{"sessionId": id, "maxTurns": 2, "beforeSeq": tail.Events[0].Event.Seq}, &older)
	if all.HasMore || !tail.HasMore || older.HasMore {
		t.Error("more:", all.HasMore, tail.HasMore, older.HasMore)
	}
	if diff := cmp.Diff(all.Events, append(older.Events, tail.Events...)); diff != "" {
		t.Error(diff)
	}
	if tail.Events[0].Event.Type != session.TypeTurnStart || tail.Projections.Values.Turns != 3 || tail.Projections.AsOfSeq != int64(len(all.Events))-1 {
		t.Errorf("%+v %+v", tail.Events[0], tail.Projections)
	}
}

func TestAPageOfHistoryTellsTheToDoListOfTheWholeLog(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(calls("todo_write", `{"todos":[{"content":"Do it","status":"pending"}]}`), says("noted"))
	w.prompt(id, "one")
	w.idle()
	w.prompt(id, "two")
	w.idle()
	var tail api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id, "maxTurns": 1}, &tail)
	if diff := cmp.Diff([]session.Todo{{Content: "Do it", Status: "pending"}}, tail.Projections.Values.Todos); diff != "" {
		t.Error(diff)
	}
}

func TestAProvidersWordsStayInTheLog(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	live := w.open("mux", "")
	live.until(isCursor)
	w.model.prepare(answer{err: llm.NewError(llm.CodeAuth, "bad key sk-very-secret-1234", nil)})
	w.prompt(id, "go")
	var shown strings.Builder
	for _, b := range live.until(isEvent(session.TypeTurnEnd)) {
		shown.WriteString(b.data)
	}
	w.idle()
	history, err := w.api.Call(t.Context(), "r", "session.history", map[string]any{"sessionId": id})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stream": shown.String(), "history": string(history)} {
		if strings.Contains(text, "sk-very") || strings.Count(text, `"code":"AUTH"`) != 2 {
			t.Errorf("%s: %s", name, text)
		}
	}
	a, _ := w.agents.Get(id)
	if raw, err := json.Marshal(a.Log().Events(0, -1)); err != nil || !strings.Contains(string(raw), "sk-very-secret-1234") {
		t.Error("the log lost the provider's words", err)
	}
}

func TestAToolHasAViewForItsCallAndItsResult(t *testing.T) {
	w := newWorld(t, api.Limits{})
	elsewhere := t.TempDir()
	for arguments, cwd := range map[string]string{
		`{"command":"echo hi","description":"do it"}`:                                             w.cwd,
		`{"command":"echo hi","description":"do it","workdir":"../` + filepath.Base(w.cwd) + `"}`: w.cwd,
		`{"command":"echo hi","description":"do it","workdir":"` + elsewhere + `"}`:               elsewhere,
	} {
		id := w.create()
		w.model.prepare(calls("bash", arguments))
		w.prompt(id, "go")
		w.idle()
		var page api.HistoryPage
		w.call("session.history", map[string]any{"sessionId": id}, &page)
		views := map[string]map[string]any{}
		for _, e := range page.Events {
			if e.View == nil {
				continue
			}
			var card map[string]any
			if err := json.Unmarshal(e.View.View, &card); err != nil {
				t.Fatal(err)
			}
			views[string(e.View.For)] = card
		}
		want := map[string]any{"card": "terminal", "command": "echo hi", "cwd": cwd, "description": "do it"}
		if diff := cmp.Diff(want, views["call"]); diff != "" {
			t.Errorf("%s: %s", arguments, diff)
		}
		if views["result"]["card"] != "terminal" || views["result"]["exitCode"] != 0.0 || views["result"]["cwd"] != cwd || len(views) != 2 {
			t.Errorf("%s: %v", arguments, views)
		}
	}
}

func TestAPromptCarriesItsCallsID(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.prompt(id, "go")
	w.idle()
	a, _ := w.agents.Get(id)
	for _, e := range a.Log().Events(0, -1) {
		if m, ok, _ := session.MessageOf(e); ok && e.Type == session.TypeUserMessage && m.Source.RPCID != "r-session.prompt" {
			t.Errorf("%+v", m.Source)
		}
	}
}

func TestOnlyAPersonsMessageMakesASessionRecent(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.stop()
	manual := clock.NewManual(time.UnixMilli(1_700_000_000_000), 1)
	log, err := session.NewLog(session.Header{ID: "s", CreatedAt: manual.Now().UnixMilli(), Cwd: w.cwd}, nil, manual)
	if err != nil {
		t.Fatal(err)
	}
	add := func(typ string, data any, options ...session.AppendOption) {
		t.Helper()
		manual.Advance(time.Second)
		if _, err := log.Append(typ, data, options...); err != nil {
			t.Fatal(err)
		}
	}
	message := func(id string, source session.Source) session.Message {
		return session.Message{ID: id, Role: session.RoleUser, Content: []session.Block{{Type: session.BlockText, Text: "x"}}, Source: source}
	}
	add(session.TypeTurnStart, session.TurnStart{Turn: 1})
	add(session.TypeUserMessage, message("a", session.Source{Kind: session.SourceUser}), session.WithSurfaceAppend())
	spoken := manual.Now().UnixMilli()
	add(session.TypeUserMessage, message("b", session.Source{Kind: session.SourcePlugin, Plugin: "p"}), session.WithSurfaceAppend())
	add(session.TypeTurnEnd, session.TurnEnd{Turn: 1, Reason: session.TurnReason{Kind: session.ReasonCompleted}})
	store, err := jsonl.New(jsonl.Config{Root: w.root + "/sessions", Compression: jsonl.CompressionNone}, manual)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Create(t.Context(), log.Header()), store.Append(t.Context(), "s", log.Events(0, -1)), store.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	w.boot(api.Limits{})
	recent := func() int64 {
		var list struct{ Items []api.SessionSummary }
		w.call("session.list", map[string]any{}, &list)
		if len(list.Items) != 1 {
			t.Fatalf("%+v", list.Items)
		}
		return list.Items[0].UpdatedAt
	}
	if got := recent(); got != spoken {
		t.Errorf("stored: %d, want %d", got, spoken)
	}
	// Picking it up is not speaking either.
	if _, err := w.agents.Open(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := recent(); got != spoken {
		t.Errorf("attached: %d, want %d", got, spoken)
	}
}
