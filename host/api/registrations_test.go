package api_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/api"
)

// listed are the workspaces as a page is told.
func (w *world) listed() []api.WorkspaceView {
	w.t.Helper()
	var list struct{ Items []api.WorkspaceView }
	w.call("workspace.list", map[string]any{}, &list)
	return list.Items
}

// workspaces are the ids of the workspaces in order.
func (w *world) workspaces() []string {
	w.t.Helper()
	var ids []string
	for _, each := range w.listed() {
		ids = append(ids, each.WorkspaceID)
	}
	return ids
}

// told waits for the next frame of a name and wants texts in it.
func told(t *testing.T, host *stream, frame string, want ...string) {
	t.Helper()
	blocks := host.until(func(b block) bool { return strings.Contains(b.data, frame) })
	for _, text := range want {
		if data := blocks[len(blocks)-1].data; !strings.Contains(data, text) {
			t.Errorf("pages are told %s, without %s", data, text)
		}
	}
}

func TestARenamedWorkspaceIsToldAndKept(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a")
	id := w.workspaces()[0]
	w.call("workspace.create", map[string]any{"name": "plans"}, nil)
	host := w.open("host", "")
	var answer struct{ Title string }
	w.call("workspace.rename", map[string]any{"workspaceId": id, "title": " The  garden"}, &answer)
	if answer.Title != "The garden" {
		t.Errorf("it is called %q", answer.Title)
	}
	told(t, host, "host/workspace-changed", `"title":"The garden"`, `"sessionIds":["a"]`)
	host.close()
	for title, want := range map[string]api.Code{"PLANS": api.WorkspaceNameConflict, " ": api.TitleInvalid} {
		if got := w.refused("workspace.rename", map[string]any{"workspaceId": id, "title": title}); got.Code != want || got.Details["workspaceId"] != id {
			t.Errorf("%q: %+v", title, got)
		}
	}
	if got := w.refused("workspace.rename", map[string]any{"workspaceId": "nobody", "title": "x"}); got.Code != api.WorkspaceNotFound {
		t.Errorf("%+v", got)
	}
	w.restart()
	if first := w.listed()[0]; first.Title != "The garden" || first.Path != w.cwd {
		t.Errorf("after a restart: %+v", first)
	}
}

func TestADeletedWorkspaceLeavesItsSessions(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a")
	logs := w.logs()
	id := w.workspaces()[0]
	host := w.open("host", "")
	w.call("workspace.delete", map[string]any{"workspaceId": id}, nil)
	told(t, host, "host/workspace-removed", id)
	if got := w.workspaces(); len(got) != 0 {
		t.Errorf("listed are %v", got)
	}
	if diff := cmp.Diff(logs, w.logs()); diff != "" {
		t.Errorf("logs have changed:\n%s", diff)
	}
	if info, err := os.Stat(w.cwd); err != nil || !info.IsDir() {
		t.Errorf("the folder: %v", err)
	}
	w.model.prepare(says("Still."))
	w.prompt("a", "Still there?") // it goes on as before
	w.idle()
	w.asked("b") // what begins in the folder brings it back, with both
	told(t, host, "host/workspace-changed", id, `"a"`)
	host.close()
	if got := w.listed(); len(got) != 1 || !slices.Equal(got[0].SessionIDs, []string{"b", "a"}) {
		t.Errorf("%+v", got)
	}
	if got := w.refused("workspace.delete", map[string]any{"workspaceId": "nobody"}); got.Code != api.WorkspaceNotFound {
		t.Errorf("%+v", got)
	}
}

func TestWorkspacesAreMovedAndTold(t *testing.T) {
	w := newWorld(t, api.Limits{})
	for _, name := range []string{"plans", "herbs"} {
		w.call("workspace.create", map[string]any{"name": name}, nil)
	}
	before := w.workspaces()
	host := w.open("host", "")
	w.call("workspace.move", map[string]any{"workspaceId": before[2], "beforeId": before[0]}, nil)
	want := []string{before[2], before[0], before[1]}
	told(t, host, "host/workspaces-ordered", `"workspaceIds":["`+strings.Join(want, `","`)+`"]`)
	host.close()
	w.restart()
	if got := w.workspaces(); !slices.Equal(got, want) {
		t.Errorf("listed are %v, want %v", got, want)
	}
	if got := w.refused("workspace.move", map[string]any{"workspaceId": want[0], "beforeId": want[0]}); got.Code != api.WorkspaceMoveInvalid {
		t.Errorf("%+v", got)
	}
}

func TestAnOrderByHandIsTakenBackAndTold(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a", "b")
	w.move("a", "b")
	host := w.open("host", "")
	w.call("workspace.unarrange", map[string]any{"workspaceId": w.workspaces()[0]}, nil)
	told(t, host, "host/workspace-changed", `"sessionIds":["b","a"]`, `"order":[]`)
	host.close()
}

// What cannot be changed because the file is damaged is refused with its place, and sessions are listed all the same.
func TestADamagedFileRefusesChangesAndHidesNoSession(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.asked("a")
	id := w.workspaces()[0]
	path := filepath.Join(w.root, "workspaces.json")
	if err := os.WriteFile(path, []byte("{\n oh"), 0o600); err != nil {
		t.Fatal(err)
	}
	for method, payload := range map[string]map[string]any{
		"workspace.rename": {"workspaceId": id, "title": "x"}, "workspace.delete": {"workspaceId": id}, "workspace.move": {"workspaceId": id},
		"workspace.unarrange": {"workspaceId": id}, "workspace.moveSession": {"sessionId": "a"},
	} {
		if got := w.refused(method, payload); got.Code != api.Internal || !strings.Contains(got.Message, path) || !strings.Contains(got.Message, "line 2, column 2") {
			t.Errorf("%s: %+v", method, got)
		}
	}
	var list struct {
		Items   []api.WorkspaceView
		Problem struct{ File, Cause string }
	}
	w.call("workspace.list", map[string]any{}, &list)
	if len(list.Items) != 1 || !slices.Equal(list.Items[0].SessionIDs, []string{"a"}) || list.Problem.File != path {
		t.Errorf("%+v", list)
	}
}
