// Package session_menu_test does to sessions what their rows offer: rename, fork, archive, delete, with the mouse and with the keyboard. What
// is done in one tab is seen in another one, on disk and after a restart. No model is asked.
package session_menu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// now is what the page's clock says. What is done to a session is no activity of it: the sessions keep their times.
var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// The sessions on disk, newest first, an hour apart.
const (
	first  = "session-first"
	second = "session-second"
	third  = "session-third"
)

func prepare(folders scaffold.Folders) error {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions}, clock.System())
	if err != nil {
		return err
	}
	for i, id := range []string{first, second, third} {
		history := seed.History{SessionID: id, Cwd: folders.Workspace, Turns: 2, Chunks: 4, LastActivity: now.Add(-time.Duration(i+1)*time.Hour - time.Minute)}
		if _, err := seed.Generate(ctx, store, history); err != nil {
			return errors.Join(err, store.Close(ctx))
		}
	}
	return store.Close(ctx)
}

var tree = chromium.Role("tree", "Sessions")

func button(name string) chromium.Query { return chromium.Role("button", name) }

func item(name string) chromium.Query { return chromium.Role("menuitem", name) }

func row(name string) chromium.Query { return chromium.Role("treeitem", name) }

// menu opens the menu of a session's row with the mouse.
func menu(s *scaffold.Stage, title string) {
	s.Helper()
	pattern := regexp.MustCompile("^" + regexp.QuoteMeta(title) + ` (now|\d+h)`)
	if err := s.Page.Hover(s.Context, chromium.RoleMatching("treeitem", pattern)); err != nil {
		s.Fatalf("pointing at %s: %v", title, err)
	}
	s.Click(button("Session actions for " + title))
}

func typed(s *scaffold.Stage, text string) {
	s.Helper()
	if err := s.Page.Type(s.Context, text); err != nil {
		s.Fatalf("typing: %v", err)
	}
}

