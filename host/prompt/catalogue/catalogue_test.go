package catalogue_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keylane/host/prompt"
	"keylane/host/prompt/catalogue"
	"keylane/host/skill"
)

func write(t interface{ Fatal(...any) }, dir, name, description string) {
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte("---\ndescription: '"+description+"'\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSkillsAreListedByName(t *testing.T) {
	dir := t.TempDir()
	library := skill.NewLibrary(slog.New(slog.DiscardHandler))
	dispose := library.Add(skill.Filesystem{Folders: []skill.Folder{{Dir: dir}}, MaxFileBytes: 1000})
	source := catalogue.New(library, 2000)
	say := func() string { return source.Text(t.Context(), prompt.Facts{Cwd: "/"}) }
	if got := say(); got != "" {
		t.Error(got)
	}
	write(t, dir, "b", "Second.")
	write(t, dir, "a", "First.")
	write(t, dir, "broken", "")
	if got := say(); !strings.HasSuffix(got, ".\n\n- a: First.\n- b: Second.") {
		t.Error(got)
	}
	dispose()
	if got := say(); got != "" {
		t.Error(got)
	}
}

func TestALongListKeepsItsBoundAndSaysWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "catalogue")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		n := rapid.IntRange(1, 40).Draw(t, "skills")
		for i := range n {
			write(t, dir, strings.Repeat("s", i+1), strings.Repeat("w", rapid.IntRange(1, 200).Draw(t, "words")))
		}
		library := skill.NewLibrary(slog.New(slog.DiscardHandler))
		library.Add(skill.Filesystem{Folders: []skill.Folder{{Dir: dir}}, MaxFileBytes: 1000})
		limit := rapid.IntRange(1024, 6000).Draw(t, "limit")
		text := catalogue.New(library, limit).Text(t.Context(), prompt.Facts{Cwd: "/"})
		if framed := prompt.Reminder(text); len(framed) > limit {
			t.Fatalf("%d bytes of %d", len(framed), limit)
		}
		if listed := strings.Count(text, "\n- "); listed < n != strings.Contains(text, "more skills are not listed]") {
			t.Fatalf("%d of %d: %s", listed, n, text)
		}
	})
}
