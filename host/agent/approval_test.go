package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/session"
)

const (
	touch = `{"command":"touch made","description":"d"}`
	other = `{"command":"touch more","description":"d"}`
)

// asking is a world where calls need leave, and whoever gives it: decide is told each request, and its answer is the decision.
func asking(t *testing.T, mode approval.Mode, decide func(w *world, r approval.Request) approval.Outcome) *world {
	t.Helper()
	w := newWorld(t)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.mode = mode
	w.boot(0)
	requests := make(chan approval.Request, 10)
	dispose := w.desk.Observe(func(c approval.Change) {
		if c.Outcome == approval.Pending {
			requests <- c.Request
		}
	})
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		for r := range requests {
			if outcome := decide(w, r); outcome != approval.Pending {
				_ = w.desk.Decide(r.ID, r.SessionID, outcome)
			}
		}
	}()
	t.Cleanup(func() { dispose(); close(requests); <-done })
	return w
}

func (w *world) made(name string) bool {
	_, err := os.Stat(filepath.Join(w.cwd, name))
	return err == nil
}

// decisions are the events about approvals and the results, a line each.
func decisions(a *agent.Agent) []string {
	var lines []string
	for _, e := range a.Log().Events(0, -1) {
		switch e.Type {
		case session.TypeApprovalAsked:
			lines = append(lines, "asked "+data[session.ApprovalAsked](e).CallID)
		case session.TypeApprovalDecided:
			lines = append(lines, data[session.ApprovalDecided](e).Outcome)
		case session.TypeApprovalPolicy:
			lines = append(lines, "policy "+data[session.ApprovalPolicy](e).Policy)
		case session.TypeToolResult:
			code := "done"
			if d := data[session.ToolResult](e); d.Error != nil {
				code = d.Error.Code
			}
			lines = append(lines, code)
		}
	}
	return lines
}

func TestNothingOfACallHappensBeforeItsDecisionIsDurable(t *testing.T) {
	early := false
	w := asking(t, approval.Ask, func(w *world, _ approval.Request) approval.Outcome {
		early = early || w.made("made")
		return approval.AllowedOnce
	})
	w.model.prepare(calls(call(0, "a", "bash", touch)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if early || !w.made("made") {
		t.Errorf("made before the decision: %v, after it: %v", early, w.made("made"))
	}
	if diff := cmp.Diff([]string{"asked a", "allowed-once", "done"}, decisions(a)); diff != "" {
		t.Error(diff)
	}
}

func TestADecisionThatCannotBeStoredRunsNothing(t *testing.T) {
	w := asking(t, approval.Ask, func(w *world, _ approval.Request) approval.Outcome {
		w.store.broken.Store(true)
		return approval.AllowedOnce
	})
	w.model.prepare(calls(call(0, "a", "bash", touch)))
	a := w.create()
	w.prompt(a, "go")
	if err := a.WhenIdle(t.Context()); err == nil {
		t.Error("the session could not be stored, and nobody says so")
	}
	if w.made("made") {
		t.Error("the call ran")
	}
	w.store.broken.Store(false)
}

func TestARejectedCallIsAResultThatTellsTheModel(t *testing.T) {
	w := asking(t, approval.Ask, func(*world, approval.Request) approval.Outcome { return approval.Rejected })
	w.model.prepare(calls(call(0, "a", "bash", touch)), says("then not"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if diff := cmp.Diff([]string{"asked a", "rejected", "APPROVAL_REJECTED"}, decisions(a)); diff != "" || w.made("made") {
		t.Error(w.made("made"), diff)
	}
	if told := outline(a.Log().Events(0, -1)); !strings.Contains(told, "the person rejected this call") {
		t.Error(told)
	}
}

func TestAnAllowanceForTheSessionCoversItsScopeAlsoAfterARestart(t *testing.T) {
	w := asking(t, approval.Ask, func(*world, approval.Request) approval.Outcome { return approval.AllowedSession })
	w.model.prepare(calls(call(0, "a", "bash", touch)), calls(call(0, "b", "bash", touch)), calls(call(0, "c", "bash", other)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	want := []string{"asked a", "allowed-session", "done", "done", "asked c", "allowed-session", "done"}
	if diff := cmp.Diff(want, decisions(a)); diff != "" {
		t.Fatal(diff)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(0) // nobody decides here: a card would wait for ever
	w.model.prepare(calls(call(0, "d", "bash", other)), says("ok"))
	b, err := w.manager.Open(t.Context(), a.Log().ID())
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(b, "again")
	w.idle(b)
	if diff := cmp.Diff(append(want, "done"), decisions(b)); diff != "" {
		t.Error(diff)
	}
}

func TestStopWithdrawsWhatWaits(t *testing.T) {
	waits := make(chan struct{})
	w := asking(t, approval.Ask, func(*world, approval.Request) approval.Outcome { close(waits); return approval.Pending })
	w.model.prepare(calls(call(0, "a", "bash", touch), call(1, "b", "bash", other)))
	a := w.create()
	w.prompt(a, "go")
	<-waits
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	want := []string{"asked a", "cancelled", "TOOL_ABORTED_BEFORE_DISPATCH", "TOOL_ABORTED_BEFORE_DISPATCH"}
	if diff := cmp.Diff(want, decisions(a)); diff != "" || w.made("made") {
		t.Error(w.made("made"), diff)
	}
}

func TestAReadOnlySessionRefusesUnasked(t *testing.T) {
	w := asking(t, approval.ReadOnly, func(*world, approval.Request) approval.Outcome { return approval.AllowedOnce })
	w.model.prepare(calls(call(0, "a", "bash", touch)), says("ok"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if diff := cmp.Diff([]string{"READ_ONLY"}, decisions(a)); diff != "" || w.made("made") {
		t.Error(w.made("made"), diff)
	}
}

func TestAChangedModeHoldsForWhatWaits(t *testing.T) {
	for mode, want := range map[approval.Mode][]string{
		approval.Full:     {"asked a", "policy full", "allowed-once", "done"},
		approval.ReadOnly: {"asked a", "policy read-only", "rejected", "APPROVAL_REJECTED"},
	} {
		waits := make(chan struct{})
		w := asking(t, approval.Ask, func(*world, approval.Request) approval.Outcome { close(waits); return approval.Pending })
		w.model.prepare(calls(call(0, "a", "bash", touch)), says("ok"))
		a := w.create()
		w.prompt(a, "go")
		<-waits
		if err := a.SetMode(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		w.idle(a)
		if diff := cmp.Diff(want, decisions(a)); diff != "" || a.Mode() != mode {
			t.Error(a.Mode(), diff)
		}
	}
}
