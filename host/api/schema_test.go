package api_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/compaction"
	"keylane/host/shape"
)

// wire holds what the host says against its schema. Every answer and every frame of this package's tests goes through it.
var wire = func() heldAgainst {
	h := heldAgainst{map[string]*shape.Shape{}, map[string]*shape.Shape{}}
	schema := api.NewSchema()
	of := func(t reflect.Type) *shape.Shape {
		s, err := schema.Vocabulary.Of(t)
		if err != nil {
			panic(err) // no test of this package means anything then
		}
		return s
	}
	for _, m := range schema.Methods {
		h.values[m.Name] = of(m.Value)
	}
	for _, f := range schema.Frames {
		h.frames[f.Name] = of(f.Payload)
	}
	return h
}()

type heldAgainst struct{ values, frames map[string]*shape.Shape }

// answer says what is wrong with the envelope that answers a call.
func (h heldAgainst) answer(method, text string) []string {
	var envelope struct {
		Result struct {
			Value json.RawMessage
			Error *api.Error
		}
	}
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		return []string{err.Error()}
	}
	if problem := envelope.Result.Error; problem != nil {
		if known := api.NewSchema().Vocabulary.Values[reflect.TypeFor[api.Code]()]; !slices.Contains(known, string(problem.Code)) {
			return []string{fmt.Sprintf("the code %q is not in the schema", problem.Code)}
		}
		return nil
	}
	s, known := h.values[method]
	if !known {
		return []string{"the method is not in the schema"}
	}
	return s.Check(method, envelope.Result.Value)
}

// frame says what is wrong with a frame's payload.
func (h heldAgainst) frame(method string, payload json.RawMessage) []string {
	s, known := h.frames[method]
	if !known {
		return []string{"the frame is not in the schema"}
	}
	return s.Check(method, payload)
}

func TestEveryMethodOfTheTableAnswersInItsShape(t *testing.T) {
	w := newWorld(t, api.Limits{})
	if _, err := w.agents.SetCompaction(compaction.Defaults()); err != nil {
		t.Fatal(err)
	}
	id := w.create()
	w.model.prepare(runs("echo hi"), calls("todo_write", `{"todos":[{"content":"Do it","status":"pending"}]}`), says("done"))
	w.prompt(id, "go")
	w.idle()
	hold := make(chan struct{})
	defer close(hold)
	w.model.prepare(answer{hold: hold})
	w.prompt(id, "hold on")
	w.prompt(id, "later")
	var page api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id}, &page)
	if len(page.Projections.Values.Queue) == 0 {
		t.Fatal("nothing waits")
	}
	item := page.Projections.Values.Queue[len(page.Projections.Values.Queue)-1].ID
	for _, m := range api.NewSchema().Methods {
		payload := map[string]any{}
		switch {
		case m.Name == "workspace.create":
			payload["name"] = "plans"
		case m.Name == "host.createDirectory":
			payload = map[string]any{"parent": w.root, "name": "plans"}
		case m.Name == "session.prompt":
			payload = map[string]any{"sessionId": id, "mode": "steer", "content": []any{map[string]any{"type": "text", "text": "x"}}}
		case m.Name == "session.updateQueue":
			payload = map[string]any{"sessionId": id, "itemId": item, "action": map[string]any{"kind": "remove"}}
		case m.Name == "session.selectModel":
			payload = map[string]any{"sessionId": id, "provider": "fake", "model": "large"}
		case m.Name == "session.setMode":
			payload = map[string]any{"sessionId": id, "mode": "ask"}
		case m.Name == "credentials.set", m.Name == "credentials.unset":
			payload["ref"] = "fake"
			if m.Name == "credentials.set" {
				payload["value"] = "x"
			}
		case m.Name == "settings.update":
			payload["changes"] = map[string]any{"ui-theme.preference": "dark"}
		case m.Name == "session.delete":
			payload["sessionId"] = w.create()
		case m.Name == "session.rename":
			payload = map[string]any{"sessionId": id, "title": "Plans"}
		case m.Name == "workspace.files":
			payload = map[string]any{"sessionId": id, "query": ""}
		case m.Name == "session.search":
			payload["query"] = "hold"
		case m.Name == "workspace.archiveSession":
			payload = map[string]any{"sessionId": id, "archived": true}
		case m.Name == "workspace.rename":
			payload = map[string]any{"workspaceId": w.workspaces()[0], "title": "Herbs"}
		case m.Name == "workspace.delete":
			payload["workspaceId"] = w.workspaces()[1] // not the one that has the session
		case m.Name == "workspace.move", m.Name == "workspace.unarrange":
			payload["workspaceId"] = w.workspaces()[0]
		case m.Name == "skill.list", m.Name == "workspace.moveSession":
			payload["sessionId"] = id
		case strings.HasPrefix(m.Name, "session.") && m.Name != "session.list" && m.Name != "session.create":
			payload["sessionId"] = id
		}
		w.call(m.Name, payload, nil) // fails on a refusal and on a value that does not fit
	}
}

func TestAnAnswerThatDoesNotFitTheSchemaIsSeen(t *testing.T) {
	for text, want := range map[string]string{
		`{"result":{"ok":true,"value":{"sessionId":"s"}}}`:           "",
		`{"result":{"ok":true,"value":{"sessionId":"s","extra":1}}}`: "session.create.extra: want no key but sessionId, got this one",
		`{"result":{"ok":true,"value":{"sessionID":"s"}}}`:           "session.create.sessionId: want a text that is not empty, got nothing",
		`{"result":{"ok":false,"error":{"code":"on-strike"}}}`:       `the code "on-strike" is not in the schema`,
	} {
		if got := wire.answer("session.create", text); len(got) == 0 && want != "" || len(got) > 0 && got[0] != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := wire.frame("session/queue", []byte(`{"sessionId":"s","items":null}`)); len(got) != 1 || got[0] != "session/queue.items: want a list, got null" {
		t.Error(got)
	}
	// A frame that no table lists would have no type in the page.
	if got := wire.frame("session/gossip", []byte(`{}`)); len(got) != 1 {
		t.Error(got)
	}
}
