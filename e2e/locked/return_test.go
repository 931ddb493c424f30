package locked_test

import (
	"context"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

// leave has somebody go to another tab and come back; a headless browser shows all of them at once.
func leave(s *scaffold.Stage) {
	s.Helper()
	if _, err := chromium.Eval[any](s.Context, s.Page, `(() => { for (const value of ["hidden", "visible"]) {
		Object.defineProperty(document, "visibilityState", { value, configurable: true }); document.dispatchEvent(new Event("visibilitychange")) } })()`); err != nil {
		s.Fatalf("%v", err)
	}
}

// comesBack is a person who works with another host of this home meanwhile, of which no frame tells.
func comesBack() scaffold.Scenario {
	var letGo func() error
	return scaffold.Scenario{
		Name:    "locked",
		Prepare: func(folders scaffold.Folders) (err error) { letGo, err = elsewhere(folders); return err },
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			s.WaitFor(again)
			store, err := jsonl.New(jsonl.Config{Root: s.Folders.Sessions}, clock.System())
			if err != nil {
				s.Fatalf("%v", err)
			}
			if _, err := seed.Session(s.Context, store, transcript(), seed.Options{SessionID: "session-of-another-host", Cwd: s.Folders.Workspace}); err != nil {
				s.Fatalf("%v", err)
			}
			if err := store.Close(context.WithoutCancel(s.Context)); err != nil {
				s.Fatalf("%v", err)
			}
			leave(s)
			s.WaitFor(chromium.CSS(`[data-session-id="session-of-another-host"]`))
			if err := letGo(); err != nil {
				s.Fatalf("closing the other host: %v", err)
			}
			leave(s)
			s.WaitFor(message)
		},
	}
}

func TestWhoeverComesBackSeesWhatAnotherHostHasDone(t *testing.T) { scaffold.Run(t, comesBack()) }

func TestAPageThatDoesNotLookAgainWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := comesBack()
	mutant.Edits = []scaffold.Edit{{File: "assets/shell.js", Find: `addEventListener\("visibilitychange"`, Put: `addEventListener("never"`}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "session-of-another-host")
}
