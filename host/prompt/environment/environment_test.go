package environment_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/prompt"
	"keylane/host/prompt/environment"
)

func TestAModelIsToldWhereItWorks(t *testing.T) {
	dir := t.TempDir()
	cwd := filepath.Join(dir, "a")
	for _, folder := range []string{cwd, filepath.Join(dir, ".git")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte("ref: refs/heads/topic\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEYLANE_DECOY", "decoy")
	platform := "- Platform: " + runtime.GOOS + "/" + runtime.GOARCH
	full := environment.New(environment.Options{
		Clock:   clock.NewManual(time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC), 1),
		Explain: func(mode string) string { return map[string]string{"ask": "waits"}[mode] },
	})
	for _, c := range []struct {
		source prompt.Source
		facts  prompt.Facts
		want   string
	}{
		{full, prompt.Facts{Cwd: cwd, Mode: "ask"}, "Where you work now:\n- Working directory: " + cwd + "\n- Project root: " + dir + "\n- Git branch: topic\n" + platform + "\n- Access mode: ask (waits)\n- Date: 2026-03-04"},
		{full, prompt.Facts{Cwd: dir, Mode: "odd"}, "Where you work now:\n- Working directory: " + dir + "\n- Git branch: topic\n" + platform + "\n- Date: 2026-03-04"},
		{environment.New(environment.Options{}), prompt.Facts{Cwd: "/", Mode: "ask"}, "Where you work now:\n- Working directory: /\n" + platform},
	} {
		if diff := cmp.Diff(c.want, c.source.Text(t.Context(), c.facts)); diff != "" {
			t.Error(diff)
		}
	}
}
