package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
)

// another is a second host on the files of the first, as when a person starts keylane twice.
func (w *world) another() *world {
	w.t.Helper()
	other := &world{t: w.t, root: w.root, cwd: w.cwd, model: &model{}, clock: clock.System()}
	other.boot(api.Limits{})
	return other
}

// refused is the error a call ends with.
func (w *world) refused(method string, payload any) api.Error {
	w.t.Helper()
	text, err := w.api.Call(w.t.Context(), "r", method, payload)
	if err != nil {
		w.t.Fatal(err)
	}
	var reply struct{ Result struct{ Error *api.Error } }
	if err := json.Unmarshal(text, &reply); err != nil || reply.Result.Error == nil {
		w.t.Fatalf("%s was not refused: %s", method, text)
	}
	return *reply.Result.Error
}

func (w *world) history(id string) (page struct {
	Events []struct {
		Event struct {
			Type string
			Seq  int64
		}
	}
	HasMore     bool
	LockedBy    *struct{ PID int }
	Damage      *api.Damage
	Projections struct {
		Values struct {
			Title string
			Turns int
		}
	}
}) {
	w.t.Helper()
	w.call("session.history", map[string]any{"sessionId": id}, &page)
	return page
}

func (w *world) row(id string) (api.SessionSummary, bool) {
	w.t.Helper()
	var list struct{ Items []api.SessionSummary }
	w.call("session.list", map[string]any{}, &list)
	for _, item := range list.Items {
		if item.SessionID == id {
			return item, true
		}
	}
	return api.SessionSummary{}, false
}

func prompting(id, words string) map[string]any {
	return map[string]any{"sessionId": id, "mode": "queue", "content": []any{map[string]any{"type": "text", "text": words}}}
}

// Two hosts on one home: the second reads what the first has open, names the first, and changes nothing; the first never notices. When the
// first lets go, the second goes on.
func TestASecondHostReadsWhatTheFirstHasOpen(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(says("first"), says("second"))
	w.prompt(id, "one")
	w.idle()
	other := w.another()
	page := other.history(id)
	if page.LockedBy == nil || page.LockedBy.PID != os.Getpid() || len(page.Events) == 0 || page.Projections.Values.Turns != 1 {
		t.Fatalf("the second host sees %+v", page)
	}
	if row, there := other.row(id); !there || row.LockedBy == nil || row.Problem != "" || row.Title == "" {
		t.Errorf("listed as %+v", row)
	}
	for method, payload := range map[string]any{
		"session.prompt":      prompting(id, "mine"),
		"session.setMode":     map[string]any{"sessionId": id, "mode": "ask"},
		"session.selectModel": map[string]any{"sessionId": id, "provider": "fake", "model": "small"},
		"session.updateQueue": map[string]any{"sessionId": id, "itemId": "x", "action": map[string]any{"kind": "remove"}},
		"session.create":      map[string]any{"sessionId": id},
		"session.delete":      map[string]any{"sessionId": id},
	} {
		got := other.refused(method, payload)
		if got.Code != api.SessionLocked || got.Details["pid"] != float64(os.Getpid()) || got.Details["since"] == nil || got.Details["hostStartedAt"] == nil {
			t.Errorf("%s: %+v", method, got)
		}
	}
	if row, _ := w.row(id); row.LockedBy != nil || w.history(id).LockedBy != nil {
		t.Error("the first host is told that it is locked out of its own session")
	}
	w.prompt(id, "two") // it is not stuck
	w.idle()
	if page := other.history(id); page.Projections.Values.Turns != 2 {
		t.Errorf("the second host does not see what was written since: %+v", page)
	}
	w.stop()
	if page := other.history(id); page.LockedBy != nil {
		t.Errorf("still held by %+v", page.LockedBy)
	}
	other.model.prepare(says("third"))
	other.prompt(id, "three")
	other.idle()
	if page := other.history(id); page.Projections.Values.Turns != 3 {
		t.Errorf("the second host could not go on: %+v", page)
	}
}

