package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/search"
)

type searched struct {
	Items []struct {
		SessionID, Snippet string
		Marks              []search.Mark
	}
	HasMore bool
}

func (w *world) searches(query string) searched {
	w.t.Helper()
	var out searched
	w.call("session.search", map[string]any{"query": query}, &out)
	return out
}

func TestASearchFindsWhatWasSaidInAnyTurnThatIsOver(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(says("The gate is level."), says("全文索引"))
	w.prompt(id, "Look at the lock")
	w.idle()
	got := w.searches("  LOCK ")
	if len(got.Items) != 1 || got.Items[0].SessionID != id || got.Items[0].Snippet != "Look at the lock" || got.HasMore ||
		len(got.Items[0].Marks) != 1 || got.Items[0].Marks[0] != (search.Mark{Start: 12, End: 16}) {
		t.Errorf("%+v", got)
	}
	if got := w.searches("索引"); len(got.Items) != 0 {
		t.Errorf("before it was said: %+v", got)
	}
	w.prompt(id, "again")
	w.idle()
	if got := w.searches("索引"); len(got.Items) != 1 || got.Items[0].Marks[0] != (search.Mark{Start: 2, End: 4}) {
		t.Errorf("after it was said: %+v", got)
	}
	w.call("session.delete", map[string]any{"sessionId": id}, nil)
	if got := w.searches("lock"); len(got.Items) != 0 {
		t.Errorf("a deleted session is found: %+v", got)
	}
}

func TestAQueryThatFitsNotIsRefused(t *testing.T) {
	w := newWorld(t, api.Limits{})
	for query, want := range map[string]string{
		"":                       "payload.query: want a text that is not empty",
		" \n ":                   "payload.query: want something to look for, got white space",
		strings.Repeat("é", 501): "payload.query: want at most 500 characters, got 501",
		"a\x00b":                 "payload.query: want a text without NUL",
	} {
		body, err := json.Marshal(map[string]any{"type": "client-request", "rpcId": "r", "method": "session.search", "payload": map[string]any{"query": query}})
		if err != nil {
			t.Fatal(err)
		}
		if text := w.post("session.search", string(body)); !strings.Contains(text, `"bad-request"`) || !strings.Contains(text, want) {
			t.Errorf("%q: %s", query, text)
		}
	}
	if got := w.searches(strings.Repeat("é", 500)); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}

// waiting is an engine that answers never, and tells when its caller is gone.
type waiting struct{ asked, gone chan struct{} }

func (e waiting) Search(ctx context.Context, _ search.Query) (search.Answer, error) {
	close(e.asked)
	<-ctx.Done()
	close(e.gone)
	return search.Answer{}, ctx.Err()
}

func TestASearchEndsWhenItsCallerIsGone(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.unregister()
	e := waiting{make(chan struct{}), make(chan struct{})}
	if _, err := w.search.Register(e); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL+"/api/session.search",
		strings.NewReader(`{"type":"client-request","rpcId":"r","method":"session.search","payload":{"query":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			t.Error("there was an answer")
		}
	}()
	<-e.asked
	leave()
	<-e.gone
	<-ended
}

func TestWithoutAnEngineASearchSaysSo(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.unregister()
	text := w.post("session.search", `{"type":"client-request","rpcId":"r","method":"session.search","payload":{"query":"a"}}`)
	if !strings.Contains(text, `"code":"search-unavailable"`) {
		t.Errorf("%s", text)
	}
}
