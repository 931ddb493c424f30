// Package long_output_test is a command that prints more than a model should read at once: the result has the beginning and the end, the
// card shows where bytes are left out, all of it is in a file of the session's, and the model reads on in it by the name it was told.
package long_output_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "Print two thousand values and tell me the thousandth."

// smallCap keeps the golden short; what is beyond it is the same with any.
const smallCap = "- id: tool-bash\n  config: {outputCapBytes: 100}\n"

var conversation = chromium.Role("main", "Conversation")

// printed is what the command prints.
func printed() string {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "value %d\n", i+1)
	}
	return text.String()
}

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "long_output",
		Fixture: true,
		Patches: scaffold.Patch("a small cap", smallCap),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			wantResults(s)
			wantKept(s, printed())
			s.Golden("settled", conversation)

			terminal := chromium.Role("button", "Bash: Print two thousand values")
			s.Click(terminal)
			s.Golden("cut-open", conversation)
			s.Click(terminal)
			s.Click(chromium.Role("button", "Read: spill:call_01_01-stdout.txt"))
			s.Golden("rest-open", conversation)

			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
}

// wantResults checks what the model is told: where bytes are left out and how to read on, and that reading on works.
func wantResults(s *scaffold.Stage) {
	s.Helper()
	all := printed()
	s.WantToolResults(
		all[:50]+"\n[… 20793 bytes left out; all 20893 bytes are in spill:call_01_01-stdout.txt: go on with read, offset 7 …]\n"+all[len(all)-50:]+
			"[stderr]\nprinted\n",
		"1000\tvalue 1000\n1001\tvalue 1001\n1002\tvalue 1002\n[lines 1000 to 1002 of 2000; go on with offset 1003]",
		"same in data\n",
	)
}

// wantKept checks the one spill file of the session: all of the output, for the person alone.
func wantKept(s *scaffold.Stage, content string) {
	s.Helper()
	folder := filepath.Join(s.Folders.Home, "spill", s.SessionID())
	var names []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		s.Fatalf("%v", err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if got := strings.Join(names, " "); got != "call_01_01-stdout.txt" {
		s.Fatalf("the session has the spill files %s", got)
	}
	file := filepath.Join(folder, names[0])
	text, err := os.ReadFile(file)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if string(text) != content {
		s.Errorf("the spill file holds %d bytes, the command printed %d others", len(text), len(content))
	}
	for path, want := range map[string]fs.FileMode{file: 0o600, folder: 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			s.Errorf("%s has the mode %v, want %v (%v)", filepath.Base(path), info.Mode(), want, err)
		}
	}
}

func TestLongOutputIsKeptAndReadOn(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A host that kept less than it says, and a model that asks for what is not its own, are seen.
func TestOutputThatIsLostWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, mutant := range map[string]struct {
		change func(*scaffold.Scenario)
		says   string
	}{
		"a spill file with too little room": {
			func(s *scaffold.Scenario) {
				s.Patches = append(s.Patches, scaffold.Patch("little room", "- id: spill\n  config: {maxFileBytes: 1000}\n")...)
			},
			"the first 1000 of all 20893 bytes",
		},
		"another session's file": {
			func(s *scaffold.Scenario) {
				s.Mutate = func(log []byte) []byte {
					return []byte(strings.ReplaceAll(string(log), `\"spill:call_01_01-stdout.txt\", \"offset\"`, `\"spill:../x/call_01_01-stdout.txt\", \"offset\"`))
				}
			},
			"is not the name of a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			broken := scenario()
			mutant.change(&broken)
			broken.Check = wantResults
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			if !strings.Contains(failures, "the open session has other tool results") || !strings.Contains(failures, mutant.says) {
				t.Errorf("no failure says %q:\n%s", mutant.says, failures)
			}
		})
	}
}