func TestADamagedSessionShowsWhatCanBeReadAndHowToRepairIt(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(says("first"), says("second"))
	w.prompt(id, "one")
	w.idle()
	w.prompt(id, "two")
	w.idle()
	w.stop()
	paths, err := filepath.Glob(filepath.Join(w.root, "sessions", "*", id, "session.jsonl"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(text), "\n")
	second := 0
	for i, row := range rows {
		if strings.Contains(row, `"turn/start"`) {
			second = i
		}
	}
	rows[second+1] = "{garbage\n"
	if err := os.WriteFile(paths[0], []byte(strings.Join(rows, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	w.boot(api.Limits{})
	page := w.history(id)
	d := page.Damage
	if d == nil || d.Code != api.SessionDamaged || d.File != paths[0] || d.Row != second+2 || d.LostRows != len(rows)-1-(second+1) || d.LostBytes == 0 ||
		d.Repair != "keylane sessions repair "+id || page.Projections.Values.Turns != 2 {
		t.Fatalf("history: %+v", page)
	}
	if last := page.Events[len(page.Events)-1].Event; last.Type != session.TypeTurnEnd {
		t.Errorf("the cut turn is not shown as ended: %+v", last)
	}
	if row, there := w.row(id); !there || !strings.Contains(row.Problem, "row ") || row.Title == "" {
		t.Errorf("listed as %+v", row)
	}
	if got := w.refused("session.prompt", prompting(id, "three")); got.Code != api.SessionDamaged || got.Details["row"] != float64(d.Row) || got.Details["path"] != paths[0] {
		t.Errorf("prompt: %+v", got)
	}
	// Where it runs is known all the same.
	w.call("skill.list", map[string]any{"sessionId": id}, &struct{}{})
	w.files(map[string]any{"sessionId": id, "query": ""})
	if now, err := os.ReadFile(paths[0]); err != nil || string(now) != strings.Join(rows, "") {
		t.Errorf("looking changed the file: %v", err)
	}
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(w.root, "sessions"), Compression: jsonl.CompressionNone}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	done, err := store.Repair(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(done.Backup); err != nil || string(kept) != strings.Join(rows, "") {
		t.Errorf("the backup is not what was there: %v", err)
	}
	w.model.prepare(says("second again"), says("third"))
	w.prompt(id, "three")
	w.idle()
	// That the second turn took its prompt is among what was lost, so the prompt waited and runs again, before the third.
	if page := w.history(id); page.Damage != nil || page.Projections.Values.Turns != 4 {
		t.Errorf("after the repair: %+v", page)
	}
}

func TestASessionThatCannotBeReadAtAllSaysWhy(t *testing.T) {
	w := newWorld(t, api.Limits{})
	project := filepath.Join(w.root, "sessions", "--srv--")
	for id, text := range map[string]string{
		"newer": `{"type":"session","version":9,"id":"newer","createdAt":5,"cwd":"/srv","delegationDepth":0}` + "\n",
		"none":  "nothing\n",
		"moved": `{"type":"session","version":0,"id":"other","createdAt":5,"cwd":"/srv","delegationDepth":0}` + "\n",
	} {
		if err := os.MkdirAll(filepath.Join(project, id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(project, id, "session.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]struct {
		code  api.Code
		words string
	}{"newer": {api.SessionUnsupported, "upgrade"}, "none": {api.SessionUnreadable, "header"}, "moved": {api.SessionUnreadable, "belongs to"}} {
		if got := w.refused("session.history", map[string]any{"sessionId": id}); got.Code != want.code || !strings.Contains(got.Message, want.words) {
			t.Errorf("%s: %+v", id, got)
		}
		if row, there := w.row(id); !there || !strings.Contains(row.Problem, want.words) || row.UpdatedAt == 0 {
			t.Errorf("%s is listed as %+v, %v", id, row, there)
		}
	}
}

func TestAForkBeginsWithWholeTurnsAndGoesItsOwnWay(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(says("first"), says("second"), says("other"))
	w.prompt(id, "one")
	w.idle()
	w.prompt(id, "two")
	w.idle()
	var first int64
	for _, e := range w.history(id).Events {
		if e.Event.Type == session.TypeTurnEnd {
			first = e.Event.Seq
			break
		}
	}
	host := w.open("host", "")
	w.stop() // the parent is cold: reading it does not open it
	w.boot(api.Limits{})
	host.close()
	var child struct{ SessionID string }
	w.call("session.fork", map[string]any{"sessionId": id, "atSeq": first - 1}, &child)
	if _, attached := w.agents.Get(id); attached {
		t.Error("forking opened the parent")
	}
	forked, ok := w.agents.Get(child.SessionID)
	if !ok {
		t.Fatal("the child is not attached")
	}
	h := forked.Log().Header()
	parent := w.history(id)
	if h.ParentSession != id || int64(h.SeedLength) <= first || h.Cwd == "" || forked.Log().Projection().Turns != 1 {
		t.Errorf("header %+v", h)
	}
	w.prompt(child.SessionID, "otherwise")
	w.idle()
	if after := w.history(id); len(after.Events) != len(parent.Events) {
		t.Error("the parent has changed")
	}
	w.restart()
	if page := w.history(child.SessionID); page.Projections.Values.Turns != 2 || page.Projections.Values.Title != parent.Projections.Values.Title {
		t.Errorf("the child after a restart: %+v", page)
	}
	if got := w.refused("session.fork", map[string]any{"sessionId": "nobody"}); got.Code != api.SessionNotFound {
		t.Errorf("%+v", got)
	}
	blank := w.create()
	if got := w.refused("session.fork", map[string]any{"sessionId": blank}); got.Code != api.ForkUnavailable {
		t.Errorf("%+v", got)
	}
}

func TestADeletedSessionIsGoneEverywhere(t *testing.T) {
	w := newWorld(t, api.Limits{})
	gone := func(id string) {
		t.Helper()
		if left, err := filepath.Glob(filepath.Join(w.root, "sessions", "*", id)); err != nil || len(left) > 0 {
			t.Errorf("left on disk: %q, %v", left, err)
		}
		if _, there := w.row(id); there {
			t.Errorf("%s is still listed", id)
		}
		if got := w.refused("session.history", map[string]any{"sessionId": id}); got.Code != api.SessionNotFound {
			t.Errorf("%+v", got)
		}
	}
	attached := w.create()
	w.model.prepare(says("first"), says("second"))
	w.prompt(attached, "one")
	w.idle()
	cold := w.create()
	w.prompt(cold, "two")
	w.idle()
	w.restart()
	if err := func() error { _, err := w.agents.Open(t.Context(), attached); return err }(); err != nil {
		t.Fatal(err)
	}
	host := w.open("host", "")
	for _, id := range []string{attached, cold} {
		w.call("session.delete", map[string]any{"sessionId": id}, nil)
		gone(id)
	}
	removed := map[string]bool{}
	for len(removed) < 2 {
		b, err := host.next()
		if err != nil {
			t.Fatal(err)
		}
		if b.Method == "host/session-removed" {
			var p struct{ SessionID string }
			if err := json.Unmarshal(b.Payload, &p); err != nil {
				t.Fatal(err)
			}
			removed[p.SessionID] = true
		}
	}
	if !removed[attached] || !removed[cold] {
		t.Errorf("told: %v", removed)
	}
	if got := w.refused("session.delete", map[string]any{"sessionId": cold}); got.Code != api.SessionNotFound {
		t.Errorf("%+v", got)
	}
	blank := w.create()
	w.call("session.delete", map[string]any{"sessionId": blank}, nil)
	gone(blank)
}
