package first_send_test

import (
	"os"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// dialogFailures is what the dialog says when folders go while it is open, and what a person types that leads nowhere.
func dialogFailures() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "first_send", Prepare: prepare,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			openDialog(s, "workspace")
			chosen(s, "workspace")
			s.Press("Enter")
			s.WaitFor(chromium.Role("option", "garden"))
			if err := os.Rename(garden(s), garden(s)+"-moved"); err != nil {
				s.Fatalf("%v", err)
			}
			typed(s, "ga")
			s.Press("Enter")
			wantAlert(s, "there is no such folder.")
			chosen(s, "garden") // where the person was

			s.Click(chromium.Role("button", "Edit path"))
			path := chromium.Role("textbox", "Path of a folder")
			s.WaitFor(path)
			typed(s, "garden-moved") // what was there is selected
			s.Press("Enter")
			wantAlert(s, "write the whole path, from / or ~ on.")
			s.Press("Control+a")
			typed(s, garden(s)+"-moved")
			s.Press("Enter")
			s.WaitFor(folders("garden-moved"))
			at(s, "Folders in garden-moved")
			gone(s, chromium.AnyName("alert"))
			s.Click(chromium.Role("checkbox", "Show hidden folders"))
			s.Golden("hidden", folders("garden-moved"))

			// It goes while it is looked at: it is not chosen, and the dialog stays.
			if err := os.RemoveAll(garden(s) + "-moved"); err != nil {
				s.Fatalf("%v", err)
			}
			s.Click(chromium.Role("button", "Open garden-moved"))
			wantAlert(s, "there is no such folder.")
			s.WaitFor(dialog)
			s.Press("Escape")
			gone(s, dialog)
			s.WaitFor(choice("workspace"))
			if known := host(s); len(known.workspaces) != 1 || len(known.sessions) != 0 {
				s.Errorf("nothing was chosen, but there are workspaces %v and sessions %v", known.workspaces, known.sessions)
			}
		},
	}
}

// wantAlert waits for an alert of the dialog that has these words.
func wantAlert(s *scaffold.Stage, words string) {
	s.Helper()
	s.WaitFor(chromium.AnyName("alert"))
	if text := s.Text(".folders-problem"); !strings.Contains(text, words) {
		s.Errorf("the dialog says %q, want %q in it", text, words)
	}
}

func TestTheDialogSaysWhatCannotBeOpened(t *testing.T) { scaffold.Run(t, dialogFailures()) }