// at checks what has the focus.
func at(s *scaffold.Stage, want string) {
	s.Helper()
	got, err := chromium.Eval[string](s.Context, s.Page, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`)
	if err != nil {
		s.Fatalf("reading the focus: %v", err)
	}
	if got != want {
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

// onDisk are the ids of the sessions that the store has.
func onDisk(s *scaffold.Stage) []string {
	s.Helper()
	paths, err := filepath.Glob(filepath.Join(s.Folders.Sessions, "*", "*"))
	if err != nil {
		s.Fatalf("%v", err)
	}
	ids := make([]string, 0, len(paths))
	for _, path := range paths {
		ids = append(ids, filepath.Base(path))
	}
	slices.Sort(ids)
	return ids
}

// listed are the ids that the host lists, newest first.
func listed(s *scaffold.Stage) []string {
	s.Helper()
	var list struct{ Items []struct{ SessionID string } }
	s.Call("session.list", map[string]any{}, &list)
	var ids []string
	for _, each := range list.Items {
		ids = append(ids, each.SessionID)
	}
	return ids
}

func wantIDs(s *scaffold.Stage, what string, got []string, want ...string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}

// secondTab opens the page once more, and gives ways to wait for what it shows and to close it.
func secondTab(s *scaffold.Stage, path string) (sees func(chromium.Query), leave func()) {
	s.Helper()
	page, err := s.Page.Context().NewPage(s.Context)
	if err == nil {
		err = page.Navigate(s.Context, s.URL+path)
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

func rename() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "session_menu", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + second)
			sees, leave := secondTab(s, "/")
			menu(s, "Generated "+second)
			s.Golden("menu", chromium.Role("menu", "Session actions for Generated "+second))
			s.Press("Escape")
			at(s, "Session actions for Generated "+second)
			menu(s, "Generated "+second)
			s.Click(item("Rename"))
			s.Golden("rename", chromium.Role("dialog", "Rename session"))
			s.Press("Control+a")
			typed(s, "  ")
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("rename-invalid", chromium.Role("dialog", "Rename session"))
			s.Press("Control+a")
			typed(s, "Water the roses")
			s.Press("Enter")
			gone(s, chromium.Role("dialog", "Rename session"))
			at(s, "Session actions for Water the roses")
			s.WaitFor(row("Water the roses 2h"))
			s.WaitFor(chromium.Role("heading", "Water the roses"))
			sees(row("Water the roses 2h"))

			// With the keyboard alone, one that is not open.
			if err := s.Page.Focus(s.Context, row("Generated "+third+" 3h")); err != nil {
				s.Fatalf("%v", err)
			}
			s.Press("Shift+F10")
			s.WaitFor(item("Rename"))
			at(s, "Rename")
			s.Press("Enter")
			s.WaitFor(chromium.Role("textbox", "Session name"))
			typed(s, "不同的名字") // what was there is selected
			s.Press("Enter")
			s.WaitFor(row("不同的名字 3h"))
			at(s, "不同的名字 3h")
			sees(row("不同的名字 3h"))
			s.Golden("renamed", tree)
			s.Reload()
			s.Golden("renamed", tree)
			leave()
			s.Restart()
			s.Golden("renamed", tree)
		},
	}
}

func TestASessionIsRenamed(t *testing.T) { scaffold.Run(t, rename()) }

func fork() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "session_menu", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			sees, leave := secondTab(s, "/")
			for _, want := range []string{"Generated " + first + " (1)", "Generated " + first + " (2)"} {
				menu(s, "Generated "+first)
				s.Click(item("Fork session"))
				s.WaitFor(chromium.Role("heading", want))
				sees(chromium.RoleContaining("treeitem", want))
			}
			leave()
			s.Settle()
			if child := s.SessionID(); child == first {
				s.Errorf("the page shows the original")
			}
			if shown := s.Text("main"); !strings.Contains(shown, "Prompt 2:") {
				s.Errorf("the child does not begin with what its parent had:\n%s", shown)
			}
			s.Golden("forked", tree)
			s.Reload()
			s.Golden("forked", tree)
			locks := func(id string) bool { return strings.HasSuffix(id, ".lock") } // of what is open
			if ids := slices.DeleteFunc(onDisk(s), locks); len(ids) != 5 {
				s.Errorf("on disk are %v", ids)
			}
		},
	}
}

func TestASessionIsForked(t *testing.T) { scaffold.Run(t, fork()) }

func archive() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "session_menu", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			sees, leave := secondTab(s, "/")
			menu(s, "Generated "+second)
			s.Click(item("Archive session"))
			s.WaitFor(row("Archived 1 session"))
			sees(row("Archived 1 session"))
			gone(s, row("Generated "+second+" 2h"))
			s.Golden("archived", tree)
			leave()
			s.Restart()
			s.Golden("archived", tree)
			s.Click(row("Archived 1 session"))
			s.Click(row("Generated " + second + " 2h")) // it opens as before
			s.WaitFor(chromium.Role("heading", "Generated "+second))
			menu(s, "Generated "+second)
			s.Click(item("Unarchive session"))
			gone(s, row("Archived 1 session"))
			s.WaitFor(row("Generated " + second + " 2h"))
			wantIDs(s, "on disk", onDisk(s), first, second, third)
		},
	}
}

func TestASessionIsArchived(t *testing.T) { scaffold.Run(t, archive()) }

func remove() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "session_menu", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + first)
			sees, leave := secondTab(s, "/s/"+first)
			menu(s, "Generated "+first)
			s.Click(item("Delete session"))
			s.Golden("delete", chromium.Role("alertdialog", "Delete session?"))
			at(s, "Cancel") // Enter alone deletes nothing
			s.Press("Enter")
			gone(s, chromium.Role("alertdialog", "Delete session?"))
			wantIDs(s, "after Cancel", onDisk(s), first, second, third)
			menu(s, "Generated "+first)
			s.Click(item("Delete session"))
			s.Click(button("Delete"))
			// The open session is gone: both tabs show the next one.
			s.WaitFor(chromium.Role("heading", "Generated "+second))
			sees(chromium.Role("heading", "Generated "+second))
			gone(s, row("Generated "+first+" 1h"))
			wantIDs(s, "on disk", onDisk(s), second, third)
			wantIDs(s, "the host lists", listed(s), second, third)
			s.Golden("deleted", tree)
			s.Reload()
			s.Golden("deleted", tree)
			leave()
			// One after the other, with the keyboard, until the start page is left.
			for _, id := range []string{second, third} {
				s.Settle()
				if err := s.Page.Focus(s.Context, chromium.CSS(`[data-row="`+id+`"]`)); err != nil {
					s.Fatalf("%v", err)
				}
				s.Press("Shift+F10")
				s.WaitFor(item("Delete session"))
				s.Press("End")
				s.Press("Enter")
				s.WaitFor(button("Delete"))
				s.Press("Tab")
				s.Press("Enter")
				gone(s, chromium.CSS(`[data-row="`+id+`"]`))
			}
			s.WaitFor(chromium.CSS(`:root[data-session=""]`))
			s.Golden("empty", chromium.Role("navigation", "Sessions"))
			s.Reload()
			s.Golden("empty", chromium.Role("navigation", "Sessions"))
			wantIDs(s, "on disk", onDisk(s))
			if _, err := os.Stat(s.Folders.Sessions); err != nil {
				s.Errorf("%v", err)
			}
		},
	}
}

func TestASessionIsDeletedAfterAsking(t *testing.T) { scaffold.Run(t, remove()) }
