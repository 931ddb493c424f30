package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/tool/files"
)

// plant makes files, each with its path as its text; a path that ends in a slash is an empty folder.
func plant(t *testing.T, paths ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range paths {
		full := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func find(t *testing.T, folder, query string) []string {
	t.Helper()
	paths, _, err := files.Find(t.Context(), folder, query, 50)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestTheFileThatIsMeantComesFirst(t *testing.T) {
	folder := plant(t, "main.go", "main_test.go", "domain.go", "cmd/main/run.go", "docs/Main.md", "my/atlas/in.txt", "z")
	for query, want := range map[string][]string{
		"":         {"z", "main.go", "domain.go", "main_test.go", "docs/Main.md", "cmd/main/run.go", "my/atlas/in.txt"},
		"main":     {"main.go", "docs/Main.md", "main_test.go", "domain.go", "cmd/main/run.go", "my/atlas/in.txt"},
		"MAIN.GO":  {"main.go", "domain.go", "main_test.go", "cmd/main/run.go"},
		"test":     {"main_test.go"},
		"cmd/":     {"cmd/main/run.go"},
		"atlas/in": {"my/atlas/in.txt"},
		"nothing":  nil,
	} {
		if diff := cmp.Diff(want, find(t, folder, query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

func TestNamesAreFoundAsTheyAre(t *testing.T) {
	names := []string{"with space.txt", `"quoted".txt`, "it's.txt", "日本語/文書.md", "new\nline.txt", "back\\slash.txt", "-rf.txt", "<b>.html", "@at.txt"}
	folder := plant(t, append(names, "bad\xff.txt")...)
	got := find(t, folder, "")
	for _, name := range names {
		if !strings.Contains(strings.Join(got, "\x00"), name) {
			t.Errorf("%q is not among %q", name, got)
		}
	}
	if len(got) != len(names) {
		t.Errorf("%q", got)
	}
	if got := find(t, folder, "文書"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestWhatAProjectLeavesOutIsNotOffered(t *testing.T) {
	folder := plant(t, ".git/config", "node_modules/a/a.js", "deep/node_modules/b.js", "keep.log", "a.log", "build/out.txt", "src/build/in.txt",
		"src/a.tmp", "src/keep.tmp", "src/gen/x.go", "brace{a,b}.txt", "bracea.txt", "src/only/file.txt", "only")
	for name, text := range map[string]string{
		".gitignore":     "# what is made\n*.log\n!keep.log\n/build/\n\nbrace{a,b}.txt\nonly/\n[\n",
		"src/.gitignore": "*.tmp\r\n!keep.tmp\ngen/*.go  \n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"only", "keep.log", ".gitignore", "bracea.txt", "src/keep.tmp", "src/.gitignore", "src/build/in.txt"}
	if diff := cmp.Diff(want, find(t, folder, "")); diff != "" {
		t.Error(diff)
	}
}

func TestNoLinkLeadsOut(t *testing.T) {
	folder, outside := plant(t, "in/file.txt"), plant(t, "secret.txt")
	for link, to := range map[string]string{
		"secret-link.txt": filepath.Join(outside, "secret.txt"), "out": outside, "up": "..", "loop": "loop", "dangling": "nowhere",
		"inside.txt": "in/file.txt", "folder": "in", ".gitignore": filepath.Join(outside, "secret.txt"),
	} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"inside.txt", "in/file.txt"}, find(t, folder, "")); diff != "" {
		t.Error(diff)
	}
}

func TestALargeFolderIsBoundedAndAGoneReaderEndsTheSearch(t *testing.T) {
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("%02d.txt", i))
	}
	folder := plant(t, names...)
	paths, truncated, err := files.Find(t.Context(), folder, "", 50)
	if err != nil || len(paths) != 50 || !truncated {
		t.Errorf("%d %v %v", len(paths), truncated, err)
	}
	if paths, truncated, err = files.Find(t.Context(), folder, "5", 50); err != nil || truncated || paths[0] != "50.txt" {
		t.Errorf("%q %v %v", paths, truncated, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := files.Find(gone, folder, "", 50); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, _, err := files.Find(t.Context(), filepath.Join(folder, "nowhere"), "", 50); !errors.Is(err, files.ErrFolder) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
