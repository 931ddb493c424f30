// Package credentials_test is a person who enters the key of a provider: the page says that one is missing, takes it, and the very next
// message is answered. The key is in the provider's header and in one file that only the person can read, and nowhere else: not in the
// page, on the wire, in a log or in a report. It is removed in the same place.
package credentials_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	// key has no shape by which a credential could be known, so that what hides credentials cannot hide that it got somewhere.
	key      = "a-persons-own-secret"
	greeting = "Say that the key works."
	farewell = "And without it?"
)

const script = `
replies:
  - expect: the key works
    text: The key works.
`

var (
	conversation = chromium.Role("main", "Conversation")
	dialog       = chromium.Role("dialog", "Settings")
	field        = chromium.Role("textbox", "API key for DeepSeek")
	save         = chromium.Role("button", "Save key")
	remove       = chromium.Role("button", "Remove key")
)

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "credentials",
		Provider: &scaffold.Provider{Script: script, Keyless: true},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Click(chromium.Role("button", "Enter a key"))
			s.WaitFor(field)
			s.Golden("none", dialog)
			s.WaitFor(chromium.CSS("input[type=password]"))
			enter(s, key+" and more", chromium.AnyName("alert"))
			s.Golden("refused", dialog)
			enter(s, key, remove)
			s.Golden("stored", dialog)
			wantFile(s, "deepseek: "+key+"\n")
			wantNowhere(s, false)
			s.Press("Escape")
			s.Send(greeting)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			for i, exchange := range s.Provider.Exchanges() {
				if got := exchange.Header.Values("Authorization"); len(got) != 1 || got[0] != "Bearer "+key {
					s.Errorf("request %d has the authorization %q", i+1, got)
				}
			}
			s.Golden("answered", conversation)
			s.Reload()
			s.Settle()
			s.Golden("answered", conversation)
			wantNowhere(s, true)

			s.Click(chromium.Role("button", "Settings"))
			s.Click(chromium.Role("button", "Models"))
			s.Click(remove)
			if err := s.Page.WaitGone(s.Context, remove); err != nil {
				s.Fatalf("%v", err)
			}
			wantFile(s, "{}\n")
			s.Press("Escape")
			s.WaitFor(chromium.Role("region", "Model setup"))
			s.Send(farewell)
			s.Settle()
			s.WantTurns("completed", "error")
			s.WantDurable()
		},
	}
}

// enter puts a value into the field and saves it, after which something is to be seen.
func enter(s *scaffold.Stage, value string, then chromium.Query) {
	s.Helper()
	if err := s.Page.Fill(s.Context, field, value); err != nil {
		s.Fatalf("%v", err)
	}
	s.Click(save)
	s.WaitFor(then)
}

// wantFile checks the file of credentials, and that it is the person's alone.
func wantFile(s *scaffold.Stage, want string) {
	s.Helper()
	path := filepath.Join(s.Folders.Home, "credentials.yml")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		s.Errorf("the file holds %q, %v, want %q", text, err, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		s.Errorf("the file is %v, %v", info, err)
	}
}

// wantNowhere checks that the key is in nothing that could be seen, kept or passed on, not even in a field of the page.
func wantNowhere(s *scaffold.Stage, session bool) {
	s.Helper()
	kept, err := chromium.Eval[string](s.Context, s.Page, `document.documentElement.outerHTML + [...document.querySelectorAll("input, textarea")].map((field) => field.value).join(" ") + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + location.href`)
	if err != nil {
		s.Fatalf("%v", err)
	}
	places := map[string]string{"the page": kept, "the host's log": s.HostLog()}
	if session {
		places["the report"], places["what pages were told"] = s.Report(), s.Wire()
		for _, event := range s.Events() {
			places["an event "+event.Type] += string(event.Data)
		}
	}
	err = filepath.WalkDir(s.Folders.Home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "credentials.yml" {
			return err
		}
		text, err := os.ReadFile(path)
		places["the file "+entry.Name()] = string(text)
		return err
	})
	if err != nil {
		s.Errorf("%v", err)
	}
	for what, text := range places {
		if strings.Contains(text, key) {
			s.Errorf("the key is in %s", what)
		}
	}
}

func TestAKeyIsEnteredUsedAndRemoved(t *testing.T) { scaffold.Run(t, scenario()) }

// A page that keeps what was typed, and one that does not hide it, would be seen.
func TestAPageThatKeepsTheKeyWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, mutant := range map[string]struct {
		edit scaffold.Edit
		says string
	}{
		"it keeps the key in its field": {scaffold.Edit{File: "assets/parts/models-*.js", Find: `await (\w+)\(\),\w+\.value="",`, Put: "await $1(),"}, "the key is in the page"},
		"it shows what is typed":        {scaffold.Edit{File: "assets/parts/models-*.js", Find: `type:"password"`, Put: `type:"text"`}, "input[type=password]"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := scenario()
			broken.Edits = []scaffold.Edit{mutant.edit}
			scaffold.WantSeen(t, scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, broken) }), mutant.says)
		})
	}
}
