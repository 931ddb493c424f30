// Package sidebar_test shows sessions that lie on disk: grouped by their folders and in one list, newest first, with how long ago each was
// used by a clock that stands; what is locked, damaged, running, waiting and news is marked. All of it is reached with the keyboard alone, and
// an order by hand stays through work, reloads and restarts. No model is asked, but by the test of the marks.
package sidebar_test

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

// The regions that the goldens hold, and what is reached in them.
var (
	sidebar = chromium.Role("navigation", "Sessions")
	groupBy = chromium.Role("button", "Group by")
)

// stored are the sessions on disk, newest first: one for each unit of a relative time.
var stored = []struct {
	id, title, folder string
	ago               time.Duration
	time              string
}{
	{"session-now", "Plan the new lock", "workspace", 30 * time.Second, "now"},
	{"session-minutes", "Grease the sluice gates", "workspace", 5 * time.Minute, "5min"},
	{"session-hours", "Plant the herbs", "garden", 3 * time.Hour, "3h"},
	{"session-days", "Water levels of last week, in a table that is too wide for this column", "workspace", 2 * 24 * time.Hour, "2d"},
	{"session-spoiled", "Repaint the hut", "workspace", 3 * 24 * time.Hour, "3d"},
	{"session-months", "Winter works", "garden", 130 * 24 * time.Hour, "4mo"},
	{"session-years", "水闸检修", "elsewhere", 400 * 24 * time.Hour, "1y"},
}

// locked is the session that another host has open.
const locked = "session-days"

func transcript(title string) []byte {
	return []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"session/title","data":{"title":"` + title + `","messageSeqs":[2],"source":{"kind":"fallback"}}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Gone."}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`,
		`{"type":"step/end","data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n")
}

// disk is what lies there before the host boots, and who has a session of it open.
type disk struct{ letGo func() error }

func (d *disk) prepare(folders scaffold.Folders) error {
	ctx := context.Background()
	place := func(folder string) string { return filepath.Join(filepath.Dir(folders.Workspace), folder) }
	for i, folder := range []string{"workspace", "garden"} {
		if err := os.MkdirAll(place(folder), 0o755); err != nil {
			return err
		}
		registry, err := workspace.Open(workspace.Options{File: filepath.Join(folders.Home, "workspaces.json"), Cwd: folders.Workspace,
			Clock: clock.NewManual(now.Add(time.Duration(i)*time.Minute), 1)})
		if err != nil {
			return err
		}
		if _, _, err := registry.Adopt(place(folder)); err != nil {
			return err
		}
	}
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions}, clock.System())
	if err != nil {
		return err
	}
	d.letGo = func() error { return store.Close(ctx) }
	for _, each := range stored {
		at := now.Add(-each.ago)
		header, err := seed.Session(ctx, store, transcript(each.title), seed.Options{SessionID: each.id, Cwd: place(each.folder), LastActivity: at})
		if err != nil {
			return errors.Join(err, d.letGo())
		}
		if each.id == "session-spoiled" {
			path := store.Locate(header)
			content, err := os.ReadFile(path)
			if err != nil {
				return errors.Join(err, d.letGo())
			}
			if err := os.WriteFile(path, append(content, "this is no frame"...), 0o600); err != nil {
				return errors.Join(err, d.letGo())
			}
		}
	}
	if _, _, err = store.Load(ctx, locked); err != nil {
		return errors.Join(err, d.letGo())
	}
	return nil
}

func row(name string) chromium.Query { return chromium.Role("treeitem", name) }

func choose(s *scaffold.Stage, item string) {
	s.Helper()
	s.Click(groupBy)
	s.Click(chromium.Role("menuitemradio", item))
}

// names are the names of the rows, top to bottom.
func names(s *scaffold.Stage) []string {
	s.Helper()
	list, err := chromium.Eval[[]string](s.Context, s.Page, `[...document.querySelectorAll("[role=treeitem]")].map(e => e.getAttribute("aria-label"))`)
	if err != nil {
		s.Fatalf("reading the rows: %v", err)
	}
	return list
}

// wantRow checks the place of a row by its name's beginning.
func wantRow(s *scaffold.Stage, place int, name string) {
	s.Helper()
	if all := names(s); place >= len(all) || !strings.HasPrefix(all[place], name) {
		s.Errorf("row %d is not %q:\n%s", place, name, strings.Join(all, "\n"))
	}
}

func looks() scaffold.Scenario {
	var d disk
	return scaffold.Scenario{
		Name: "sidebar", Prepare: d.prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(row("workspace 4 sessions"))
			s.Golden("groups", sidebar)
			s.Click(row("garden 2 sessions"))
			s.Golden("folded", sidebar)
			s.Reload()
			s.Golden("folded", sidebar) // it was kept
			s.Click(groupBy)
			s.Golden("menu", chromium.Role("menu", "Group by"))
			s.Click(chromium.Role("menuitemradio", "In one list"))
			s.Golden("list", sidebar)
			for i, each := range stored {
				wantRow(s, i, each.title+" "+each.time)
			}
			s.Click(row("Plant the herbs 3h"))
			s.WaitFor(chromium.Role("heading", "Plant the herbs"))
			s.Reload()
			s.Golden("opened", sidebar)
			// In a folder that is folded, what is open is to be seen.
			choose(s, "Workspace")
			wantRow(s, 5, "garden 2 sessions")
			s.Reload()
			wantRow(s, 6, "Plant the herbs 3h")
			if err := d.letGo(); err != nil {
				s.Errorf("closing the other host: %v", err)
			}
		},
	}
}

func TestTheSessionsOnDisk(t *testing.T) { scaffold.Run(t, looks()) }

func TestTheSessionsOnDiskInChinese(t *testing.T) {
	scenario := looks()
	var d disk
	scenario.Prepare = d.prepare
	scenario.Page.Locale = "zh-CN"
	scenario.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.WaitFor(row("workspace 4 个会话"))
		s.Golden("chinese", chromium.Role("navigation", "会话"))
		s.Reload()
		s.Golden("chinese", chromium.Role("navigation", "会话"))
		if err := d.letGo(); err != nil {
			s.Errorf("closing the other host: %v", err)
		}
	}
	scaffold.Run(t, scenario)
}

// at checks which row has the focus.
func at(s *scaffold.Stage, want string) {
	s.Helper()
	got, err := chromium.Eval[string](s.Context, s.Page, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName`)
	if err != nil {
		s.Fatalf("reading the focus: %v", err)
	}
	if !strings.HasPrefix(got, want) {
		s.Errorf("the focus is at %q, not at %q", got, want)
	}
}

