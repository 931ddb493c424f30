package api_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/session"
)

func TestALogThatCannotBeStoredIsToldUntilItIs(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.prompt(id, "before")
	w.idle()
	a, _ := w.agents.Get(id)
	stored := a.Log().Len()
	files, err := filepath.Glob(filepath.Join(w.root, "sessions", "*", id, "session.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	mux := w.open("mux", "")
	if got := methods(mux.until(isCursor)); got != "session/subscribed session/queue cursor" {
		t.Fatal(got)
	}
	if err := os.Rename(files[0], files[0]+".away"); err != nil {
		t.Fatal(err)
	}
	if err := a.Prompt(t.Context(), session.Message{ID: "m", Role: "user", Content: []session.Block{{Type: session.BlockText, Text: "x"}}, Source: session.Source{Kind: session.SourceUser}}); err == nil {
		t.Error("a prompt that is stored nowhere was acknowledged")
	}
	isStorage := func(b block) bool { return b.Method == "session/storage" }
	said := mux.until(isStorage)
	want := `{"sessionId":"` + id + `","trouble":{"code":"NOT_STORED","message":"jsonl: append to session`
	if got := string(said[len(said)-1].Payload); !strings.HasPrefix(got, want) || !strings.Contains(got, `"fromSeq":`+strconv.FormatInt(stored, 10)+`}`) {
		t.Errorf("%s, %d events are stored", got, stored)
	}
	fresh := w.open("mux", "")
	if got := methods(fresh.until(isCursor)); !strings.HasPrefix(got, "session/subscribed session/storage session/queue") {
		t.Errorf("the baseline is %s", got)
	}
	if err := os.Rename(files[0]+".away", files[0]); err != nil {
		t.Fatal(err)
	}
	w.idle() // and everything is stored
	said = mux.until(isStorage)
	if got := string(said[len(said)-1].Payload); got != `{"sessionId":"`+id+`"}` {
		t.Errorf("stored again: %s", got)
	}
	later := w.open("mux", "")
	if got := methods(later.until(isCursor)); got != "session/subscribed session/queue cursor" {
		t.Errorf("the baseline after it is %s", got)
	}
}
