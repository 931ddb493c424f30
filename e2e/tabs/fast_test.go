package tabs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"keylane/host/agent"
	"keylane/host/composition"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// speaker is a plugin through which a scenario writes into a session's log, as a model would that needs no time to think.
type speaker struct{ agents agent.Manager }

func (p *speaker) plugin() composition.Plugin {
	return composition.Define("speaker", "writes what the scenario says", composition.Definition[struct{}]{
		Needs: []composition.Key{agent.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			p.agents = composition.Need(scope, agent.Service)
			return nil
		},
	})
}

// say appends a turn of one answer in so many chunks.
func (p *speaker) say(s *tabs, chunks int) {
	s.Helper()
	attached, ok := p.agents.Get(s.sessionID)
	if !ok {
		s.Fatalf("session %s is not attached", s.sessionID)
	}
	appendTo := func(kind, data string) {
		if _, err := attached.Log().Append(kind, json.RawMessage(data)); err != nil {
			s.Fatalf("appending: %v", err)
		}
	}
	appendTo(session.TypeTurnStart, `{"turn":1}`)
	appendTo(session.TypeStepStart, `{"turn":1,"step":1}`)
	appendTo(session.TypeAssistantChunk, `{"turn":1,"step":1,"chunk":{"type":"block-start","index":0,"blockType":"text"}}`)
	for i := range chunks {
		appendTo(session.TypeAssistantChunk, fmt.Sprintf(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"word %d "}}`, i))
	}
	appendTo(session.TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`)
}

// fast says an answer of very many chunks at once in front of eight tabs.
func fast(chunks int) scaffold.Scenario {
	voice := &speaker{}
	answer := scenario(func(s *tabs) {
		for range many {
			s.open()
		}
		begin := time.Now()
		voice.say(s, chunks)
		said := time.Since(begin)
		for _, page := range s.pages {
			s.in(page)
			s.Settle()
		}
		s.Logf("%d chunks: said in %v, in all tabs after %v", chunks, said, time.Since(begin))
		s.rename("All of it")
		s.see("All of it")
	})
	answer.Plugins = []composition.Plugin{voice.plugin()}
	answer.Patches = scaffold.Patch("a speaker", "- insert: [{id: speaker, plugin: speaker}]\n")
	return answer
}

// No tab may have to ask again for a part of it: that is a tripwire.
func TestEightTabsFollowAFastAnswer(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, fast(1000))
}

// With next to nothing on its way a tab falls behind again and again. Each time it starts anew from the baseline, and misses nothing; that
// it does start anew is told by the edit.
func TestATabThatFallsBehindStartsAnewAndMissesNothing(t *testing.T) {
	scaffold.OnlyReplay(t)
	slow := fast(500)
	drive, behind := slow.Drive, 0
	slow.Drive = func(s *scaffold.Stage) {
		drive(s)
		for _, event := range s.Page.Context().Feed().All() {
			if line, ok := event.Data.(chromium.Console); ok && line.Text == "a tab starts anew" {
				behind++
			}
		}
	}
	slow.Edits = []scaffold.Edit{
		{File: "assets/events.js", Find: `4194304|4<<20`, Put: "4096"},
		{File: "assets/events.js", Find: `("resync",\{reason:(\w+)\})`, Put: `${1},console.info("a tab starts anew")`},
	}
	if failures := scaffold.TrialWithin(t, time.Minute, func(t scaffold.T) { scaffold.Run(t, slow) }); len(failures) > 0 {
		t.Error(failures)
	}
	if behind == 0 {
		t.Error("no tab fell behind")
	}
}
