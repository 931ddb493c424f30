// Package workspaces_test does to workspaces what the sidebar offers: add, rename, order, delete, begin a session in one, group by them; two
// have folders of one name. What is done in one tab is seen in another one, on disk and after a restart. Only the test that begins a session
// asks a model.
package workspaces_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/workspace"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// now is what the page's clock says.
var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// stored are the sessions on disk, newest first, an hour apart, by folder. Folders of one name lie in different ones.
var stored = []struct{ id, folder string }{
	{"session-first", "workspace"}, {"session-second", "workspace"}, {"session-third", "workspace"}, {"session-east", "east/app"}, {"session-west", "west/app"},
}

// registered are the folders that the host knows, in that order.
var registered = []string{"workspace", "east/app", "west/app"}

// folder is where a folder of the scenario lies.
func folder(f scaffold.Folders, name string) string {
	return filepath.Join(filepath.Dir(f.Workspace), name)
}

// file is where the host keeps its workspaces.
func file(f scaffold.Folders) string { return filepath.Join(f.Home, "workspaces.json") }

func prepare(folders scaffold.Folders) error {
	for i, name := range registered {
		path := folder(folders, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(path, "notes.txt"), []byte("kept in "+name), 0o600); err != nil {
			return err
		}
		registry, err := workspace.Open(workspace.Options{File: file(folders), Cwd: folders.Workspace, Clock: clock.NewManual(now.Add(time.Duration(i)*time.Minute), 1)})
		if err != nil {
			return err
		}
		if _, _, err := registry.Adopt(path); err != nil {
			return err
		}
	}
	return fill(folders, func(store *jsonl.Store, generate func(id, cwd string, ago time.Duration) error) error {
		for i, each := range stored {
			if err := generate(each.id, folder(folders, each.folder), time.Duration(i+1)*time.Hour+time.Minute); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill opens the store for as long as it is filled.
func fill(folders scaffold.Folders, in func(store *jsonl.Store, generate func(id, cwd string, ago time.Duration) error) error) error {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions}, clock.System())
	if err != nil {
		return err
	}
	err = in(store, func(id, cwd string, ago time.Duration) error {
		_, err := seed.Generate(ctx, store, seed.History{SessionID: id, Cwd: cwd, Turns: 1, Chunks: 2, LastActivity: now.Add(-ago)})
		return err
	})
	return errors.Join(err, store.Close(ctx))
}

var tree = chromium.Role("tree", "Sessions")

func button(name string) chromium.Query { return chromium.Role("button", name) }

func item(name string) chromium.Query { return chromium.Role("menuitem", name) }

func row(name string) chromium.Query { return chromium.Role("treeitem", name) }

// menu opens the menu of a workspace with the mouse; its row is the one called so.
func menu(s *scaffold.Stage, title, name string) {
	s.Helper()
	if err := s.Page.Hover(s.Context, row(name)); err != nil {
		s.Fatalf("pointing at %s: %v", title, err)
	}
	s.Click(button("Workspace actions for " + title))
}

func typed(s *scaffold.Stage, text string) {
	s.Helper()
	s.Press("Control+a")
	if err := s.Page.Type(s.Context, text); err != nil {
		s.Fatalf("typing: %v", err)
	}
}

func focus(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	if err := s.Page.Focus(s.Context, query); err != nil {
		s.Fatalf("%v", err)
	}
}

func drag(s *scaffold.Stage, query chromium.Query, by float64) {
	s.Helper()
	if err := s.Page.Drag(s.Context, query, 0, by, 6); err != nil {
		s.Fatalf("dragging: %v", err)
	}
}

// at checks what has the focus, by the beginning of its name.
func at(s *scaffold.Stage, want string) {
	s.Helper()
	got, err := chromium.Eval[string](s.Context, s.Page, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`)
	if err != nil {
		s.Fatalf("reading the focus: %v", err)
	}
	if !strings.HasPrefix(got, want) {
		s.Errorf("the focus is at %q, not at %q", got, want)
	}
}

// gone waits until a query finds nothing.
func gone(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	if err := s.Page.WaitGone(s.Context, query); err != nil {
		s.Fatalf("waiting until %s is gone: %v", query, err)
	}
}

// wantDisabled checks that a button is there and cannot be pressed.
func wantDisabled(s *scaffold.Stage, name string) {
	s.Helper()
	disabled, err := chromium.Eval[bool](s.Context, s.Page, fmt.Sprintf(`[...document.querySelectorAll("dialog button")].find(b => b.textContent === %q).disabled`, name))
	if err != nil || !disabled {
		s.Errorf("the button %q can be pressed, %v", name, err)
	}
}

// wantRows waits until the tree's rows begin with these names, top to bottom, and are no more.
func wantRows(s *scaffold.Stage, want ...string) {
	s.Helper()
	names := func() []string {
		list, err := chromium.Eval[[]string](s.Context, s.Page, `[...document.querySelectorAll("[role=treeitem]")].map(e => e.getAttribute("aria-label"))`)
		if err != nil {
			s.Fatalf("reading the rows: %v", err)
		}
		return list
	}
	for i, name := range want {
		s.WaitFor(chromium.CSS(fmt.Sprintf(`.tree-rows > [role=treeitem]:nth-child(%d)[aria-label^=%q]`, i+1, name)))
	}
	if got := names(); len(got) != len(want) {
		s.Errorf("the tree has %d rows, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
}

// secondTab opens the page once more, and gives ways to wait for what it shows and to close it.
func secondTab(s *scaffold.Stage) (sees func(chromium.Query), leave func()) {
	s.Helper()
	page, err := s.Page.Context().NewPage(s.Context)
	if err == nil {
		err = page.Navigate(s.Context, s.URL+"/")
	}
	if err != nil {
		s.Fatalf("opening a second tab: %v", err)
	}
	sees = func(query chromium.Query) {
		s.Helper()
		if _, err := page.WaitFor(s.Context, query); err != nil {
			s.Fatalf("in the second tab: %v", err)
		}
	}
	return sees, func() {
		s.Helper()
		if err := page.Close(s.Context); err != nil {
			s.Errorf("closing the second tab: %v", err)
		}
	}
}

// kept are the contents of all logs and of the folders' own files, by path: what no change of a workspace touches.
func kept(s *scaffold.Stage) string {
	s.Helper()
	var all strings.Builder
	for _, pattern := range []string{filepath.Join(s.Folders.Sessions, "*", "*", "session.jsonl*"), folder(s.Folders, "workspace/*"), folder(s.Folders, "*/app/*")} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			s.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				s.Fatalf("%v", err)
			}
			fmt.Fprintf(&all, "%s %x\n", path, content)
		}
	}
	return all.String()
}

// titles are the titles of the workspaces as the host keeps them, in order.
func titles(s *scaffold.Stage) []string {
	s.Helper()
	var list struct{ Items []struct{ Title string } }
	s.Call("workspace.list", map[string]any{}, &list)
	var all []string
	for _, each := range list.Items {
		all = append(all, each.Title)
	}
	return all
}
