package workspaces_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func views() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(row("app (east) 1 session"))
			s.Click(button("Session actions for Generated session-west"))
			s.Click(item("Archive session"))
			s.WaitFor(row("Archived 1 session"))
			s.WaitFor(row("app (west) 0 sessions")) // where one can begin
			s.Golden("archived", tree)
			s.Click(button("Group by"))
			s.Click(chromium.Role("menuitemradio", "In one list"))
			s.Golden("list", tree)
			s.Reload()
			s.Golden("list", tree)
			s.Click(row("Archived 1 session"))
			s.Click(button("Session actions for Generated session-west"))
			s.Click(item("Unarchive session"))
			gone(s, row("Archived 1 session"))
			s.Click(button("Group by"))
			s.Click(chromium.Role("menuitemradio", "Workspace"))
			s.WaitFor(row("app (west) 1 session"))
		},
	}
}

func TestSessionsAreGroupedAndPutAway(t *testing.T) { scaffold.Run(t, views()) }

func reorder() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			before := kept(s)
			sees, leave := secondTab(s)
			// Workspaces, with the keyboard: the last one to the top.
			focus(s, row("app (west) 1 session"))
			s.Press("Alt+ArrowUp")
			wantRows(s, "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (west)", "Generated session-west", "app (east)", "Generated session-east")
			at(s, "app (west)") // it has kept the focus
			s.Press("Alt+ArrowUp")
			wantRows(s, "app (west)", "Generated session-west", "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (east)", "Generated session-east")
			s.Press("Alt+ArrowUp") // it is the first already
			// With the mouse: back to the end. A drag folds nothing.
			drag(s, row("app (west) 1 session"), 400)
			wantRows(s, "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (east)", "Generated session-east", "app (west)", "Generated session-west")
			if got := titles(s); !slices.Equal(got, []string{"workspace", "app", "app"}) {
				s.Errorf("the host keeps %q", got)
			}
			// Escape takes a drag back; letting go then is no click either.
			err := s.Page.DragUntil(s.Context, row("Generated session-third 3h"), 0, -90, 6, func() error {
				s.WaitFor(chromium.CSS(`.tree-row[data-drag="before"]`))
				s.Press("Escape")
				return s.Page.WaitGone(s.Context, chromium.CSS(`.tree-row[data-drag]`))
			})
			if err != nil {
				s.Fatalf("dragging: %v", err)
			}
			wantRows(s, "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (east)", "Generated session-east", "app (west)", "Generated session-west")
			if id, _ := s.Page.RootAttribute("data-session"); id != "" {
				s.Errorf("a drag that was taken back has opened %s", id)
			}

			// Sessions: with the keyboard, then with the mouse.
			focus(s, row("Generated session-first 1h"))
			s.Press("Alt+ArrowDown")
			s.WaitFor(chromium.CSS(`[data-session-id="session-first"][aria-posinset="2"]`))
			drag(s, row("Generated session-first 1h"), 60)
			s.WaitFor(chromium.CSS(`[data-session-id="session-first"][aria-posinset="3"]`))
			sees(chromium.CSS(`[data-session-id="session-first"][aria-posinset="3"]`))
			s.Golden("moved", tree)
			s.Reload()
			s.Golden("moved", tree)
			leave()
			s.Restart()
			s.Golden("moved", tree)

			// Back to the order of activity.
			menu(s, "workspace", "workspace 3 sessions")
			s.Golden("menu-moved", chromium.Role("menu", "Workspace actions for workspace"))
			s.Click(item("Sort by activity"))
			wantRows(s, "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (east)", "Generated session-east", "app (west)", "Generated session-west")
			if after := kept(s); after != before {
				s.Errorf("an order has changed files:\n%s\n%s", before, after)
			}
		},
	}
}

func TestWorkspacesAndSessionsStandWhereTheyWerePut(t *testing.T) { scaffold.Run(t, reorder()) }

// What the host refuses has not happened on the page either.
func refused() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Prepare: prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(row("workspace 3 sessions"))
			sound, err := os.ReadFile(file(s.Folders))
			if err != nil {
				s.Fatalf("%v", err)
			}
			if err := os.WriteFile(file(s.Folders), []byte("{\n  oh\n"), 0o600); err != nil {
				s.Fatalf("%v", err)
			}
			order := []string{"workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "app (east)", "Generated session-east", "app (west)", "Generated session-west"}
			for _, each := range []struct{ row, said string }{{"Generated session-first 1h", "The session could not be moved."}, {"workspace 3 sessions", "The workspace could not be moved."}} {
				drag(s, row(each.row), 300)
				s.WaitFor(chromium.AnyName("alert"))
				said := s.Text("[role=alert]")
				for _, want := range []string{each.said, file(s.Folders), "line 2, column 3"} {
					if !strings.Contains(said, want) {
						s.Errorf("the page does not say %q:\n%s", want, said)
					}
				}
				wantRows(s, order...)
				s.Click(button("Dismiss"))
				gone(s, chromium.AnyName("alert"))
			}
			// Another start on the damaged file has every session, and says what is wrong and where.
			s.Restart()
			s.WaitFor(chromium.AnyName("alert"))
			wantRows(s, "workspace 3", "Generated session-first", "Generated session-second", "Generated session-third", "Ungrouped 2", "Generated session-east", "Generated session-west")
			if said := s.Text("[role=alert]"); !strings.Contains(said, file(s.Folders)) || !strings.Contains(said, "line 2, column 3") {
				s.Errorf("the place is not said:\n%s", said)
			}
			if err := os.WriteFile(file(s.Folders), sound, 0o600); err != nil {
				s.Fatalf("%v", err)
			}
			s.Click(button("Try again"))
			gone(s, chromium.AnyName("alert"))
			wantRows(s, order...)
		},
	}
}

