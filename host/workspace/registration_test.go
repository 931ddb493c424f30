package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keylane/host/workspace"
)

// three are a registry with the default folder and two more that are registered.
func three(t *testing.T) (r *workspace.Registry, root string, ids []string) {
	t.Helper()
	root = t.TempDir()
	folders(t, root, "here", "a", "b")
	r = open(t, root)
	ids = []string{r.Default().ID}
	for _, name := range []string{"a", "b"} {
		w, _, err := r.Adopt(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, w.ID)
	}
	return r, root, ids
}

func wantListed(t *testing.T, r *workspace.Registry, want ...string) {
	t.Helper()
	all, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("listed are %v, want %v", ids, want)
	}
}

func TestATitleIsKeptOnOneLineAndFolderAndPlaceStay(t *testing.T) {
	r, root, ids := three(t)
	w, err := r.Rename(ids[1], "  The \n garden ")
	if err != nil || w.Title != "The garden" || filepath.Base(w.Path) != "a" {
		t.Fatalf("%+v %v", w, err)
	}
	if again, err := open(t, root).Get(ids[1]); err != nil || again != w {
		t.Errorf("a second host sees %+v %v", again, err)
	}
	wantListed(t, r, ids...)
	if w, err := r.Rename(ids[0], "Home"); err != nil || w.Title != "Home" {
		t.Errorf("the default folder: %+v %v", w, err)
	}
	wantListed(t, r, ids...)
}

func TestATitleThatAnotherOneHasIsRefusedInLettersOfEitherCase(t *testing.T) {
	r, root, ids := three(t)
	if _, err := r.Rename(ids[1], "Müll"); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{"Müll", "MÜLL", " müll\t"} {
		if _, err := r.Rename(ids[2], taken); !errors.Is(err, workspace.ErrNameConflict) {
			t.Errorf("%q: %v", taken, err)
		}
		if _, err := r.Create(taken); !errors.Is(err, workspace.ErrNameConflict) {
			t.Errorf("creating %q: %v", taken, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(root, "new")); err != nil || len(left) != 0 {
		t.Errorf("a refused name has left %v %v", left, err)
	}
	if _, err := r.Rename(ids[1], "MÜLL"); err != nil {
		t.Errorf("its own name in other letters: %v", err)
	}
	if _, err := r.Rename("nobody", "x"); !errors.Is(err, workspace.ErrNotFound) {
		t.Error(err)
	}
	for _, none := range []string{"", " \n", strings.Repeat("x", 81), "a\x00b", "a\xffb"} {
		if _, err := r.Rename(ids[1], none); !errors.Is(err, workspace.ErrTitleInvalid) {
			t.Errorf("%q: %v", none, err)
		}
	}
}

// Two folders of one name are as good as any two: only who gives a name is held to an unlike one.
func TestFoldersOfOneNameAreBothTaken(t *testing.T) {
	root := t.TempDir()
	r := open(t, root)
	folders(t, root, "x/app", "y/app")
	first, _, err := r.Adopt(filepath.Join(root, "x/app"))
	if err != nil {
		t.Fatal(err)
	}
	second, created, err := r.Adopt(filepath.Join(root, "y/app"))
	if err != nil || !created || second.Title != first.Title {
		t.Fatalf("%+v %v %v", second, created, err)
	}
	if _, err := r.Rename(second.ID, "App"); !errors.Is(err, workspace.ErrNameConflict) {
		t.Error(err)
	}
	if kept, err := r.Rename(second.ID, "app"); err != nil || kept != second {
		t.Errorf("the name it has: %+v %v", kept, err)
	}
}

func TestARemovedWorkspaceLeavesItsFolderAndComesBack(t *testing.T) {
	r, root, ids := three(t)
	if err := r.Move(ids[1], []string{"s", "u"}, "u", "s"); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(root, "a", "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(ids[1]); err != nil {
		t.Fatal(err)
	}
	wantListed(t, open(t, root), ids[0], ids[2])
	if text, err := os.ReadFile(kept); err != nil || string(text) != "kept" {
		t.Errorf("its folder has now %q %v", text, err)
	}
	if arranged, err := r.Arrangement(); err != nil || len(arranged.Orders) != 0 {
		t.Errorf("%+v %v", arranged, err)
	}
	if err := r.Remove(ids[1]); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
	if _, created, err := r.Adopt(filepath.Join(root, "a")); err != nil || !created {
		t.Error(created, err)
	}
	wantListed(t, r, ids[0], ids[2], ids[1])
}

func TestTheDefaultFolderIsRemovedUntilItIsNeeded(t *testing.T) {
	r, root, ids := three(t)
	for range 2 { // also when it is registered
		if err := r.Remove(ids[0]); err != nil {
			t.Fatal(err)
		}
		wantListed(t, open(t, root), ids[1], ids[2])
		if _, err := r.Get(ids[0]); !errors.Is(err, workspace.ErrNotFound) {
			t.Error(err)
		}
		if _, created, err := r.Adopt(r.Default().Path); err != nil || !created {
			t.Fatal(created, err)
		}
		wantListed(t, r, ids[1], ids[2], ids[0])
	}
}

func TestWorkspacesStandWhereTheyWerePut(t *testing.T) {
	r, root, ids := three(t)
	for _, each := range []struct {
		id, before string
		want       []string
	}{
		{ids[2], ids[0], []string{ids[2], ids[0], ids[1]}},
		{ids[2], "", []string{ids[0], ids[1], ids[2]}},
		{ids[0], ids[2], []string{ids[1], ids[0], ids[2]}},
	} {
		order, err := r.Place(each.id, each.before)
		if err != nil || !slices.Equal(order, each.want) {
			t.Errorf("%v: %v %v", each, order, err)
		}
		wantListed(t, open(t, root), each.want...)
	}
	for _, each := range []struct {
		id, before string
		want       error
	}{{"nobody", "", workspace.ErrNotFound}, {ids[0], "nobody", workspace.ErrMoveInvalid}, {ids[0], ids[0], workspace.ErrMoveInvalid}} {
		if _, err := r.Place(each.id, each.before); !errors.Is(err, each.want) {
			t.Errorf("%v: %v", each, err)
		}
	}
	wantListed(t, r, ids[1], ids[0], ids[2])
}

func TestAnOrderByHandIsTakenBack(t *testing.T) {
	r, _, ids := three(t)
	if err := r.Move(ids[1], []string{"s", "u"}, "u", "s"); err != nil {
		t.Fatal(err)
	}
	if w, err := r.Unarrange(ids[1]); err != nil || w.ID != ids[1] {
		t.Fatal(w, err)
	}
	if got := sorted(t, r, ids[1], "s", "u"); !slices.Equal(got, []string{"s", "u"}) {
		t.Errorf("%v", got)
	}
	if _, err := r.Unarrange("nobody"); !errors.Is(err, workspace.ErrNotFound) {
		t.Error(err)
	}
}

func TestADamagedFileSaysItsPlace(t *testing.T) {
	root := t.TempDir()
	folders(t, root, "home")
	path := filepath.Join(root, "home", "workspaces.json")
	for text, want := range map[string]string{
		"{":                                  "line 1, column 2",
		"{\"version\": 1,\n  ö}":             "line 2, column 3",
		"{\"version\": 1,\n \"extra\": 1}":   "extra",
		"{\"version\": \"one\"}":             "line 1, column",
		"{\"version\": 1}\n{}":               "line 2, column",
		"{\"version\": 1}\nand more besides": "something follows",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var broken *workspace.FileError
		if _, err := open(t, root).List(); !errors.As(err, &broken) || broken.Path != path || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
