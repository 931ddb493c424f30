package directory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"keylane/host/directory"
)

// world is a canonical empty folder.
func world(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func folders(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, path string) directory.Listing {
	t.Helper()
	listing, err := directory.List(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return listing
}

func names(of []directory.Folder) []string {
	all := []string{}
	for _, each := range of {
		all = append(all, each.Name)
	}
	return all
}

func want(t *testing.T, what string, got []string, wanted ...string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("%s: %q, want %q", what, got, wanted)
	}
}

func TestFoldersAreListedByNameHiddenOnesLast(t *testing.T) {
	root := world(t)
	folders(t, root, "beta", "Alpha", "alpha", ".git", ".Cache", "花园", "with\nbreak")
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listing := list(t, root)
	want(t, "folders", names(listing.Folders), "Alpha", "alpha", "beta", "with\nbreak", "花园", ".Cache", ".git")
	if listing.Path != root || listing.Truncated {
		t.Errorf("%+v", listing)
	}
	for _, each := range listing.Folders {
		if each.Hidden != strings.HasPrefix(each.Name, ".") || each.Path != filepath.Join(root, each.Name) {
			t.Errorf("%+v", each)
		}
	}
	if crumbs := listing.Crumbs; crumbs[0].Path != "/" || crumbs[0].Name != "/" || crumbs[len(crumbs)-1].Path != root || crumbs[len(crumbs)-1].Name != filepath.Base(root) {
		t.Errorf("crumbs: %+v", crumbs)
	}
	want(t, "of the root", names(list(t, "/").Crumbs), "/")
	if empty := list(t, filepath.Join(root, "beta")); empty.Folders == nil || len(empty.Folders) > 0 {
		t.Errorf("an empty folder: %+v", empty)
	}
}

func TestLinksLeadToWhereTheFolderLies(t *testing.T) {
	root := world(t)
	folders(t, root, "real/inside", "view")
	link(t, filepath.Join(root, "real"), filepath.Join(root, "view", "link"))
	link(t, filepath.Join(root, "nowhere"), filepath.Join(root, "view", "dangling"))
	link(t, filepath.Join(root, "view", "loop"), filepath.Join(root, "view", "loop"))
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(root, "file"), filepath.Join(root, "view", "to-file"))
	want(t, "links", names(list(t, filepath.Join(root, "view")).Folders), "link")

	inside := list(t, filepath.Join(root, "view", "link"))
	if inside.Path != filepath.Join(root, "real") {
		t.Errorf("the link's folder is at %s", inside.Path)
	}
	// Up from there is where it lies, not where the link lies.
	if up := list(t, inside.Path+"/.."); up.Path != root {
		t.Errorf("up is %s", up.Path)
	}
	if _, err := directory.List(t.Context(), filepath.Join(root, "view", "loop")); !errors.Is(err, directory.ErrUnreadable) {
		t.Errorf("a loop: %v", err)
	}
}

func TestAPathThatIsEmptyOrBeginsWithATildeIsOfTheHome(t *testing.T) {
	root := world(t)
	t.Setenv("HOME", root)
	folders(t, root, "plans/garden")
	for path, wanted := range map[string]string{"": root, "~": root, "~/plans": root + "/plans", "~/plans/../plans/garden/": root + "/plans/garden", root + "//plans/.": root + "/plans"} {
		if got := list(t, path); got.Path != wanted {
			t.Errorf("%q is %s, want %s", path, got.Path, wanted)
		}
	}
	t.Setenv("HOME", "")
	if got := directory.Home(); got != "/" {
		t.Errorf("without a home it is %q", got)
	}
}

func TestWhatCannotBeOpenedIsSaid(t *testing.T) {
	root := world(t)
	folders(t, root, "closed")
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{
		filepath.Join(root, "gone"): "no such file", filepath.Join(root, "file"): "not a folder", "plans": "not absolute",
		"../up": "not absolute", "~other": "not absolute", root + "\x00": "NUL", "/" + strings.Repeat("x", 5000): "too long",
	}
	if os.Geteuid() != 0 { // nothing is closed to root
		if err := os.Chmod(filepath.Join(root, "closed"), 0); err != nil {
			t.Fatal(err)
		}
		paths[filepath.Join(root, "closed")] = "permission denied"
	}
	for path, words := range paths {
		if _, err := directory.List(t.Context(), path); !errors.Is(err, directory.ErrUnreadable) || !strings.Contains(err.Error(), words) {
			t.Errorf("%.40q: %v, want %q", path, err, words)
		}
	}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := directory.List(left, root); !errors.Is(err, context.Canceled) {
		t.Errorf("after the reader left: %v", err)
	}
}

