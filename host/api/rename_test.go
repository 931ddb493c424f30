package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/session"
)

func TestARenamedSessionIsToldToEveryPageAndStaysRenamed(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.model.prepare(says("Hello."))
	id := w.create()
	w.prompt(id, "Say hello")
	w.idle()
	host := w.open("host", "")
	var kept struct{ Title string }
	w.call("session.rename", map[string]any{"sessionId": id, "title": "  My\n name "}, &kept)
	if kept.Title != "My name" {
		t.Errorf("kept as %q", kept.Title)
	}
	blocks := host.until(func(b block) bool { return strings.Contains(b.data, "host/session-changed") })
	if last := blocks[len(blocks)-1].data; !strings.Contains(last, `"title":"My name"`) {
		t.Errorf("pages are told %s", last)
	}
	host.close()

	// One that nobody has attached is renamed as well.
	w.restart()
	w.call("session.rename", map[string]any{"sessionId": id, "title": "Another"}, &kept)
	var list struct{ Items []api.SessionSummary }
	w.call("session.list", map[string]any{}, &list)
	if len(list.Items) != 1 || list.Items[0].Title != "Another" {
		t.Errorf("%+v", list.Items)
	}
	for _, title := range []string{"", " \u200b\n", strings.Repeat("x", 81)} {
		body, err := json.Marshal(map[string]any{"type": "client-request", "rpcId": "r", "method": "session.rename", "payload": map[string]any{"sessionId": id, "title": title}})
		if err != nil {
			t.Fatal(err)
		}
		if answer := w.post("session.rename", string(body)); !strings.Contains(answer, `"code":"title-invalid"`) {
			t.Errorf("%q: %s", title, answer)
		}
	}
}

func TestACompactionIsAcceptedOrRefusedWithItsReason(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	ask := `{"type":"client-request","rpcId":"r","method":"session.compact","payload":{"sessionId":"` + id + `"}}`
	for _, reason := range []string{"disabled", "nothing-to-compact"} {
		answer := w.post("session.compact", ask)
		if !strings.Contains(answer, `"code":"compaction-unavailable"`) || !strings.Contains(answer, `"reason":"`+reason+`"`) {
			t.Errorf("want the reason %s: %s", reason, answer)
		}
		if reason == "disabled" {
			if _, err := w.agents.SetCompaction(compaction.Defaults()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.model.prepare(says("Fine."), says("The gist."), says("Done."))
	w.prompt(id, "first")
	w.idle()
	var accepted struct{ Accepted bool }
	w.call("session.compact", map[string]any{"sessionId": id}, &accepted)
	if !accepted.Accepted {
		t.Error("it was not accepted")
	}
	w.idle()
	var page api.HistoryPage
	w.call("session.history", map[string]any{"sessionId": id}, &page)
	summaries := 0
	for _, e := range page.Events {
		if e.Event.Type == session.TypeCompaction {
			summaries++
		}
	}
	if values := page.Projections.Values; summaries != 1 || values.Context.Used == 0 || values.Steps != 1 {
		t.Errorf("%d summaries, %+v", summaries, values)
	}
}

func TestWhyACompactionFailedIsSafeToShow(t *testing.T) {
	e := session.Event{Type: session.TypeCompactionEnd, Data: json.RawMessage(`{"compactionId":"c","turn":null,"error":{"code":"AUTH","message":"bad key sk-secret1234"}}`)}
	shown := api.DisplaySafe(e)
	if text := string(shown.Data); strings.Contains(text, "secret") || !strings.Contains(text, llm.CodeAuth) || !strings.Contains(text, `"compactionId":"c"`) {
		t.Errorf("shown as %s", text)
	}
}
