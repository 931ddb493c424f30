package scaffold

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold/chromium"
)

// Patch makes one in-process layer of patches, in the composition's own YAML. Name is what a boot error calls it.
func Patch(name, text string) []composition.Layer {
	return []composition.Layer{{Name: name, Data: []byte(text)}}
}

// Enable makes one layer that enables rows which the lane's patches disable.
func Enable(rows ...string) []composition.Layer {
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "- {id: %s, disabled: false}\n", row)
	}
	return Patch("the scenario enables rows", text.String())
}

// Count is the number of events of a type in the open session's log.
func (s *Stage) Count(eventType string) int {
	s.Helper()
	count := 0
	for _, event := range s.Events() {
		if event.Type == eventType {
			count++
		}
	}
	return count
}

// WantTurns checks how the turns of the open session ended, in order: the kinds of turn/end.
func (s *Stage) WantTurns(kinds ...string) {
	s.Helper()
	s.check("turns", func() {
		s.Helper()
		var got []string
		for _, event := range s.Events() {
			if event.Type != session.TypeTurnEnd {
				continue
			}
			var end session.TurnEnd
			if err := json.Unmarshal(event.Data, &end); err != nil {
				s.Fatalf("scaffold: %v", err)
			}
			got = append(got, end.Reason.Kind)
		}
		if diff := cmp.Diff(kinds, got); diff != "" {
			s.Errorf("the turns of the open session ended otherwise (-want +got):\n%s", diff)
		}
	})
}

// WantPrompts checks what people have said in the open session, in order.
func (s *Stage) WantPrompts(texts ...string) {
	s.Helper()
	s.check("prompts", func() {
		s.Helper()
		var got []string
		for _, message := range s.messages(session.TypeUserMessage) {
			if message.Source.Kind == "user" {
				got = append(got, textOf(message.Content))
			}
		}
		if diff := cmp.Diff(texts, got); diff != "" {
			s.Errorf("the open session has other prompts (-want +got):\n%s", diff)
		}
	})
}

// ToolResults are the texts of the open session's tool results, in order.
func (s *Stage) ToolResults() []string {
	s.Helper()
	var results []string
	for _, message := range s.messages(session.TypeToolResult) {
		for _, block := range message.Content {
			results = append(results, textOf(block.Content))
		}
	}
	return results
}

// WantToolResults checks the exact texts of the open session's tool results, in order.
func (s *Stage) WantToolResults(texts ...string) {
	s.Helper()
	s.check("tool results", func() {
		s.Helper()
		if diff := cmp.Diff(texts, s.ToolResults()); diff != "" {
			s.Errorf("the open session has other tool results (-want +got):\n%s", diff)
		}
	})
}

// WantDurable reads the open session back from disk, with a store of its own, and checks that it holds exactly what the host has
// in memory.
func (s *Stage) WantDurable() {
	s.Helper()
	s.check("durable", func() {
		s.Helper()
		store, err := jsonl.New(jsonl.Config{Root: s.Folders.Sessions}, clock.System())
		if err != nil {
			s.Fatalf("scaffold: opening the store to read: %v", err)
		}
		defer func() {
			if err := store.Close(s.Context); err != nil {
				s.Errorf("scaffold: closing the store: %v", err)
			}
		}()
		_, stored, err := store.Inspect(s.Context, s.SessionID())
		if err != nil {
			s.Fatalf("scaffold: reading the session from disk: %v", err)
		}
		if diff := cmp.Diff(lines(s.Events()), lines(stored)); diff != "" {
			s.Errorf("the disk holds another log than the host (-host +disk):\n%s", diff)
		}
	})
}

// Booted tells what became of the rows of the composition.
func (s *Stage) Booted() composition.Report { return s.world.host.Report() }

// HostLog is what the host has written to its log so far, as text.
func (s *Stage) HostLog() string { return s.hostLog.String() }

// Text is everything that the element of a selector shows, as its innerText.
func (s *Stage) Text(selector string) string {
	s.Helper()
	quoted, err := json.Marshal(selector)
	if err != nil {
		s.Fatalf("scaffold: quoting the selector: %v", err)
	}
	text, err := chromium.Eval[string](s.Context, s.Page, "document.querySelector("+string(quoted)+").innerText")
	if err != nil {
		s.Fatalf("scaffold: reading the text of %s: %v", selector, err)
	}
	return text
}

func (s *Stage) messages(eventType string) []session.Message {
	s.Helper()
	var messages []session.Message
	for _, event := range s.Events() {
		if event.Type != eventType {
			continue
		}
		message, ok, err := session.MessageOf(event)
		if err != nil {
			s.Fatalf("scaffold: session %s: %v", s.SessionID(), err)
		}
		if ok {
			messages = append(messages, message)
		}
	}
	return messages
}

func textOf(blocks []session.Block) string {
	var text strings.Builder
	for _, block := range blocks {
		text.WriteString(block.Text)
	}
	return text.String()
}

func lines(events []session.Event) []string {
	printed := make([]string, len(events))
	for i, event := range events {
		printed[i] = fmt.Sprintf("%d %d %s %s", event.Seq, event.Time, event.Type, event.Data)
	}
	return printed
}