func TestAListHasABound(t *testing.T) {
	root := world(t)
	for i := range directory.MaxFolders + 1 {
		folders(t, root, fmt.Sprintf("%04d", i))
	}
	folders(t, root, ".hidden")
	listing := list(t, root)
	if !listing.Truncated || len(listing.Folders) != directory.MaxFolders || listing.Folders[0].Name != "0000" || listing.Folders[directory.MaxFolders-1].Name != "0999" {
		t.Errorf("truncated %v, %d folders", listing.Truncated, len(listing.Folders))
	}
}

func TestAFolderIsMade(t *testing.T) {
	root := world(t)
	folders(t, root, "real")
	link(t, filepath.Join(root, "real"), filepath.Join(root, "link"))
	path, err := directory.Create(filepath.Join(root, "link"), "new garden")
	if err != nil || path != filepath.Join(root, "real", "new garden") {
		t.Fatalf("%s, %v", path, err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Errorf("%v", err)
	}
	if _, err := directory.Create(filepath.Join(root, "real"), "new garden"); !errors.Is(err, directory.ErrExists) {
		t.Errorf("again: %v", err)
	}
	link(t, filepath.Join(root, "nowhere"), filepath.Join(root, "dangling"))
	if _, err := directory.Create(root, "dangling"); !errors.Is(err, directory.ErrExists) {
		t.Errorf("where a link is: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "nowhere")); err == nil {
		t.Error("a folder was made through a link")
	}
	for _, parent := range []string{filepath.Join(root, "gone"), "real", ""} {
		t.Setenv("HOME", filepath.Join(root, "no-home"))
		if _, err := directory.Create(parent, "x"); !errors.Is(err, directory.ErrCreate) {
			t.Errorf("in %q: %v", parent, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "gone")); err == nil {
		t.Error("a parent was made")
	}
}

func TestOfManyWhoMakeTheSameFolderOneDoes(t *testing.T) {
	root := world(t)
	var wait sync.WaitGroup
	results := make([]error, 16)
	for i := range results {
		wait.Go(func() {
			_, results[i] = directory.Create(root, "same")
			if _, err := directory.List(t.Context(), root); err != nil {
				t.Errorf("meanwhile: %v", err)
			}
		})
	}
	wait.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
		} else if !errors.Is(err, directory.ErrExists) {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d made it", made)
	}
}

func TestNamesThatLeadElsewhereAreRefused(t *testing.T) {
	root := world(t)
	folders(t, root, "parent")
	for _, name := range []string{"", ".", "..", "../up", "a/b", "/abs", `a\b`, "a\x00b", "a\nb", " a", "a ", "\t", "a\u2028b", "\xff", strings.Repeat("x", 256)} {
		if _, err := directory.Create(filepath.Join(root, "parent"), name); !errors.Is(err, directory.ErrName) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	want(t, "made", append(names(list(t, root).Folders), names(list(t, filepath.Join(root, "parent")).Folders)...), "parent")
	for _, name := range []string{"...", ".hidden", "a b", "花园", "~", "-rf", "$HOME", "a:b?*", strings.Repeat("x", 255)} {
		if err := directory.CheckName(name); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

// Whatever name passes makes exactly one folder, in the parent, with that name.
func FuzzAFolderIsMadeInItsParentOrNotAtAll(f *testing.F) {
	for _, seed := range []string{"a", "..", "a/../b", `..\b`, "~", ".", "\u202ea", "a\x00", "con", "e\u0301", "x "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		root := world(t)
		folders(t, root, "parent")
		parent := filepath.Join(root, "parent")
		path, err := directory.Create(parent, name)
		made := names(list(t, parent).Folders)
		want(t, "beside the parent", names(list(t, root).Folders), "parent")
		if err != nil {
			if !errors.Is(err, directory.ErrName) && !errors.Is(err, directory.ErrCreate) {
				t.Errorf("%q: %v", name, err)
			}
			want(t, "made all the same", made)
			return
		}
		want(t, "made", made, name)
		if path != filepath.Join(parent, name) {
			t.Errorf("%q is said to be at %q", name, path)
		}
	})
}
