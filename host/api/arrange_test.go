package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/api"
)

// arranged is what a page is told about the default folder.
func (w *world) arranged() (shown, fixed, archived []string) {
	w.t.Helper()
	var list struct {
		Items []struct {
			Path              string
			SessionIDs, Order []string
		}
		ArchivedSessionIDs []string
	}
	w.call("workspace.list", map[string]any{}, &list)
	for _, item := range list.Items {
		if item.Path == w.cwd {
			return item.SessionIDs, item.Order, list.ArchivedSessionIDs
		}
	}
	w.t.Fatalf("the default folder is not in %+v", list)
	return nil, nil, nil
}

// asked makes sessions of these names, each with one turn, in this order.
func (w *world) asked(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.call("session.create", map[string]any{"sessionId": name}, nil)
		w.model.prepare(says("Yes."))
		w.prompt(name, "Are you there?")
		w.idle()
	}
}

func (w *world) move(id, before string) {
	w.t.Helper()
	payload := map[string]any{"sessionId": id}
	if before != "" {
		payload["beforeId"] = before
	}
	w.call("workspace.moveSession", payload, nil)
}

// logs are the contents of all logs, by path.
func (w *world) logs() map[string]string {
	w.t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.root, "sessions", "*", "*", "session.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		all[path] = string(text)
	}
	return all
}

func TestAMovedSessionStaysWhereItWasPut(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a", "b", "c")
	if shown, fixed, _ := w.arranged(); !slices.Equal(shown, []string{"c", "b", "a"}) || len(fixed) != 0 {
		t.Fatalf("before: %v, fixed %v", shown, fixed)
	}
	logs := w.logs()
	host := w.open("host", "")
	w.move("a", "c")
	blocks := host.until(func(b block) bool { return strings.Contains(b.data, "host/workspace-changed") })
	if told := blocks[len(blocks)-1].data; !strings.Contains(told, `"order":["a","c","b"]`) || !strings.Contains(told, `"sessionIds":["a","c","b"]`) {
		t.Errorf("pages are told %s", told)
	}
	host.close()
	w.move("c", "")
	if diff := cmp.Diff(logs, w.logs()); diff != "" {
		t.Errorf("a move has changed logs:\n%s", diff)
	}
	want := []string{"a", "b", "c"}
	if shown, fixed, _ := w.arranged(); !slices.Equal(shown, want) || !slices.Equal(fixed, want) {
		t.Errorf("moved: %v, fixed %v", shown, fixed)
	}
	w.restart()
	// Activity moves none of them, and what is new stands above.
	w.model.prepare(says("Still."))
	w.prompt("c", "Still there?")
	w.idle()
	w.asked("d", "e")
	if shown, _, _ := w.arranged(); !slices.Equal(shown, []string{"e", "d", "a", "b", "c"}) {
		t.Errorf("after work: %v", shown)
	}
	w.call("session.delete", map[string]any{"sessionId": "b"}, nil)
	if shown, fixed, _ := w.arranged(); !slices.Equal(shown, []string{"e", "d", "a", "c"}) || !slices.Equal(fixed, []string{"a", "c"}) {
		t.Errorf("after a deletion: %v, fixed %v", shown, fixed)
	}
}

func TestAMoveThatCannotBeIsRefused(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a", "b")
	elsewhere := filepath.Join(w.root, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	w.call("session.create", map[string]any{"sessionId": "far", "cwd": elsewhere}, nil)
	for _, each := range []struct {
		id, before string
		code       api.Code
	}{
		{"nobody", "a", api.SessionNotFound}, {"a", "nobody", api.WorkspaceMoveInvalid}, {"a", "far", api.WorkspaceMoveInvalid},
		{"a", "a", api.WorkspaceMoveInvalid},
	} {
		got := w.refused("workspace.moveSession", map[string]any{"sessionId": each.id, "beforeId": each.before})
		if got.Code != each.code || got.Details["sessionId"] != each.id {
			t.Errorf("%s in front of %s: %+v", each.id, each.before, got)
		}
	}
	if got := w.refused("workspace.archiveSession", map[string]any{"sessionId": "nobody", "archived": true}); got.Code != api.SessionNotFound {
		t.Errorf("%+v", got)
	}
	if _, fixed, archived := w.arranged(); len(fixed)+len(archived) != 0 {
		t.Errorf("something was arranged: %v, %v", fixed, archived)
	}
}

func TestWhatIsArchivedIsToldAndKept(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a", "b")
	host := w.open("host", "")
	for _, each := range []struct {
		id   string
		away bool
		want string
	}{{"a", true, `["a"]`}, {"a", true, `["a"]`}, {"b", true, `["a","b"]`}, {"a", false, `["b"]`}} {
		w.call("workspace.archiveSession", map[string]any{"sessionId": each.id, "archived": each.away}, nil)
		blocks := host.until(func(b block) bool { return strings.Contains(b.data, "host/archived-sessions-changed") })
		if told := blocks[len(blocks)-1].data; !strings.Contains(told, `"archivedSessionIds":`+each.want) {
			t.Errorf("%+v: pages are told %s", each, told)
		}
	}
	host.close()
	w.restart()
	if _, _, archived := w.arranged(); !slices.Equal(archived, []string{"b"}) {
		t.Errorf("after a restart: %v", archived)
	}
	w.call("session.delete", map[string]any{"sessionId": "b"}, nil)
	if _, _, archived := w.arranged(); len(archived) != 0 {
		t.Errorf("a deleted session is archived: %v", archived)
	}
}

// Moves from many sides at once lose no session, and the last frame that pages get is what the list says.
func TestMovesAtTheSameTimeConverge(t *testing.T) {
	w := newWorld(t, api.Limits{})
	names := []string{"a", "b", "c", "d", "e", "f"}
	w.asked(names...)
	host := w.open("host", "")
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			payload := map[string]any{"sessionId": name}
			if before := names[(i+3)%len(names)]; i%2 == 0 {
				payload["beforeId"] = before
			}
			if _, err := w.api.Call(t.Context(), "r", "workspace.moveSession", payload); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var told struct{ Workspace struct{ SessionIDs []string } }
	for range names {
		blocks := host.until(func(b block) bool { return strings.Contains(b.data, "host/workspace-changed") })
		if err := json.Unmarshal(blocks[len(blocks)-1].Payload, &told); err != nil {
			t.Fatal(err)
		}
	}
	host.close()
	shown, _, _ := w.arranged()
	if !slices.Equal(shown, told.Workspace.SessionIDs) {
		t.Errorf("pages were last told %v, and the list says %v", told.Workspace.SessionIDs, shown)
	}
	if slices.Sort(shown); !slices.Equal(shown, names) {
		t.Errorf("sessions are lost or doubled: %v", shown)
	}
}
