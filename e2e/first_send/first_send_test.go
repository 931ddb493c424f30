// Package first_send_test is a person's first visit: the start page, a workspace found with the keyboard among the folders of the machine,
// and the first message, which makes the session there. It also takes the chosen folder away in between.
package first_send_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Write down which bulbs to plant."

var (
	conversation = chromium.Role("main", "Conversation")
	dialog       = chromium.Role("dialog", "Select workspace folder")
)

func choice(name string) chromium.Query {
	return chromium.Role("button", "Choose workspace, current: "+name)
}

func folders(in string) chromium.Query { return chromium.Role("listbox", "Folders in "+in) }

// garden is a folder in the default workspace; it, or a new folder in it, is where the scenario works.
func garden(s *scaffold.Stage) string { return filepath.Join(s.Folders.Workspace, "garden") }

func prepare(f scaffold.Folders) error {
	for _, name := range []string{"allotment", "garden/Beds", "garden/fence", "garden/.git", "garden/apple trees"} {
		if err := os.MkdirAll(filepath.Join(f.Workspace, name), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(f.Workspace, "garden", "readme.md"), nil, 0o644)
}

func typed(s *scaffold.Stage, text string) {
	s.Helper()
	if err := s.Page.Type(s.Context, text); err != nil {
		s.Fatalf("typing: %v", err)
	}
}

func gone(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	if err := s.Page.WaitGone(s.Context, query); err != nil {
		s.Fatalf("waiting until %s is gone: %v", query, err)
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

// chosen waits until an option is the one that keys act on.
func chosen(s *scaffold.Stage, name string) {
	s.Helper()
	s.WaitFor(chromium.CSS(`[data-folder="` + name + `"][aria-selected="true"]`))
}

// openDialog opens the directory dialog from the start page, with the keyboard alone.
func openDialog(s *scaffold.Stage, current string) {
	s.Helper()
	s.WaitFor(choice(current))
	if err := s.Page.Focus(s.Context, choice(current)); err != nil {
		s.Fatalf("%v", err)
	}
	s.Press("Enter")
	s.WaitFor(chromium.Role("menu", "Choose workspace"))
	s.Press("End")
	at(s, "Open folder…")
	s.Press("Enter")
	s.WaitFor(dialog)
}

type state struct {
	sessions   []struct{ SessionID, Cwd string }
	workspaces []string
}

// host is what the host knows.
func host(s *scaffold.Stage) state {
	s.Helper()
	var sessions struct {
		Items []struct{ SessionID, Cwd string }
	}
	var workspaces struct{ Items []struct{ Path string } }
	s.Call("session.list", map[string]any{}, &sessions)
	s.Call("workspace.list", map[string]any{}, &workspaces)
	known := state{sessions: sessions.Items}
	for _, each := range workspaces.Items {
		known.workspaces = append(known.workspaces, each.Path)
	}
	return known
}

func wantNoSession(s *scaffold.Stage, when string) {
	s.Helper()
	if known := host(s); len(known.sessions) > 0 {
		s.Errorf("%s there are sessions: %v", when, known.sessions)
	}
}

// worksIn checks that there is one session, that it works in the folder, and that what the agent wrote is there and nowhere else.
func worksIn(s *scaffold.Stage, folder string) {
	s.Helper()
	known := host(s)
	if len(known.sessions) != 1 || known.sessions[0].Cwd != folder || known.sessions[0].SessionID != s.SessionID() {
		s.Errorf("the sessions are %v, want one in %s", known.sessions, folder)
	}
	if !slices.Contains(known.workspaces, folder) {
		s.Errorf("the workspaces are %v, want %s among them", known.workspaces, folder)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "bulbs.txt")); err != nil || string(text) != "tulips\n" {
		s.Errorf("bulbs.txt holds %q, %v", text, err)
	}
	for _, other := range []string{s.Folders.Workspace, garden(s), filepath.Join(garden(s), "notes")} {
		if _, err := os.Stat(filepath.Join(other, "bulbs.txt")); other != folder && err == nil {
			s.Errorf("the agent wrote in %s as well", other)
		}
	}
}

func firstSend() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "first_send", Fixture: true, Prepare: prepare,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(choice("workspace"))
			s.Golden("hero", conversation)
			openDialog(s, "workspace")
			chosen(s, "workspace") // it begins at the one that is chosen
			typed(s, "ho")
			chosen(s, "home")
			s.Press("End")
			chosen(s, "workspace")
			s.Press("Enter")
			s.WaitFor(folders("workspace"))
			typed(s, "ga")
			chosen(s, "garden")
			s.Press("ArrowRight")
			s.WaitFor(folders("garden"))
			s.Golden("folders", folders("garden"))
			s.Press("ArrowLeft")
			chosen(s, "garden") // up, and at where one came from
			s.Press("Enter")
			s.WaitFor(folders("garden"))

			// A new folder, first with a name that is taken.
			s.Press("Tab")
			at(s, "New folder")
			s.Press("Enter")
			s.WaitFor(chromium.Role("textbox", "Folder name"))
			typed(s, "fence")
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("name-taken", chromium.AnyName("alert"))
			s.Press("Control+a")
			typed(s, "notes")
			s.Press("Enter")
			s.WaitFor(folders("notes"))
			at(s, "Folders in notes")
			for range 4 {
				s.Press("Tab")
			}
			at(s, "Open notes")
			s.Press("Enter")
			gone(s, dialog)
			at(s, "Choose workspace, current: notes") // back where the keyboard was
			wantNoSession(s, "before anything was sent")

			s.Reload()
			s.WaitFor(choice("notes"))
			s.Golden("chosen", conversation)
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			notes := filepath.Join(garden(s), "notes")
			s.WantTurns("completed")
			s.WantPrompts(prompt)
			worksIn(s, notes)
			s.Golden("settled", conversation)
			s.WantDurable()

			// Its address leads back to it, and back to the start page, which makes no session.
			session := s.SessionID()
			travel(s, "back", "")
			s.WaitFor(choice("notes"))
			travel(s, "forward", session)
			s.Reload()
			s.Golden("settled", conversation)
			worksIn(s, notes)
			s.WantWireInShape()
		},
	}
}

