// Package file_tools_test is the tools that look at and change files, end to end: real files in the session's folder, exact results for
// the model, and what a person sees of them, closed and opened. A link that leads out of the folder is refused, as a result.
package file_tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	prompt  = "Write three lines of poetry about rain into poems/rain.txt, check them, and copy them to escape.txt."
	written = "Rain on the roof,\nrain on the road,\nsun in the afternon.\n" // what the model writes first
	secret  = "this is not for the model\n"
	poem    = "Rain on the roof,\nrain on the road,\nsun in the afternoon,\n<b>& tea</b> at five.\n"
)

var conversation = chromium.Role("main", "Conversation")

// scenario has a secret in the folder outside, to which a link of the workspace leads.
func scenario(outside string) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "file_tools",
		Fixture: true,
		Prepare: func(f scaffold.Folders) error {
			file := filepath.Join(outside, "secret.txt")
			if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
				return err
			}
			return os.Symlink(file, filepath.Join(f.Workspace, "escape.txt"))
		},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			wantWorld(s, outside)
			s.Golden("settled", conversation)

			// Each row opens by itself, and what is copied is exactly what was read or changed.
			writing := chromium.Role("button", "Write: poems/rain.txt")
			s.Click(writing)
			s.Golden("write-open", conversation)
			read := chromium.Role("button", "Read: poems/rain.txt")
			s.Click(read)
			s.Click(writing)
			s.Golden("read-open", conversation)
			copied(s, "Copy content", written)
			s.Click(read)
			s.Golden("settled", conversation)
			s.Click(chromium.Role("button", "Edit: poems/rain.txt"))
			s.Golden("edit-open", conversation)
			copied(s, "Copy changes", change)

			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.Click(chromium.Role("button", "Search: ^rain|tea"))
			s.Golden("search-open", conversation)
			s.Click(chromium.Role("button", "Read: escape.txt"))
			s.Golden("refused-open", conversation)
			s.WantDurable()
		},
	}
}

func TestFileTools(t *testing.T) {
	scaffold.Run(t, scenario(t.TempDir()))
}

const change = `--- a/poems/rain.txt
+++ b/poems/rain.txt
@@ -1,3 +1,4 @@
 Rain on the roof,
 rain on the road,
-sun in the afternon.
+sun in the afternoon,
+<b>& tea</b> at five.
`

// wantWorld checks what the model was told, and what lies on the disk inside and outside of the workspace.
func wantWorld(s *scaffold.Stage, outside string) {
	s.Helper()
	s.WantTurns("completed")
	s.WantToolResults(
		"Created poems/rain.txt: 3 lines, 57 bytes.",
		"1\tRain on the roof,\n2\train on the road,\n3\tsun in the afternon.\n[end of file, 3 lines]",
		"Edited poems/rain.txt: 1 replacement, in line 3.",
		"poems/rain.txt:1:Rain on the roof,\npoems/rain.txt:2:rain on the road,\npoems/rain.txt:4:<b>& tea</b> at five.\n[3 lines]",
		"escape.txt\npoems/rain.txt\n[2 files]",
		"Error: escape.txt leads outside the working directory. Only files below it can be used.",
		"Error: escape.txt leads outside the working directory. Only files below it can be used.",
	)
	wantFile(s, filepath.Join(s.Folders.Workspace, "poems/rain.txt"), poem)
	wantFile(s, filepath.Join(outside, "secret.txt"), secret)
}

func wantFile(s *scaffold.Stage, name, content string) {
	s.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if string(got) != content {
		s.Errorf("%s holds %q, want %q", filepath.Base(name), got, content)
	}
}

// copied presses a copy button and checks what came onto the clipboard.
func copied(s *scaffold.Stage, button, content string) {
	s.Helper()
	s.Click(chromium.Role("button", button))
	s.WaitFor(chromium.Role("button", "Copied"))
	got, err := s.Page.ReadClipboard(s.Context)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if got != content {
		s.Errorf("%s copied %q, want %q", button, got, content)
	}
}
