package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"keylane/host/clock"
	"keylane/host/workspace"
)

func open(t *testing.T, root string) *workspace.Registry {
	t.Helper()
	r, err := workspace.Open(workspace.Options{File: filepath.Join(root, "home", "workspaces.json"), NewFolders: filepath.Join(root, "new"),
		Cwd: filepath.Join(root, "here"), Clock: clock.System()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func folders(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFolderIsRegisteredOnceWhateverItsPathIsSpelledLike(t *testing.T) {
	root := t.TempDir()
	r := open(t, root)
	folders(t, root, "a/b", "c/b")
	first, created, err := r.Adopt(filepath.Join(root, "a", "b"))
	if err != nil || !created || first.Title != "b" {
		t.Fatalf("%+v %v %v", first, created, err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(first.Path, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, first.Path + "/.", root + "/a/../a/b"} {
		again, created, err := r.Adopt(path)
		if err != nil || created || again != first {
			t.Errorf("%s: %+v %v %v", path, again, created, err)
		}
	}
	if other, created, err := r.Adopt(filepath.Join(root, "c", "b")); err != nil || !created || other.ID == first.ID {
		t.Errorf("an equal base name: %+v %v %v", other, created, err)
	}
	if got, err := open(t, root).Get(first.ID); err != nil || got != first {
		t.Errorf("a second host sees %+v %v", got, err)
	}
}

func TestTheDefaultFolderIsAlwaysThere(t *testing.T) {
	r := open(t, t.TempDir())
	all, err := r.List()
	if err != nil || len(all) != 1 || all[0] != r.Default() {
		t.Fatalf("%+v %v", all, err)
	}
	if _, err := os.Stat(r.Default().Path); err == nil {
		t.Error("it was made although nobody needs it")
	}
	if _, created, err := r.Adopt(r.Default().Path); err != nil || !created {
		t.Error(created, err)
	}
	if all, err = r.List(); err != nil || len(all) != 1 {
		t.Errorf("listed twice: %+v %v", all, err)
	}
}

func TestWhatIsNoFolderIsRefused(t *testing.T) {
	root := t.TempDir()
	r := open(t, root)
	plain := filepath.Join(root, "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(root, "no", "where")
	for _, path := range []string{"", "relative", plain, plain + "/below", "/a\x00b", nowhere, filepath.Dir(nowhere)} {
		if _, _, err := r.Adopt(path); !errors.Is(err, workspace.ErrInvalidPath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 1 {
		t.Errorf("asking for a folder made one: %v %v", left, err)
	}
	for _, name := range []string{"", " ", ".", "..", "a/b", `a\b`, strings.Repeat("x", 201)} {
		if _, err := r.Create(name); !errors.Is(err, workspace.ErrInvalidPath) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := r.Get("nobody"); !errors.Is(err, workspace.ErrNotFound) {
		t.Error(err)
	}
}

func TestANewFolderNeedsANewName(t *testing.T) {
	root := t.TempDir()
	r := open(t, root)
	w, err := r.Create(" plans ")
	if err != nil || w.Path != filepath.Join(root, "new", "plans") {
		t.Fatal(w, err)
	}
	if _, err := r.Create("plans"); !errors.Is(err, workspace.ErrNameConflict) {
		t.Error(err)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	root := t.TempDir()
	var all sync.WaitGroup
	for _, name := range strings.Fields("a b c d e f g h") {
		folders(t, root, name)
		all.Go(func() {
			if _, _, err := open(t, root).Adopt(filepath.Join(root, name)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := open(t, root).List(); err != nil || len(list) != 9 {
		t.Errorf("%d workspaces, %v", len(list), err)
	}
}

func TestADamagedFileIsNamedAndKept(t *testing.T) {
	root := t.TempDir()
	r := open(t, root)
	path := filepath.Join(root, "home", "workspaces.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"version":2,"workspaces":[]}`, `{"version":1,"extra":1}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.List(); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: listed: %v", text, err)
		}
		if _, _, err := r.Adopt(root); err == nil {
			t.Errorf("%s: overwritten", text)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: now %s", text, now)
		}
	}
}
