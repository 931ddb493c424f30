package api_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/approval"
	"keylane/host/settings"
)

// The room of the settings is below that of the modes, so it writes them down; this holds the two together.
func TestThePermissionPresetsAreTheModes(t *testing.T) {
	want := []string{""}
	for _, mode := range approval.Modes() {
		want = append(want, string(mode))
	}
	if got := settings.Allowed(settings.Permission); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

type described struct {
	Revision string
	Values   map[string]string
	Problem  *struct {
		Line  int
		Cause string
	}
}

func TestSettingsAreChangedForTheRevisionThatWasSeen(t *testing.T) {
	w := newWorld(t, api.Limits{})
	var first, second described
	w.call("settings.describe", map[string]any{}, &first)
	w.call("settings.update", map[string]any{"expectedRevision": first.Revision, "changes": map[string]any{"ui-theme.preference": "dark"}}, &second)
	if first.Values["ui-theme.preference"] != "system" || second.Values["ui-theme.preference"] != "dark" || second.Revision == first.Revision {
		t.Errorf("%+v %+v", first, second)
	}
	refused := w.post("settings.update", `{"type":"client-request","rpcId":"r","method":"settings.update","payload":{"expectedRevision":"","changes":{"ui-theme.preference":"light"}}}`)
	if !strings.Contains(refused, `"settings-conflict"`) || !strings.Contains(refused, second.Revision) {
		t.Error(refused)
	}
	refused = w.post("settings.update", `{"type":"client-request","rpcId":"r","method":"settings.update","payload":{"changes":{"ui-theme.preference":"purple"}}}`)
	if !strings.Contains(refused, `"bad-request"`) {
		t.Error(refused)
	}
	if epoch, n := w.api.HostCursor(); n != 1 {
		t.Errorf("%s-%d frames after one change", epoch, n)
	}
}

func TestABrokenFileOfSettingsIsToldAndKept(t *testing.T) {
	w := newWorld(t, api.Limits{})
	path := filepath.Join(w.root, "settings.yml")
	if err := os.WriteFile(path, []byte("locale: zh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var now described
	w.call("settings.describe", map[string]any{}, &now)
	if now.Problem == nil || now.Problem.Line != 1 || now.Values["locale.preference"] != "" {
		t.Errorf("%+v", now)
	}
	refused := w.post("settings.update", `{"type":"client-request","rpcId":"r","method":"settings.update","payload":{"changes":{"locale.preference":"en"}}}`)
	if !strings.Contains(refused, `"settings-rejected"`) || !strings.Contains(refused, `"line":1`) {
		t.Error(refused)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "locale: zh\n" {
		t.Errorf("%q %v", text, err)
	}
}

func TestThePresetIsTheModeOfNewSessionsAlone(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.call("session.create", map[string]any{"sessionId": "old"}, nil)
	w.call("settings.update", map[string]any{"changes": map[string]any{"permission.defaultPreset": "read-only"}}, nil)
	w.call("session.create", map[string]any{"sessionId": "new"}, nil)
	w.call("session.create", map[string]any{"sessionId": "old"}, nil)
	var host struct{ Mode approval.Mode }
	w.call("host.describe", map[string]any{}, &host)
	for id, want := range map[string]approval.Mode{"old": approval.Full, "new": approval.ReadOnly} {
		agent, ok := w.agents.Get(id)
		if !ok || agent.Mode() != want {
			t.Errorf("%s: %v", id, agent.Mode())
		}
	}
	if host.Mode != approval.ReadOnly {
		t.Errorf("the host says %q", host.Mode)
	}
}
