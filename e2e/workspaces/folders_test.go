package workspaces_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// answers is what the model says in the one session that is begun.
const answers = `
replies:
  - expect: Plan the herbs
    text: Thyme first.
`

func add() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now}, Provider: &scaffold.Provider{Script: answers},
		Drive: func(s *scaffold.Stage) {
			there := filepath.Join(s.Folders.Home, "workspaces", "ideas")
			if err := os.MkdirAll(there, 0o700); err != nil {
				s.Fatalf("%v", err)
			}
			s.Open("/")
			sees, leave := secondTab(s)
			s.Click(button("Add workspace"))
			s.WaitFor(chromium.Role("textbox", "Workspace name"))
			typed(s, "WorkSpace") // one is called that, in other letters
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("add-taken", chromium.Role("dialog", "Add workspace"))
			wantDisabled(s, "Create")
			s.Press("Enter") // does no more than the button
			typed(s, "ideas")
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert")) // the host says that the folder is there
			s.Golden("add-there", chromium.Role("dialog", "Add workspace"))
			typed(s, "plans")
			gone(s, chromium.AnyName("alert"))
			s.Press("Enter")
			gone(s, chromium.Role("dialog", "Add workspace"))
			at(s, "Add workspace")
			s.WaitFor(row("plans 0 sessions"))
			sees(row("plans 0 sessions"))
			leave()
			path := filepath.Join(s.Folders.Home, "workspaces", "plans")
			if info, err := os.Stat(path); err != nil || !info.IsDir() {
				s.Errorf("the folder: %v", err)
			}
			s.Golden("added", chromium.Role("navigation", "Sessions"))

			s.Click(button("New session in plans"))
			s.Send("Plan the herbs")
			s.WaitFor(row("plans 1 session"))
			s.Settle()
			var list struct {
				Items []struct{ SessionID, Cwd string }
			}
			s.Call("session.list", map[string]any{}, &list)
			if newest := list.Items[0]; newest.SessionID != s.SessionID() || newest.Cwd != path {
				s.Errorf("the new session works in %s, not in %s", newest.Cwd, path)
			}
			s.Reload()
			s.WaitFor(row("plans 1 session"))
		},
	}
}

func TestAWorkspaceIsAddedAndASessionBegunInIt(t *testing.T) { scaffold.Run(t, add()) }

func rename() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			sees, leave := secondTab(s)
			before := kept(s)
			menu(s, "workspace", "workspace 3 sessions")
			s.Golden("menu", chromium.Role("menu", "Workspace actions for workspace"))
			s.Press("Escape")
			at(s, "Workspace actions for workspace")
			menu(s, "workspace", "workspace 3 sessions")
			s.Click(item("Rename"))
			s.WaitFor(chromium.Role("textbox", "Workspace name"))
			typed(s, " APP ")
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("rename-taken", chromium.Role("dialog", "Rename workspace"))
			wantDisabled(s, "Rename")
			typed(s, "  ")
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("rename-invalid", chromium.Role("dialog", "Rename workspace"))
			typed(s, "Lock  works")
			s.Press("Enter")
			gone(s, chromium.Role("dialog", "Rename workspace"))
			at(s, "Workspace actions for Lock works")
			sees(row("Lock works 3 sessions"))

			// With the keyboard alone: one of two with folders of one name, which then have different ones.
			focus(s, row("app (west) 1 session"))
			s.Press("Shift+F10")
			s.WaitFor(item("Rename"))
			at(s, "New session")
			s.Press("ArrowDown")
			s.Press("Enter")
			s.WaitFor(chromium.Role("textbox", "Workspace name"))
			typed(s, "水闸")
			s.Press("Enter")
			s.WaitFor(row("水闸 1 session"))
			at(s, "水闸 1 session")
			sees(row("app 1 session")) // nothing is to be told apart any more
			s.Golden("renamed", tree)
			s.Reload()
			s.Golden("renamed", tree)
			leave()
			s.Restart()
			s.Golden("renamed", tree)
			if got := titles(s); !slices.Equal(got, []string{"Lock works", "app", "水闸"}) {
				s.Errorf("the host keeps %q", got)
			}
			if after := kept(s); after != before {
				s.Errorf("a new name has changed files:\n%s\n%s", before, after)
			}
		},
	}
}

func TestAWorkspaceIsRenamed(t *testing.T) { scaffold.Run(t, rename()) }

func remove() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/session-second")
			sees, leave := secondTab(s)
			before := kept(s)
			menu(s, "workspace", "workspace 3 sessions")
			s.Click(item("Delete workspace"))
			s.Golden("delete", chromium.Role("alertdialog", "Delete workspace?"))
			at(s, "Cancel") // Enter alone deletes nothing
			s.Press("Enter")
			gone(s, chromium.Role("alertdialog", "Delete workspace?"))
			at(s, "Workspace actions for workspace")
			if got := titles(s); len(got) != 3 {
				s.Errorf("after Cancel: %q", got)
			}
			menu(s, "workspace", "workspace 3 sessions")
			s.Click(item("Delete workspace"))
			s.Click(button("Delete"))
			s.WaitFor(row("Ungrouped 3 sessions"))
			sees(row("Ungrouped 3 sessions"))
			gone(s, row("workspace 3 sessions"))
			s.WaitFor(chromium.Role("heading", "Generated session-second")) // what was open stays open
			s.Golden("deleted", tree)

			focus(s, row("app (east) 1 session"))
			s.Press("Shift+F10")
			s.WaitFor(item("Delete workspace"))
			s.Press("End")
			s.Press("Enter")
			s.WaitFor(button("Delete"))
			s.Press("Tab")
			s.Press("Enter")
			s.WaitFor(row("Ungrouped 4 sessions"))
			leave()
			s.Restart()
			s.WaitFor(row("Ungrouped 4 sessions"))
			s.WaitFor(row("app 1 session"))
			if after := kept(s); after != before {
				s.Errorf("a deletion has changed files:\n%s\n%s", before, after)
			}
			if got := titles(s); !slices.Equal(got, []string{"app"}) {
				s.Errorf("the host keeps %q", got)
			}
			s.Click(row("Generated session-east 4h"))
			s.WaitFor(chromium.Role("heading", "Generated session-east")) // it opens as before
			s.Settle()
		},
	}
}

func TestADeletedWorkspaceKeepsFolderAndLogs(t *testing.T) { scaffold.Run(t, remove()) }
