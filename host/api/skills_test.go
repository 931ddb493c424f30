package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/api"
)

func TestTheSkillsOfASessionAreListedAndTheBrokenOnesSayWhy(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	listed := func() string {
		t.Helper()
		text, err := w.api.Call(t.Context(), "r", "skill.list", map[string]any{"sessionId": id})
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), w.cwd, "")
	}
	if got := listed(); !strings.Contains(got, `"value":{"skills":[],"broken":[]}`) {
		t.Error(got)
	}
	folder := filepath.Join(w.cwd, ".agents/skills")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"b.md": "---\ndescription: Second\n---\n", "a.md": "---\ndescription: First\n---\n", "c.md": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := `"value":{"skills":[{"name":"a","description":"First"},{"name":"b","description":"Second"}],` +
		`"broken":[{"name":"c","file":"/.agents/skills/c.md","problem":"it does not begin with a front matter: a line of ---, name and description, a line of ---"}]}`
	if got := listed(); !strings.Contains(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	w.prompt(id, "one")
	w.idle()
	w.restart() // of a session that is not attached the same is told
	if got := listed(); !strings.Contains(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if attached := w.agents.Attached(); len(attached) != 0 {
		t.Errorf("looking at skills attached %d sessions", len(attached))
	}
	id = "nobody"
	if got := listed(); !strings.Contains(got, `"code":"session-not-found"`) {
		t.Error(got)
	}
}
