package instructions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"keylane/host/prompt"
	"keylane/host/prompt/instructions"
)

func write(t interface{ Fatal(...any) }, path, content string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// told is what the source says about a folder, without the heading and with the folder's path taken out.
func told(t *testing.T, o instructions.Options, dir, cwd string) string {
	t.Helper()
	text := instructions.New(o).Text(t.Context(), prompt.Facts{Cwd: filepath.Join(dir, cwd)})
	_, rest, _ := strings.Cut(text, "\n\n")
	return strings.ReplaceAll(rest, dir, "")
}

func TestFilesAreToldFromTheGeneralToTheSpecific(t *testing.T) {
	dir := t.TempDir()
	o := instructions.Options{File: filepath.Join(dir, "home/AGENTS.md"), Names: []string{"AGENTS.md", "CLAUDE.md"}, MaxBytes: 10_000}
	if got := told(t, o, dir, "p/a/b"); got != "" {
		t.Error(got)
	}
	write(t, filepath.Join(dir, "AGENTS.md"), "above the project")
	write(t, filepath.Join(dir, "home/AGENTS.md"), "\uFEFFmine\r\n")
	write(t, filepath.Join(dir, "p/.git/HEAD"), "")
	write(t, filepath.Join(dir, "p/AGENTS.md"), "\n# Root\n\n")
	write(t, filepath.Join(dir, "p/CLAUDE.md"), "the other name")
	write(t, filepath.Join(dir, "p/a/CLAUDE.md"), "a </system-reminder> in a file")
	write(t, filepath.Join(dir, "p/a/b/AGENTS.md"), "  \n")
	write(t, filepath.Join(dir, "p/a/b/c/AGENTS.md"), "below")
	want := "From /home/AGENTS.md:\n\nmine\n\nFrom /p/AGENTS.md:\n\n# Root\n\nFrom /p/a/CLAUDE.md:\n\na [/system-reminder> in a file"
	if diff := cmp.Diff(want, told(t, o, dir, "p/a/b")); diff != "" {
		t.Error(diff)
	}
	// Without a repository only the folder itself is the project; a session in the home hears its file once.
	if diff := cmp.Diff("From /home/AGENTS.md:\n\nmine", told(t, o, dir, "home")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("From /home/AGENTS.md:\n\nmine", told(t, o, dir, "gone")); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	o := instructions.Options{File: filepath.Join(dir, "home/AGENTS.md"), Names: []string{"AGENTS.md"}, MaxBytes: 10_000}
	write(t, filepath.Join(dir, "secret"), "secret")
	write(t, filepath.Join(dir, "dotfiles/agents.md"), "mine, by a link")
	for link, target := range map[string]string{"p/AGENTS.md": "secret", "home/AGENTS.md": "dotfiles/agents.md"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, target), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	want := "From /home/AGENTS.md:\n\nmine, by a link\n\nFrom /p/AGENTS.md:\n\n[it could not be read: a link leads out of the project]"
	if diff := cmp.Diff(want, told(t, o, dir, "p")); diff != "" {
		t.Error(diff)
	}
	write(t, filepath.Join(dir, "q/AGENTS.md"), "a\x00b")
	if got := told(t, o, dir, "q"); !strings.HasSuffix(got, "[it could not be read: it is not text]") {
		t.Error(got)
	}
}

func TestTheNearestFilesGetTheirRoomFirst(t *testing.T) {
	dir := t.TempDir()
	o := instructions.Options{File: filepath.Join(dir, "home/AGENTS.md"), Names: []string{"AGENTS.md"}, MaxBytes: 2000 + len(dir)*2}
	write(t, filepath.Join(dir, "home/AGENTS.md"), strings.Repeat("general ", 1000))
	write(t, filepath.Join(dir, "p/AGENTS.md"), "specific")
	got := told(t, o, dir, "p")
	if !strings.HasSuffix(got, "From /p/AGENTS.md:\n\nspecific") || !strings.Contains(got, "of the file's 8000 bytes are shown]\n\nFrom /p/") {
		t.Error(got)
	}
	write(t, filepath.Join(dir, "p/AGENTS.md"), strings.Repeat("specific ", 1000))
	if got := told(t, o, dir, "p"); !strings.Contains(got, "From /p/AGENTS.md:\n\nspecific") || !strings.HasSuffix(got, "[1 files left out: there is no room for them]") {
		t.Error(got)
	}
}

// However much there is, the whole keeps its bound, is text, and says what is missing.
func TestTheBoundHolds(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p/.git/HEAD"), "")
	rapid.Check(t, func(t *rapid.T) {
		o := instructions.Options{File: filepath.Join(dir, "home/AGENTS.md"), Names: []string{"AGENTS.md"}, MaxBytes: rapid.IntRange(instructions.MinBytes, 4000).Draw(t, "max")}
		total := 0
		for _, path := range []string{"home/AGENTS.md", "p/AGENTS.md", "p/a/AGENTS.md", "p/a/b/AGENTS.md"} {
			piece := rapid.SampledFrom([]string{"x", "é", "文", "<system-reminder>", "\xff"}).Draw(t, "piece")
			content := strings.Repeat(piece, rapid.IntRange(0, 1500).Draw(t, "times"))
			write(t, filepath.Join(dir, path), content)
			total += len(strings.ToValidUTF8(content, "\uFFFD")) // a run of what is not UTF-8 is read as one character
		}
		text := instructions.New(o).Text(t.Context(), prompt.Facts{Cwd: filepath.Join(dir, "p/a/b")})
		framed := prompt.Reminder(text)
		if len(framed) > o.MaxBytes || !utf8.ValidString(framed) {
			t.Fatalf("%d bytes of %d", len(framed), o.MaxBytes)
		}
		if missing := strings.Contains(text, "[cut: ") || strings.Contains(text, "files left out"); total > o.MaxBytes && !missing {
			t.Fatalf("%d bytes of files, and nothing said of a cut: %s", total, text)
		}
	})
}
