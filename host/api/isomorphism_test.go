package api_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/api"
	"keylane/host/clock"
	"keylane/host/compaction"
)

// exchange is one call that is made in two worlds alike: over HTTP in one, in process in the other.
type exchange struct {
	method  string
	payload func(*world) map[string]any
	fails   bool
}

func always(payload map[string]any) func(*world) map[string]any {
	return func(*world) map[string]any { return payload }
}

// exchanges call every method so that it answers, and so that it refuses. They build on each other.
func exchanges() []exchange {
	of := func(id string, more ...any) map[string]any {
		payload := map[string]any{"sessionId": id}
		for i := 0; i < len(more); i += 2 {
			payload[more[i].(string)] = more[i+1]
		}
		return payload
	}
	waits := func(action map[string]any) func(*world) map[string]any {
		return func(w *world) map[string]any { return of("s", "itemId", w.queue("s")[0].ID, "action", action) }
	}
	made := func(more ...any) func(*world) map[string]any {
		return func(w *world) map[string]any {
			payload := of("", more...)
			delete(payload, "sessionId")
			payload["workspaceId"] = w.workspaces()[1]
			return payload
		}
	}
	return []exchange{
		{"host.describe", always(map[string]any{}), false},
		{"host.describe", always(map[string]any{"<extra>": 1}), true},
		{"host.report", always(map[string]any{}), false},
		{"host.report", always(map[string]any{"<extra>": 1}), true},
		{"host.listDirectory", always(map[string]any{"path": "/"}), false},
		{"host.listDirectory", always(map[string]any{"path": "/<gone>/&"}), true},
		{"host.createDirectory", func(w *world) map[string]any { return map[string]any{"parent": w.root, "name": "<new> & more"} }, false},
		{"host.createDirectory", func(w *world) map[string]any { return map[string]any{"parent": w.root, "name": "../<up>"} }, true},
		{"session.create", always(of("s")), false},
		{"session.create", func(w *world) map[string]any { return of("s", "cwd", filepath.Join(w.root, "elsewhere")) }, true},
		{"session.setMode", always(of("s", "mode", "read-only")), false},
		{"session.setMode", always(of("s", "mode", "<none>")), true},
		{"session.selectModel", always(of("s", "provider", "fake", "model", "large")), false},
		{"session.selectModel", always(of("s", "provider", "fake", "model", "<huge>")), true},
		{"session.prompt", always(of("s", "mode", "queue", "content", saying("look <here> & there"))), false},
		{"session.prompt", always(of("nobody", "mode", "queue", "content", saying("a"))), true},
		{"session.updateQueue", waits(map[string]any{"kind": "edit", "content": saying("<edited>")}), false},
		{"session.updateQueue", always(of("s", "itemId", "<none>", "action", map[string]any{"kind": "remove"})), true},
		{"session.updateQueue", always(of("s", "itemId", "<none>", "action", map[string]any{"kind": "move"})), true},
		{"session.rename", always(of("s", "title", "<Plans> & more")), false},
		{"session.rename", always(of("s", "title", " ")), true},
		{"session.selectModel", always(of("s", "provider", "fake", "model", "small")), false}, // one whose window is known
		{"session.compact", always(of("s")), false},
		{"session.compact", always(of("<nobody>")), true},
		{"session.fork", always(of("s")), false},
		{"session.fork", always(of("<nobody>")), true},
		{"skill.list", always(of("s")), false},
		{"skill.list", always(of("<nobody>")), true},
		{"workspace.files", always(of("s", "query", "<a>")), false},
		{"workspace.files", always(of("<nobody>", "query", "")), true},
		{"session.history", always(of("s")), false},
		{"session.history", always(of("<nobody>")), true},
		{"session.list", always(map[string]any{}), false},
		{"session.list", always(map[string]any{"extra": "&"}), true},
		{"session.search", always(map[string]any{"query": "<here> look"}), false},
		{"session.search", always(map[string]any{"query": " "}), true},
		{"session.cancel", always(of("s")), false},
		{"session.cancel", always(of("nobody")), true},
		{"workspace.moveSession", always(of("s")), false},
		{"workspace.moveSession", always(of("s", "beforeId", "<nobody>")), true},
		{"workspace.archiveSession", always(of("s", "archived", true)), false},
		{"workspace.archiveSession", always(of("<nobody>", "archived", true)), true},
		{"session.create", always(of("gone")), false},
		{"session.delete", always(of("gone")), false},
		{"session.delete", always(of("<nobody>")), true},
		{"workspace.create", always(map[string]any{"name": "<garden>"}), false},
		{"workspace.create", always(map[string]any{"name": "../up"}), true},
		{"workspace.rename", made("title", "<Herbs> & more"), false},
		{"workspace.rename", made("title", " "), true},
		{"workspace.move", made(), false},
		{"workspace.move", made("beforeId", "<nobody>"), true},
		{"workspace.unarrange", made(), false},
		{"workspace.unarrange", always(map[string]any{"workspaceId": "<nobody>"}), true},
		{"workspace.delete", made(), false},
		{"workspace.delete", always(map[string]any{"workspaceId": "<nobody>"}), true},
		{"workspace.list", always(map[string]any{}), false},
		{"workspace.list", always(map[string]any{"extra": 1}), true},
		{"settings.describe", always(map[string]any{}), false},
		{"settings.describe", always(map[string]any{"<extra>": 1}), true},
		{"settings.update", always(map[string]any{"changes": map[string]any{"locale.preference": "zh"}}), false},
		{"credentials.describe", always(map[string]any{}), false},
		{"credentials.describe", always(map[string]any{"<extra>": 1}), true},
		{"credentials.set", always(map[string]any{"ref": "fake", "value": "x"}), false},
		{"credentials.set", always(map[string]any{"ref": "nobody", "value": "x"}), true},
		{"credentials.unset", always(map[string]any{"ref": "fake"}), false},
		{"credentials.unset", always(map[string]any{"ref": "nobody"}), true},
		{"settings.update", always(map[string]any{"expectedRevision": "<none>", "changes": map[string]any{}}), true},
	}
}

