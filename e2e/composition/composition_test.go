// Package composition_test pins the shipped composition: which rows start, with which defaults, and what every model request begins with,
// the system prompt and the schemas of the tools. Whoever changes what a model is told changes a golden, and reads it.
package composition_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host"
	"keylane/host/composition"
	"keylane/host/session"
	"keylane/scaffold"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// tools are all that a model is offered, in the order of the request.
var tools = []string{"ask_user_question", "bash", "edit", "glob", "grep", "read", "skill", "todo_write", "write"}

// started are the rows that run in the lane, in their order. It differs from the shipped order by the demo, the model that names
// sessions, and what reads the machine (skills in folders, instructions, where a session runs), which the lane switches off.
var started = []string{
	"clock", "home", "settings", "credentials", "session-persistence", "session-title", "llm", "llm-deepseek",
	"spill", "tools", "tool-bash", "tool-files", "tool-todo", "questions", "tool-ask-user", "approval",
	"system-prompt", "skills", "tool-skill", "workspace", "agent", "compaction", "search", "session-search", "api", "llm-retry", "webserver",
}

// shipped is a prompt to the host as it is shipped; the provider is only there to be told the header.
func shipped() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "composition",
		Provider: &scaffold.Provider{Script: "replies: [{expect: Say hello, text: Hello.}]"},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send("Say hello.")
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			wantRows(s)
			header := headerOf(s)
			wantOnTheWire(s, header)
			wantTools(s, header)
			s.GoldenText("system-prompt", header.System)
			s.GoldenText("tools", indented(s, header.Tools))
			s.GoldenText("defaults", defaults(s))
		},
	}
}

func TestTheShippedCompositionIsPinned(t *testing.T) {
	scaffold.Run(t, shipped())
}

func wantRows(s *scaffold.Stage) {
	s.Helper()
	var got []string
	for _, row := range s.Booted().Started {
		got = append(got, row.ID)
	}
	if diff := cmp.Diff(started, got); diff != "" {
		s.Errorf("other rows run (-want +got):\n%s", diff)
	}
	for _, row := range s.Booted().Pending {
		s.Errorf("the row %s waits for %s", row.Row.ID, strings.Join(row.Waits, ", "))
	}
}

// headerOf is the one header of the open session.
func headerOf(s *scaffold.Stage) session.RequestHeaderBody {
	s.Helper()
	var headers []session.RequestHeaderBody
	for _, event := range s.Events() {
		if event.Type != session.TypeRequestHeader {
			continue
		}
		var header session.RequestHeader
		if err := json.Unmarshal(event.Data, &header); err != nil {
			s.Fatalf("reading the header: %v", err)
		}
		headers = append(headers, header.Header)
	}
	if len(headers) != 1 {
		s.Fatalf("the log has %d request headers, want one", len(headers))
	}
	return headers[0]
}

// wantOnTheWire checks that the provider was told exactly what the log says: what is pinned below is what a model reads.
func wantOnTheWire(s *scaffold.Stage, header session.RequestHeaderBody) {
	s.Helper()
	exchanges := s.Provider.Exchanges()
	if len(exchanges) != 1 {
		s.Fatalf("%d requests came, want one", len(exchanges))
	}
	var request struct {
		Messages []struct{ Role, Content string }
		Tools    []struct{ Function any }
	}
	if err := json.Unmarshal(exchanges[0].Body, &request); err != nil {
		s.Fatalf("reading the request: %v", err)
	}
	if first := request.Messages[0]; first.Role != "system" || first.Content != header.System {
		s.Errorf("the first message is a %s message and is not the logged system prompt:\n%s", first.Role, cmp.Diff(header.System, first.Content))
	}
	var sent []any
	for _, tool := range request.Tools {
		sent = append(sent, tool.Function)
	}
	if diff := cmp.Diff(decoded(s, header.Tools), sent); diff != "" {
		s.Errorf("the request offers other tools than the log says (-log +request):\n%s", diff)
	}
}

func wantTools(s *scaffold.Stage, header session.RequestHeaderBody) {
	s.Helper()
	var got []string
	for _, tool := range decoded(s, header.Tools) {
		name, _ := tool.(map[string]any)["name"].(string)
		got = append(got, name)
	}
	if diff := cmp.Diff(tools, got); diff != "" {
		s.Errorf("a model is offered other tools (-want +got):\n%s", diff)
	}
}

// decoded are the schemas of a header; one without tools has none.
func decoded(s *scaffold.Stage, tools []byte) []any {
	s.Helper()
	if len(tools) == 0 {
		return nil
	}
	var schemas []any
	if err := json.Unmarshal(tools, &schemas); err != nil {
		s.Fatalf("reading the logged tools: %v", err)
	}
	return schemas
}

func indented(s *scaffold.Stage, text []byte) string {
	s.Helper()
	if len(text) == 0 {
		return "no tools"
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		s.Fatalf("indenting the tools: %v", err)
	}
	return out.String()
}

// place is the comment that says where a dumped row stands. It moves with every line of comment in the files.
var place = regexp.MustCompile(`(?m)^# \S+\.yml:\d+:\d+\n`)

// defaults is what `keylane config dump` prints of the shipped tree and patches over it, without the places.
func defaults(s *scaffold.Stage, patches ...composition.Layer) string {
	s.Helper()
	tree, err := host.Tree(patches...)
	if err != nil {
		s.Fatalf("loading the shipped tree: %v", err)
	}
	var out strings.Builder
	if err := tree.Dump(&out, host.Plugins()...); err != nil {
		s.Fatalf("dumping the shipped tree: %v", err)
	}
	return place.ReplaceAllString(out.String(), "")
}