func keyboard() scaffold.Scenario {
	var d disk
	return scaffold.Scenario{
		Name: "sidebar", Prepare: d.prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			if err := s.Page.Focus(s.Context, row("workspace 4 sessions")); err != nil {
				s.Fatalf("%v", err)
			}
			for _, step := range []struct{ key, at string }{
				{"ArrowDown", "Plan the new lock"}, {"ArrowUp", "workspace 4"}, {"ArrowUp", "workspace 4"}, {"ArrowRight", "Plan the new lock"},
				{"ArrowRight", "Plan the new lock"}, {"ArrowDown", "Grease"}, {"ArrowLeft", "workspace 4"}, {"End", "水闸检修"}, {"Home", "workspace 4"},
				{"ArrowLeft", "workspace 4"}, {"ArrowDown", "garden 2"}, {"w", "Winter works"}, {"w", "workspace 4"}, {"ArrowRight", "workspace 4"},
				{"ArrowRight", "Plan the new lock"}, {"p", "Plant the herbs"}, {"p", "Plan the new lock"},
				{"l", "Plan the new lock"}, {"a", "Plan the new lock"}, // no row begins with "ppla"
			} {
				s.Press(step.key)
				at(s, step.at)
			}
			stops, err := chromium.Eval[int](s.Context, s.Page, `document.querySelectorAll("[role=tree] [tabindex='0']").length`)
			if err != nil || stops != 1 {
				s.Errorf("the tree has %d tab stops, %v", stops, err)
			}
			s.Press("Home")
			s.Press("Space")
			s.WaitFor(chromium.CSS(`[role=treeitem][aria-label^="workspace"][aria-expanded="false"]`))
			s.Press("Enter")
			s.Press("ArrowDown")
			s.Press("ArrowDown")
			s.Press("Enter")
			s.WaitFor(chromium.Role("heading", "Grease the sluice gates"))
			if err := d.letGo(); err != nil {
				s.Errorf("closing the other host: %v", err)
			}
		},
	}
}

func TestTheTreeIsReachedWithTheKeyboard(t *testing.T) { scaffold.Run(t, keyboard()) }

// logs are the sizes and times of all logs, by path.
func logs(s *scaffold.Stage) string {
	s.Helper()
	var all strings.Builder
	paths, err := filepath.Glob(filepath.Join(s.Folders.Sessions, "*", "*", "session.jsonl*"))
	if err != nil {
		s.Fatalf("%v", err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			s.Fatalf("%v", err)
		}
		fmt.Fprintf(&all, "%s %x\n", filepath.Base(filepath.Dir(path)), content)
	}
	return all.String()
}

func reorder() scaffold.Scenario {
	var d disk
	return scaffold.Scenario{
		Name: "sidebar", Prepare: d.prepare, Page: chromium.ContextOptions{Now: now},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(row("workspace 4 sessions"))
			before := logs(s)
			if err := s.Page.Focus(s.Context, row("Plan the new lock now")); err != nil {
				s.Fatalf("%v", err)
			}
			s.Press("Alt+ArrowUp") // it is the first already
			s.Press("Alt+ArrowDown")
			s.WaitFor(chromium.CSS(`[data-session-id="session-now"][aria-posinset="2"]`))
			at(s, "Plan the new lock") // it has kept the focus
			if err := s.Page.Drag(s.Context, row("Plan the new lock now"), 0, 110, 6); err != nil {
				s.Fatalf("dragging: %v", err)
			}
			s.WaitFor(chromium.CSS(`[data-session-id="session-now"][aria-posinset="4"]`))
			if _, err := s.Page.Find(s.Context, chromium.Role("heading", "Plan the new lock")); err == nil {
				s.Errorf("a drag has opened the session")
			}
			s.Golden("moved", chromium.Role("tree", "Sessions"))
			s.Reload()
			s.Golden("moved", chromium.Role("tree", "Sessions"))
			s.Restart()
			s.Golden("moved", chromium.Role("tree", "Sessions"))
			if after := logs(s); after != before {
				s.Errorf("moving has changed logs:\n%s\n%s", before, after)
			}
			if err := d.letGo(); err != nil {
				s.Errorf("closing the other host: %v", err)
			}
		},
	}
}

func TestAnOrderByHandStays(t *testing.T) { scaffold.Run(t, reorder()) }
