package scaffold

import (
	"testing"

	"keylane/scaffold/chromium"
)

func TestAsManyLossesAsWereCausedAreCoveredAndNoMore(t *testing.T) {
	warn := func(text string) chromium.Event {
		return chromium.Event{Data: chromium.Console{Level: chromium.Warning, Text: text}}
	}
	lost, gap := warn("[keylane] connection lost, retry #1"), warn("[keylane] gap repair of s from seq 3")
	promised, seen := Losses{Connections: 2, Gaps: 1}, Losses{}
	for i, c := range []struct {
		event   chromium.Event
		covered bool
	}{
		{lost, true}, {gap, true}, {lost, true}, {gap, false}, {lost, false},
		{warn("history page discontinuous"), false},
		{chromium.Event{Data: chromium.Console{Level: chromium.Error, Text: "connection lost"}}, false},
		{chromium.Event{Data: chromium.PageError{Text: "connection lost"}}, false},
	} {
		if got := promised.cover(&seen, c.event); got != c.covered {
			t.Errorf("event %d is covered: %v, want %v", i+1, got, c.covered)
		}
	}
	if want := (Losses{Connections: 3, Gaps: 2}); seen != want {
		t.Errorf("%+v were seen, want %+v", seen, want)
	}
}

func TestLossesNeedSomebodyWhoCausesThem(t *testing.T) {
	if err := (Scenario{Name: "s", Losses: Losses{Gaps: 1}}).lossesHaveACause(); err == nil {
		t.Error("losses that nobody causes were accepted")
	}
	if err := (Scenario{Name: "s", Proxied: true, Losses: Losses{Gaps: 1}}).lossesHaveACause(); err != nil {
		t.Error(err)
	}
}
