package api_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/api"
)

type foundFiles struct {
	Items     []api.FileItem
	Truncated bool
}

func (w *world) files(payload map[string]any) foundFiles {
	w.t.Helper()
	var list foundFiles
	w.call("workspace.files", payload, &list)
	return list
}

func TestFilesOfASessionsFolderAreFoundAlsoWhenItIsNotAttached(t *testing.T) {
	w := newWorld(t, api.Limits{})
	if err := os.MkdirAll(w.cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plan.md", `a "b" c.txt`, "new\nline.md"} {
		if err := os.WriteFile(filepath.Join(w.cwd, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	id := w.create()
	w.model.prepare(says("1"))
	w.prompt(id, "one")
	w.idle()
	for _, session := range []string{id, ""} {
		if got := w.files(map[string]any{"sessionId": session, "query": ""}); len(got.Items) != 3 || got.Truncated {
			t.Errorf("%q: %+v", session, got)
		}
	}
	w.restart()
	got := w.files(map[string]any{"sessionId": id, "query": "LINE"})
	if len(got.Items) != 1 || got.Items[0].Path != "new\nline.md" || len(w.agents.Attached()) != 0 {
		t.Errorf("%+v", got)
	}
	for code, payload := range map[api.Code]map[string]any{
		api.SessionNotFound: {"sessionId": "nobody", "query": ""},
		api.BadRequest:      {"sessionId": "", "query": strings.Repeat("x", 2000)},
	} {
		text, err := w.api.Call(t.Context(), "r", "workspace.files", payload)
		if err != nil || !strings.Contains(string(text), string(code)) {
			t.Errorf("%s %v, want %s", text, err, code)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := w.api.Call(gone, "r", "workspace.files", map[string]any{"sessionId": "", "query": ""}); err != nil || !strings.Contains(string(text), "context canceled") {
		t.Errorf("%s %v", text, err)
	}
	if logged := w.logged.String(); strings.Contains(logged, "a call failed") {
		t.Errorf("a page that let go of its question is told as a failure:\n%s", logged)
	}
}

func TestAFolderThatIsGoneIsSaidAndNoFailureOfTheHost(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	if err := os.RemoveAll(w.cwd); err != nil {
		t.Fatal(err)
	}
	text, err := w.api.Call(t.Context(), "r", "workspace.files", map[string]any{"sessionId": id, "query": "x"})
	if err != nil || !strings.Contains(string(text), `"code":"workspace-invalid-path"`) || !strings.Contains(string(text), `"details":{"path":"`+w.cwd+`"}`) {
		t.Errorf("%s %v", text, err)
	}
	if logged := w.logged.String(); strings.Contains(logged, "level=ERROR") {
		t.Errorf("every key would log:\n%s", logged)
	}
}
