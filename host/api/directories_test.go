package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/api"
)

// refuses makes a call that has to fail with a code.
func (w *world) refuses(code api.Code, method string, payload map[string]any) {
	w.t.Helper()
	text, err := w.api.Call(w.t.Context(), "r", method, payload)
	if err != nil || !strings.Contains(string(text), `"code":"`+string(code)+`"`) {
		w.t.Errorf("%s %v answers %s %v, want %s", method, payload, text, err, code)
	}
}

// gives makes a call that has to fail for a reason.
func (w *world) gives(reason, method string, payload map[string]any) {
	w.t.Helper()
	text, err := w.api.Call(w.t.Context(), "r", method, payload)
	if err != nil || !strings.Contains(string(text), `"reason":"`+reason+`"`) {
		w.t.Errorf("%s %v answers %s %v, want the reason %s", method, payload, text, err, reason)
	}
}

func TestAFolderIsFoundMadeAndWorkedIn(t *testing.T) {
	w := newWorld(t, api.Limits{})
	root, err := filepath.EvalSymlinks(w.root)
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Path string }
	w.call("host.createDirectory", map[string]any{"parent": root, "name": "garden"}, &made)
	if info, err := os.Stat(filepath.Join(root, "garden")); err != nil || !info.IsDir() || made.Path != filepath.Join(root, "garden") {
		t.Errorf("%s, %v", made.Path, err)
	}
	w.refuses(api.DirectoryExists, "host.createDirectory", map[string]any{"parent": root, "name": "garden"})
	w.refuses(api.DirectoryCreateFailed, "host.createDirectory", map[string]any{"parent": filepath.Join(root, "gone"), "name": "garden"})
	for _, name := range []string{"", "..", "a/b", `a\b`, "a\nb", " a"} {
		w.refuses(api.BadRequest, "host.createDirectory", map[string]any{"parent": root, "name": name})
	}

	var listing api.DirectoryListing
	w.call("host.listDirectory", map[string]any{"path": root}, &listing)
	found := false
	for _, each := range listing.Entries {
		found = found || each == api.DirectoryEntry{Name: "garden", Path: made.Path}
	}
	if !found || listing.Path != root || listing.Crumbs[0].Path != "/" || listing.Crumbs[len(listing.Crumbs)-1].Path != root {
		t.Errorf("%+v", listing)
	}
	w.refuses(api.DirectoryUnreadable, "host.listDirectory", map[string]any{"path": filepath.Join(root, "gone")})
	w.refuses(api.DirectoryUnreadable, "host.listDirectory", map[string]any{"path": "garden"})
	w.gives("not-found", "host.listDirectory", map[string]any{"path": filepath.Join(root, "gone")})
	w.gives("not-found", "host.createDirectory", map[string]any{"parent": filepath.Join(root, "gone"), "name": "garden"})
	w.gives("exists", "host.createDirectory", map[string]any{"parent": root, "name": "garden"})
	w.gives("not-found", "workspace.create", map[string]any{"path": filepath.Join(root, "gone")})
	w.refuses(api.BadRequest, "host.listDirectory", map[string]any{"path": "/" + strings.Repeat("x", 5000)})

	// Before there is a session in it, its files are found all the same.
	var created struct {
		Workspace struct{ WorkspaceID, Path string }
	}
	w.call("workspace.create", map[string]any{"path": made.Path}, &created)
	if err := os.WriteFile(filepath.Join(made.Path, "seeds.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.files(map[string]any{"sessionId": "", "workspaceId": created.Workspace.WorkspaceID, "query": ""}); len(got.Items) != 1 || got.Items[0].Path != "seeds.md" {
		t.Errorf("%+v", got)
	}
	w.refuses(api.WorkspaceNotFound, "workspace.files", map[string]any{"sessionId": "", "workspaceId": "nobody", "query": ""})

	// Gone meanwhile: nothing is made in its place, and there is no session.
	if err := os.RemoveAll(made.Path); err != nil {
		t.Fatal(err)
	}
	w.refuses(api.WorkspaceInvalidPath, "session.create", map[string]any{"workspaceId": created.Workspace.WorkspaceID})
	if _, err := os.Stat(made.Path); err == nil {
		t.Error("the folder is back")
	}
	var list struct{ Items []api.SessionSummary }
	w.call("session.list", map[string]any{}, &list)
	if len(list.Items) != 0 {
		t.Errorf("%+v", list.Items)
	}
}
