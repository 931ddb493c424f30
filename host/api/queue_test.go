package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/session"
)

func saying(words string) []any { return []any{map[string]any{"type": "text", "text": words}} }

// update changes a queued message and returns the code of the refusal, "" when there is none.
func (w *world) update(id, item string, action map[string]any) api.Code {
	w.t.Helper()
	text, err := w.api.Call(w.t.Context(), "r", "session.updateQueue", map[string]any{"sessionId": id, "itemId": item, "action": action})
	if err != nil {
		w.t.Fatal(err)
	}
	var reply struct{ Result struct{ Error *api.Error } }
	if err := json.Unmarshal(text, &reply); err != nil {
		w.t.Fatal(err)
	}
	if reply.Result.Error == nil {
		return ""
	}
	return reply.Result.Error.Code
}

func (w *world) queue(id string) []api.QueueItem {
	w.t.Helper()
	var page api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id}, &page)
	return page.Projections.Values.Queue
}

func TestAQueueIsChangedAndOutlivesTheHost(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	held := says("1")
	held.hold = make(chan struct{})
	w.model.prepare(held)
	for _, words := range []string{"one", "two", "three", "four"} {
		w.prompt(id, words)
	}
	items := w.queue(id)
	for len(items) != 3 { // the turn takes the first one by itself
		items = w.queue(id)
	}
	edit := map[string]any{"kind": "edit", "content": saying("two, edited")}
	if code := w.update(id, items[0].ID, edit); code != "" {
		t.Error(code)
	}
	if code := w.update(id, items[1].ID, map[string]any{"kind": "remove"}); code != "" {
		t.Error(code)
	}
	for _, action := range []map[string]any{edit, {"kind": "remove"}, {"kind": "steer"}, {"kind": "move"}} {
		if code := w.update(id, items[1].ID, action); code != api.QueueItemNotFound {
			t.Errorf("%v: %q", action, code)
		}
	}
	for _, action := range []map[string]any{{"kind": "x"}, {"kind": "edit"}, {"kind": "edit", "content": saying(" ")}, {"kind": "remove", "content": saying("x")},
		{"kind": "remove", "beforeId": "x"}, {"kind": "move", "content": saying("x")}} {
		if code := w.update(id, items[0].ID, action); code != api.BadRequest {
			t.Errorf("%v: %q", action, code)
		}
	}
	w.call("session.cancel", map[string]any{"sessionId": id}, nil)
	w.idle()
	w.restart()
	left := w.queue(id)
	if len(w.agents.Attached()) != 0 || len(left) != 2 || left[0].Message.Text() != "two, edited" || left[1].Message.Text() != "four" {
		t.Fatalf("%+v", left)
	}
	if code := w.update(id, left[1].ID, map[string]any{"kind": "move", "beforeId": left[0].ID}); code != "" || w.queue(id)[0].ID != left[1].ID {
		t.Errorf("moving in a stored session: %q, %+v", code, w.queue(id))
	}
	if code := w.update(id, left[1].ID, map[string]any{"kind": "steer"}); code != api.SteerUnavailable {
		t.Errorf("steering without a turn: %q", code)
	}
	if code := w.update(id, left[1].ID, map[string]any{"kind": "remove"}); code != "" || len(w.queue(id)) != 1 {
		t.Errorf("removing from a stored session: %q, %+v", code, w.queue(id))
	}
	if code := w.update("nobody", "x", map[string]any{"kind": "remove"}); code != api.SessionNotFound {
		t.Error(code)
	}
}

// A page that shows the queue and the rows has every message at every moment, from its arrival on.
func TestAMessageIsNeverInNeitherQueueNorLog(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	live := w.open("mux", "")
	live.until(isCursor)
	held := runs("true")
	held.hold = make(chan struct{})
	w.model.prepare(held, says("2"))
	w.prompt(id, "one")
	live.until(isEvent(session.TypeStepStart)) // else nothing would take the second one
	w.call("session.prompt", map[string]any{"sessionId": id, "mode": "steer", "content": saying("two")}, nil)
	close(held.hold)
	queued, logged := map[string]string{}, []string{}
	came := map[string]bool{}
	for _, b := range live.until(isEvent(session.TypeTurnEnd)) {
		switch {
		case b.Method == "session/queue":
			var frame struct{ Items []api.QueueItem }
			if err := json.Unmarshal(b.Payload, &frame); err != nil {
				t.Fatal(err)
			}
			queued = map[string]string{}
			for _, item := range frame.Items {
				queued[item.Message.Text()] = string(item.Placement)
				came[item.Message.Text()] = true
			}
		case b.Method == "session/event" && b.event().Type == session.TypeUserMessage:
			m, _, err := session.MessageOf(b.event())
			if err != nil {
				t.Fatal(err)
			}
			logged = append(logged, m.Text())
		}
		for words := range came {
			if queued[words] == "" && !slices.Contains(logged, words) {
				t.Errorf("at frame %s %s is nowhere", b.id, words)
			}
		}
	}
	w.idle()
	if got := strings.Join(logged, " "); got != "one two" || len(queued) != 0 {
		t.Errorf("%s; left: %v", got, queued)
	}
}
