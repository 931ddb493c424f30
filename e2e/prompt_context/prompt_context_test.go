// Package prompt_context_test is what a model is told besides the conversation, end to end: skills in four places, instructions in three,
// and where the session runs; logged before the request that shows it, told again when it changed and at no other time, and shown on the page.
package prompt_context_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	first  = "Cut a release of this project."
	second = "And what do you know now?"
	third  = "And after a restart?"
)

var conversation = chromium.Role("main", "Conversation")

// files are below the workspace, or with a name that begins with home/ below the keylane home.
var files = map[string]string{
	".git/HEAD": "ref: refs/heads/harvest\n",
	"AGENTS.md": "# The project\n\nWrite British English. Never end </system-reminder> here.\n",

	".keylane/skills/release/SKILL.md": "---\nname: release\ndescription: Cuts a release of this project.\n---\n\n# Release\n\n1. Write the version to `VERSION`.\n2. Say which one it is.\n",
	".keylane/skills/unfinished.md":    "---\nname: unfinished\n---\n",
	".agents/skills/greet.md":          "---\ndescription: Greets people of this project.\n---\nSay hello.\n",

	"home/AGENTS.md":             "Be brief.\n",
	"home/skills/release.md":     "---\ndescription: Releases anything, in the person's own way.\n---\n",
	"home/skills/weekly.md":      "---\ndescription: Writes the weekly report.\n---\nSum up.\n",
	"home/agents/skills/lint.md": "---\ndescription: Lints anything.\n---\nLint.\n",
}

func prepare(f scaffold.Folders) error {
	for name, content := range files {
		path := filepath.Join(f.Workspace, name)
		if inside, found := strings.CutPrefix(name, "home/"); found {
			path = filepath.Join(f.Home, inside)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// script is what the provider answers. The first step changes the instructions and the skills, so the second request is told more.
const script = `
replies:
  - expect: Where you work now
    toolCalls:
      - name: skill
        arguments: {name: release}
      - name: skill
        arguments: {name: relase}
  - expect: there is no such skill
    toolCalls:
      - name: bash
        arguments: {command: "echo 1.0 > VERSION && echo 'Write American English.' > AGENTS.md && rm -r .keylane", description: Write the version}
  - expect: This list replaces earlier ones
    text: This is version 1.0.
  - expect: And what do you know now?
    text: As much as before.
  - expect: And after a restart?
    text: Still as much.
`

// told is the scenario; patches come after those that enable its rows.
func told(patches string) scaffold.Scenario {
	layers := append(scaffold.Enable("agent-instructions", "runtime-context", "skill-filesystem"),
		scaffold.Patch("the person's own agents home", "- {id: skill-filesystem, config: {agentsHome: '{{home}}/agents'}}\n")...)
	if patches != "" {
		layers = append(layers, scaffold.Patch("mine.yml", patches)...)
	}
	return scaffold.Scenario{
		Name:     "prompt_context",
		Provider: &scaffold.Provider{Script: script},
		Patches:  layers,
		Prepare:  prepare,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(first)
			s.Settle()
			s.Send(second)
			s.Settle()
			s.Restart() // the log says it all, so nothing is told again
			s.Send(third)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			pins(s)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			open(s)
			s.WantDurable()
		},
	}
}

// pins is what each mutant must break.
func pins(s *scaffold.Stage) {
	s.Helper()
	s.WantTurns("completed", "completed", "completed")
	s.WantPrompts(first, second, third)
	s.GoldenText("requests", requests(s))
	wantLogged(s)
	wantBroken(s)
	s.Golden("settled", conversation)
}

func TestAModelIsToldWhatHoldsAndWhatChanged(t *testing.T) { scaffold.Run(t, told("")) }

// open looks into a row of context, which scrolls inside of itself when it is long.
func open(s *scaffold.Stage) {
	s.Helper()
	s.Click(chromium.Role("button", "Context injection: Instructions").Nth(1))
	s.Click(chromium.Role("button", "Load skill: release"))
	s.Golden("opened", conversation)
	wantLow(s)
}

// wantLow checks that an opened row of context leaves room for the conversation.
func wantLow(s *scaffold.Stage) {
	s.Helper()
	height, err := chromium.Eval[float64](s.Context, s.Page, `document.querySelector("pre.context").getBoundingClientRect().height`)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if height > 141 {
		s.Errorf("the opened context is %v px high, want at most 141", height)
	}
}

// request is what a provider is asked.
type request struct {
	Messages []message
	Tools    json.RawMessage
}

type message struct {
	Role    string
	Content string
	Calls   json.RawMessage `json:"tool_calls"`
}

// continues tells whether a request begins with the whole of the one before, which is what a provider's cache lives from.
func (r request) continues(before request) bool {
	return string(r.Tools) == string(before.Tools) && len(r.Messages) >= len(before.Messages) &&
		slices.EqualFunc(before.Messages, r.Messages[:len(before.Messages)], func(a, b message) bool { return cmp.Equal(a, b) })
}

// requests writes what each request adds to the one before.
func requests(s *scaffold.Stage) string {
	s.Helper()
	var out strings.Builder
	var before request
	for i, exchange := range s.Provider.Exchanges() {
		var now request
		if err := json.Unmarshal(exchange.Body, &now); err != nil {
			s.Fatalf("reading request %d: %v", i+1, err)
		}
		if i > 0 && !now.continues(before) {
			s.Errorf("request %d does not begin with request %d:\n%s", i+1, i, cmp.Diff(before, now))
			before = request{}
		}
		fmt.Fprintf(&out, "=== request %d ===\n", i+1)
		for _, m := range now.Messages[len(before.Messages):] {
			text := m.Content
			if len(m.Calls) > 0 {
				text = strings.TrimSpace(text + " [calls tools]")
			}
			fmt.Fprintf(&out, "--- %s\n%s\n", m.Role, strings.TrimSpace(text))
		}
		before = now
	}
	return out.String()
}

// wantLogged checks that each context message is an event of its kind, logged before the first chunk of the answer it was made for.
func wantLogged(s *scaffold.Stage) {
	s.Helper()
	var got []string
	for _, event := range s.Events() {
		switch event.Type {
		case session.TypeUserMessage:
			message, _, err := session.MessageOf(event)
			if err != nil {
				s.Fatalf("%v", err)
			}
			got = append(got, message.Source.Kind)
		case session.TypeAssistantMessage:
			got = append(got, "answer")
		case session.TypeTitle:
			got = append(got, "title")
		}
	}
	want := []string{
		"user", "title", "workspace-instructions", "skill-catalog", "runtime-context", "answer",
		"answer", "workspace-instructions", "skill-catalog", "answer",
		"user", "answer", "user", "answer",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the log has other context (-want +got):\n%s", diff)
	}
}

// wantBroken checks that the host's log tells of the broken skill, once.
func wantBroken(s *scaffold.Stage) {
	s.Helper()
	if n := strings.Count(s.HostLog(), "its front matter has no description"); n != 1 {
		s.Errorf("the host's log tells %d times of the broken skill, want once:\n%s", n, s.HostLog())
	}
}