// parked is a world, with a clock that stands, where session s has one turn and a message that waits as soon as it exists and was
// prompted; the model hangs once, so that there is a turn to stop.
func parked(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), model: &model{}, clock: clock.NewManual(time.UnixMilli(1_700_000_000_000), 1)}
	w.cwd = filepath.Join(w.root, "work")
	w.boot(api.Limits{})
	if _, err := w.agents.SetCompaction(compaction.Defaults()); err != nil {
		t.Fatal(err)
	}
	return w
}

// park leaves a message of session s waiting: a turn is stopped while it waits.
func (w *world) park() {
	w.t.Helper()
	held := says("1")
	held.hold, held.asked = make(chan struct{}), make(chan struct{}) // never opened: it ends with its turn
	w.model.prepare(held)
	w.prompt("s", "hang")
	<-held.asked // a turn that is stopped before would leave the answer to a later call
	w.prompt("s", "wait")
	w.call("session.cancel", map[string]any{"sessionId": "s"}, nil)
	w.idle()
}

// generated are ids that a host makes up, of nothing or of a folder: two worlds make up others, and use them at the same places.
var generated = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|workspace-[0-9a-f]{16}`)

// alike is an answer without what differs between two worlds: their folders, and the ids that they made up.
func alike(w *world, text string) string {
	seen := map[string]string{}
	text = strings.ReplaceAll(text, w.root, "/root")
	return generated.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("id-%d", len(seen)+1)
		}
		return seen[id]
	})
}

// isomorphism makes the exchanges, by HTTP in one world and in process, by means of call, in another, and returns every difference and every
// method of the table that was not made to answer and to refuse.
func isomorphism(t *testing.T, exchanges []exchange, call func(w *world, method string, payload any) (string, error)) []string {
	t.Helper()
	distant, near := parked(t), parked(t)
	tried := map[string]bool{}
	var problems []string
	for _, each := range exchanges {
		if each.method == "session.updateQueue" && !each.fails {
			distant.park()
			near.park()
		}
		payload, err := json.Marshal(each.payload(distant))
		if err != nil {
			t.Fatal(err)
		}
		overHTTP := distant.post(each.method, `{"type":"client-request","rpcId":"same","method":"`+each.method+`","payload":`+string(payload)+`}`)
		inProcess, err := call(near, each.method, each.payload(near))
		if err != nil {
			problems = append(problems, err.Error())
		}
		distant.idle()
		near.idle()
		if diff := cmp.Diff(alike(distant, overHTTP), alike(near, inProcess)); diff != "" {
			problems = append(problems, fmt.Sprintf("%s answers otherwise (-HTTP +in process):\n%s", each.method, diff))
		}
		if failed := strings.Contains(overHTTP, `"ok":false`); failed != each.fails {
			problems = append(problems, fmt.Sprintf("%s was to fail: %v; it answers %s", each.method, each.fails, overHTTP))
		}
		if strings.Contains(overHTTP, `\u003c`) {
			problems = append(problems, fmt.Sprintf("%s escapes <: %s", each.method, overHTTP))
		}
		tried[fmt.Sprint(each.method, each.fails)] = true
	}
	for _, method := range near.api.Methods() {
		for fails, word := range map[bool]string{false: "answer", true: "refuse"} {
			if !tried[fmt.Sprint(method, fails)] {
				problems = append(problems, fmt.Sprintf("nothing makes %s %s", method, word))
			}
		}
	}
	return problems
}

func inProcess(w *world, method string, payload any) (string, error) {
	text, err := w.api.Call(w.t.Context(), "same", method, payload)
	return string(text), err
}

func TestInProcessAndHTTPAnswerTheSameBytes(t *testing.T) {
	for _, problem := range isomorphism(t, exchanges(), inProcess) {
		t.Error(problem)
	}
}

// What is in no envelope is the same, too: a status and a text. And so is the answer to an answer, which has none.
func TestInProcessAndHTTPRefuseAlike(t *testing.T) {
	w := newWorld(t, api.Limits{})
	for _, each := range []struct{ method, body string }{
		{"nobody", "{}"}, {"session.list", "{"}, {"session.list", "[]"}, {"session.list", `{"type":"x"}`},
		{"respond", "{"}, {"respond", `{"type":"client-response","rpcId":"r","result":{"ok":true,"value":{}}}`},
	} {
		reply := w.api.Dispatch(t.Context(), each.method, []byte(each.body))
		if diff := cmp.Diff(w.post(each.method, each.body), string(reply.Body)); diff != "" {
			t.Errorf("%s %s answers otherwise (-HTTP +in process):\n%s", each.method, each.body, diff)
		}
	}
}

// A client that answers otherwise, and a method that nobody tries, would be seen.
func TestADifferenceBetweenTheClientsWouldBeSeen(t *testing.T) {
	for name, mutant := range map[string]struct {
		exchanges []exchange
		call      func(w *world, method string, payload any) (string, error)
		says      []string
	}{
		"escaped": {exchanges(), func(w *world, method string, payload any) (string, error) {
			text, err := inProcess(w, method, payload)
			escaped, _ := json.Marshal(json.RawMessage(text)) // as it comes out of an encoder that is left as it is
			return string(escaped), err
		}, []string{"session.history answers otherwise", "session.selectModel answers otherwise"}},
		"another id": {exchanges(), func(w *world, method string, payload any) (string, error) {
			text, err := w.api.Call(w.t.Context(), "another", method, payload)
			return string(text), err
		}, []string{"host.describe answers otherwise", "workspace.list answers otherwise"}},
		"a call that is made twice": {exchanges(), func(w *world, method string, payload any) (string, error) {
			if method == "workspace.create" {
				if _, err := inProcess(w, method, payload); err != nil {
					return "", err
				}
			}
			return inProcess(w, method, payload)
		}, []string{"workspace.create answers otherwise"}},
		"a method that nobody tries": {
			slices.DeleteFunc(exchanges(), func(e exchange) bool { return e.method == "session.setMode" }), inProcess,
			[]string{"nothing makes session.setMode answer", "nothing makes session.setMode refuse"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			problems := strings.Join(isomorphism(t, mutant.exchanges, mutant.call), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(problems, words) {
					t.Errorf("no problem says %q:\n%s", words, problems)
				}
			}
		})
	}
}
