package session

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A follower that is written down and taken up again between any two events ends up where one does that saw the whole log, and both know
// what Project and Repair know.
func TestAFollowerKnowsWhatTheWholeLogTells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []string{TypeTurnStart, TypeTurnEnd, TypeStepStart, TypeStepEnd, TypeToolCall, TypeTitle, TypeInboxSpliced, TypeApprovalAsked, TypeApprovalDecided, "x"}
		data := map[string]string{
			TypeTurnStart: `{"turn":2}`, TypeStepStart: `{"turn":2,"step":1}`, TypeToolCall: `{"turn":2,"step":1,"callId":"c","name":"n","arguments":"{}"}`,
			TypeTitle: `{"title":"T"}`, TypeInboxSpliced: `{"target":"next-turn","start":0,"inserted":[{"id":"m","role":"user","content":[],"source":{"kind":"user"}}]}`,
			TypeApprovalAsked: `{"id":"a","scope":"s"}`, TypeApprovalDecided: `{"id":"a","outcome":"allowed-session"}`,
		}
		header := testHeader
		header.SeedLength = rapid.IntRange(0, 3).Draw(t, "seed")
		var events []Event
		for i := range rapid.IntRange(0, 20).Draw(t, "length") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			text := data[kind]
			if text == "" {
				text = "{}"
			}
			events = append(events, Event{Type: kind, Seq: int64(i), Time: int64(100 + i), Data: json.RawMessage(text)})
		}
		stop := rapid.IntRange(0, len(events)).Draw(t, "stop")
		follower := Follow(header)
		for i, e := range events {
			if i == stop {
				text, err := json.Marshal(follower)
				if err != nil {
					t.Fatal(err)
				}
				follower = &Follower{}
				if err := json.Unmarshal(text, follower); err != nil {
					t.Fatal(err)
				}
			}
			if err := follower.Check(e); err != nil {
				t.Fatal(err)
			}
			follower.Add(e)
		}
		if follower.Length() != int64(len(events)) {
			t.Fatalf("length %d of %d", follower.Length(), len(events))
		}
		got, err := json.Marshal(follower.Projection())
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(Project(header, events))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(Repair(header, events), follower.Closing()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAForkEndsWithATurn(t *testing.T) {
	var events []Event
	for i, kind := range []string{"x", TypeTurnStart, "x", TypeTurnEnd, TypeTitle, TypeTurnStart, TypeTurnEnd, TypeTurnStart, "x"} {
		events = append(events, Event{Type: kind, Seq: int64(i), Data: json.RawMessage("{}")})
	}
	for at, want := range map[int64]int64{-1: 7, 0: 5, 1: 5, 3: 5, 4: 7, 5: 7, 6: 7, 7: -1, 8: -1, 9: 7, 1000: 7} {
		got, err := ForkLength(events, at)
		if want < 0 {
			if !errors.Is(err, ErrForkUnavailable) {
				t.Errorf("at %d: %d, %v", at, got, err)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("at %d: %d, %v; want %d", at, got, err, want)
		}
	}
	if _, err := ForkLength(events[:3], -1); !errors.Is(err, ErrForkUnavailable) {
		t.Errorf("without a completed turn: %v", err)
	}
}
