package title_and_compaction_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"keylane/host/agent"
	"keylane/host/composition"
	"keylane/host/session"
	"keylane/scaffold"
)

// Each guard of this scenario is tried on a chain with one thing broken.
func TestEachGuardSeesWhatItGuards(t *testing.T) {
	scaffold.OnlyReplay(t)
	swap := func(old, new string) func(*scaffold.Scenario) {
		return func(s *scaffold.Scenario) {
			s.Mutate = func(log []byte) []byte { return bytes.ReplaceAll(log, []byte(old), []byte(new)) }
		}
	}
	patch := func(text string) func(*scaffold.Scenario) {
		return func(s *scaffold.Scenario) { s.Patches = append(s.Patches, scaffold.Patch("broken", text)...) }
	}
	for _, mutant := range []struct {
		name  string
		from  func() scaffold.Scenario
		spoil func(*scaffold.Scenario)
		says  []string // each must occur in some failure
	}{
		{"a title that no call gave", scenario, swap(`"source":{"kind":"provider"`, `"source":{"kind":"fallback"`),
			[]string{"for a session-title, but session.jsonl has only 0", "the session was named otherwise"}},
		{"a summary that no call gave", scenario, swap(`"llmStreamCall":true`, `"llmStreamCall":false`),
			[]string{"for a compaction, but session.jsonl has only 0", "it is not shortened", "compacted.aria differs"}},
		{"another summary", scenario, swap("The last number is 6000.**", "It is all forgotten.**"),
			[]string{"or not the summary", "next-request.txt differs", "summary-open.aria differs"}},
		{"no model for titles", scenario, patch("- id: session-title-model\n  disabled: true\n"),
			[]string{"session-title: consumed 0/1", "the session was named otherwise", "the sidebar does not show the title", "named.aria differs"}},
		{"no compaction", scenario, patch("- id: compaction\n  disabled: true\n"),
			[]string{"compaction: consumed 0/1", "it is not shortened", "next-request.txt differs"}},
		{"a window that is never full", scenario, patch("- id: compaction\n  config: {triggerPart: 1, keepPart: 0.01}\n"),
			[]string{"compaction: consumed 0/1", "the compaction wrote other events"}},
		{"a model that overrides the person", byHand, override, []string{"the session was named otherwise", "the sidebar does not show the title"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := mutant.from()
			mutant.spoil(&broken)
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(failures, words) {
					t.Errorf("no failure says %q:\n%s", words, failures)
				}
			}
		})
	}
}

// override has a model's title come in over the person's, behind the host's back.
func override(s *scaffold.Scenario) {
	var agents agent.Manager
	s.Plugins = []composition.Plugin{composition.Define("intruder", "knows the agents", composition.Definition[struct{}]{
		Needs: []composition.Key{agent.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			agents = composition.Need(scope, agent.Service)
			return nil
		},
	})}
	s.Patches = scaffold.Patch("an intruder", "- insert:\n  - {id: intruder, plugin: intruder}\n")
	drive := s.Drive
	s.Drive = func(s *scaffold.Stage) {
		drive(s)
		open, _ := agents.Get(s.SessionID())
		title := session.Title{Title: "The model knows better", MessageSeqs: []int64{}, Source: session.TitleSource{Kind: session.TitleProvider}}
		if _, err := open.Log().Append(session.TypeTitle, title); err != nil {
			s.Fatalf("%v", err)
		}
		s.Settle()
	}
}
