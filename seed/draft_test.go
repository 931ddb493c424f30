package seed_test

import (
	"math"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/seed"
)

func draft() *seed.Draft {
	d := seed.NewDraft()
	d.Prompt("Go.")
	d.Step("I go.",
		seed.Call{Name: "bash", Arguments: `{"command":"true"}`, Result: "ok", Approval: "allowed-session", Scope: "bash: true", Meta: map[string]any{"card": "terminal"}},
		seed.Call{Name: "read", Arguments: `{}`, Result: "Error", Failed: true, Code: "FILE_NOT_FOUND"})
	d.Says(session.Source{Kind: session.SourceUser}, "Stop.")
	d.Step("I stop.")
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	d.Prompt("Again.")
	d.Answer(nil, seed.Call{Name: "bash", Arguments: `{}`, Begun: true}, seed.Call{Name: "bash", Arguments: `{}`, Pending: true})
	return d
}

func TestADraftIsALogThatAHostOpens(t *testing.T) {
	store := newStore(t)
	text, err := draft().Text()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := draft().Text(); err != nil || string(again) != string(text) {
		t.Errorf("the same draft gives another log, %v", err)
	}
	if _, err := seed.Session(background, store, text, seed.Options{SessionID: "s", Cwd: "/srv"}); err == nil || !strings.Contains(err.Error(), "inside turn 2") {
		t.Errorf("a draft that ends inside a turn was seeded without leave: %v", err)
	}
	header, err := seed.Session(background, store, text, seed.Options{SessionID: "s", Cwd: "/srv", AllowOpen: true, LastActivity: last})
	if err != nil {
		t.Fatal(err)
	}
	_, events, err := store.Load(background, header.ID)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]int{}
	for _, e := range events {
		if e.Type == session.TypeToolResult {
			for _, code := range []string{"FILE_NOT_FOUND", "TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED"} {
				codes[code] += strings.Count(string(e.Data), `"`+code+`"`)
			}
		}
	}
	if p := session.Project(header, events); p.Turns != 2 || p.OpenTurn != 0 || codes["FILE_NOT_FOUND"] != 1 || codes["TOOL_OUTCOME_UNKNOWN"] != 1 || codes["TOOL_NOT_STARTED"] != 1 {
		t.Errorf("%d turns, turn %d open, codes %v", p.Turns, p.OpenTurn, codes)
	}
}

func TestADraftSaysWhatCannotBeWritten(t *testing.T) {
	d := seed.NewDraft()
	d.Add("note", math.Inf(1), false)
	if _, err := d.Text(); err == nil || !strings.Contains(err.Error(), "writing a log by hand") {
		t.Errorf("error %v", err)
	}
}