// travel goes back or forward, and waits for the session that has to be shown then.
func travel(s *scaffold.Stage, way, session string) {
	s.Helper()
	if _, err := chromium.Eval[bool](s.Context, s.Page, `(history.`+way+`(), true)`); err != nil {
		s.Fatalf("going %s: %v", way, err)
	}
	s.WaitFor(chromium.CSS(`:root[data-session="` + session + `"]`))
}

func TestTheFirstMessageMakesASessionInTheChosenFolder(t *testing.T) { scaffold.Run(t, firstSend()) }

// vanished takes the chosen folder away before the first message is sent.
func vanished() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "first_send", Fixture: true, Prepare: prepare,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			openDialog(s, "workspace")
			chosen(s, "workspace")
			s.Press("Enter")
			s.WaitFor(folders("workspace"))
			s.Click(chromium.Role("option", "garden")) // with the mouse
			s.WaitFor(folders("garden"))
			s.Click(chromium.Role("button", "Open garden"))
			s.WaitFor(choice("garden"))
			gone(s, dialog)
			if err := os.RemoveAll(garden(s)); err != nil {
				s.Fatalf("%v", err)
			}
			message := chromium.Role("textbox", "Message the agent")
			if err := s.Page.Focus(s.Context, message); err != nil {
				s.Fatalf("%v", err)
			}
			typed(s, prompt)
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			s.Golden("vanished", conversation)
			wantNoSession(s, "after the folder vanished")
			if _, err := os.Stat(garden(s)); err == nil {
				s.Errorf("the folder is back")
			}
			draft, err := chromium.Eval[string](s.Context, s.Page, `document.querySelector("textarea").value`)
			if err != nil || draft != prompt {
				s.Errorf("the draft is %q, %v", draft, err)
			}

			// Another one, and the same message goes there.
			s.Click(choice("garden"))
			s.Click(chromium.RoleMatching("menuitemradio", regexp.MustCompile("^workspace ")))
			s.WaitFor(choice("workspace"))
			s.SendBy(func() {
				if err := s.Page.Focus(s.Context, message); err != nil {
					s.Fatalf("%v", err)
				}
				s.Press("Enter")
			})
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			s.WantPrompts(prompt)
			worksIn(s, s.Folders.Workspace)
		},
	}
}

func TestAFolderThatVanishedIsSaidAndTheMessageIsKept(t *testing.T) { scaffold.Run(t, vanished()) }