func TestADropThatIsRefusedIsSaidAndChangesNothing(t *testing.T) { scaffold.Run(t, refused()) }

// many is how many sessions there are where not all rows are drawn.
const many = 150

func long() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "workspaces", Page: chromium.ContextOptions{Now: now},
		Prepare: func(folders scaffold.Folders) error {
			return fill(folders, func(_ *jsonl.Store, generate func(id, cwd string, ago time.Duration) error) error {
				for i := range many {
					if err := generate(fmt.Sprintf("s%03d", i), folders.Workspace, time.Duration(i)*time.Minute); err != nil {
						return err
					}
				}
				return nil
			})
		},
		Drive: func(s *scaffold.Stage) {
			session := func(i int) string { return fmt.Sprintf(`[data-session-id="s%03d"]`, i) }
			s.Open("/s/s075") // far down, and to be seen
			s.WaitFor(chromium.CSS(session(75) + `[aria-posinset="76"][aria-setsize="150"]`))
			wantSeen := func(what string) {
				s.Helper()
				seen, err := chromium.Eval[bool](s.Context, s.Page, fmt.Sprintf(`(() => {
					const row = document.querySelector(%q), tree = row?.closest(".tree");
					const [r, t] = [row?.getBoundingClientRect(), tree?.getBoundingClientRect()];
					return row !== null && r.top >= t.top && r.bottom <= t.bottom;
				})()`, what))
				if err != nil || !seen {
					s.Errorf("%s is not to be seen, %v", what, err)
				}
			}
			wantSeen(session(75))
			if drawn, err := chromium.Eval[int](s.Context, s.Page, `document.querySelectorAll("[role=treeitem]").length`); err != nil || drawn > 75 {
				s.Errorf("%d rows are drawn, %v", drawn, err)
			}
			focus(s, chromium.CSS(session(75)))
			for _, step := range []struct{ key, at, row string }{
				{"End", "Generated s149", session(149)}, {"ArrowUp", "Generated s148", session(148)}, {"Home", "workspace 150", `[data-row^="group"]`},
				{"ArrowDown", "Generated s000", session(0)}, {"ArrowLeft", "workspace 150", `[data-row^="group"]`}, {"End", "Generated s149", session(149)},
				{"ArrowLeft", "workspace 150", `[data-row^="group"]`}, {"ArrowDown", "Generated s000", session(0)},
			} {
				s.Press(step.key)
				s.WaitFor(chromium.CSS(step.row + ":focus"))
				at(s, step.at)
				wantSeen(step.row)
			}
			// What has the focus keeps it while it is scrolled out of sight.
			if err := s.Page.Wheel(s.Context, chromium.CSS(session(5)), 0, 4000); err != nil {
				s.Fatalf("%v", err)
			}
			s.WaitFor(chromium.CSS(session(100)))
			at(s, "Generated s000")
			s.Press("ArrowDown")
			s.WaitFor(chromium.CSS(session(1) + ":focus"))
			wantSeen(session(1))

			// A drag that is held at the lower edge goes as far down as it is held.
			height, err := chromium.Eval[float64](s.Context, s.Page, fmt.Sprintf(`document.querySelector(".tree").getBoundingClientRect().bottom - document.querySelector(%q).getBoundingClientRect().top`, session(0)))
			if err != nil {
				s.Fatalf("%v", err)
			}
			err = s.Page.DragUntil(s.Context, chromium.CSS(session(0)), 0, height-20, 8, func() error {
				_, err := s.Page.WaitFor(s.Context, chromium.CSS(session(many-1)+`[data-drag="after"]`))
				return err
			})
			if err != nil {
				s.Fatalf("dragging: %v", err)
			}
			s.WaitFor(chromium.CSS(session(0) + `[aria-posinset="150"]`))
			wantSeen(session(0))
			s.Settle()
		},
	}
}

func TestALongListIsReachedWholeThoughItIsDrawnInPart(t *testing.T) { scaffold.Run(t, long()) }
