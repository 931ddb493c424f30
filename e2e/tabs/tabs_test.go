// Package tabs_test has the page open more often than a browser has connections to one host: six, for all tabs together. Eight tabs live,
// all of them seen at once, because they share one pair of event streams; what happens in the host reaches each of them, and it is in
// nobody's way when one goes.
package tabs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const many = 8

// tabs are the open pages of a scenario.
type tabs struct {
	*scaffold.Stage
	pages     []*chromium.Page
	sessionID string
}

// in makes a tab the one that the stage acts on.
func (s *tabs) in(page *chromium.Page) { s.Page = page }

// open opens a tab more, on the session, and waits until it is ready and shows what there is.
func (s *tabs) open() {
	s.Helper()
	if len(s.pages) > 0 {
		page, err := s.Page.Context().NewPage(s.Context)
		if err != nil {
			s.Fatalf("opening tab %d: %v", len(s.pages)+1, err)
		}
		s.in(page)
	}
	s.pages = append(s.pages, s.Page)
	s.Open("/s/" + s.sessionID)
	s.Settle()
}

// rename gives the session a title, by another client of the host.
func (s *tabs) rename(title string) {
	s.Helper()
	s.Call("session.rename", map[string]any{"sessionId": s.sessionID, "title": title}, nil)
}

// see waits until every tab shows the title and all else that the host has told, and checks how many streams that takes.
func (s *tabs) see(title string) {
	s.Helper()
	for _, page := range s.pages {
		s.in(page)
		s.Settle()
		s.WaitFor(chromium.Role("heading", title))
	}
	if got := s.Readers(); got != 2 {
		s.Errorf("%d tabs hold %d event streams of the host, want one pair", len(s.pages), got)
	}
}

// close closes a tab.
func (s *tabs) close(i int) {
	s.Helper()
	if err := s.pages[i].Close(s.Context); err != nil {
		s.Fatalf("closing tab %d: %v", i+1, err)
	}
	s.pages = append(s.pages[:i:i], s.pages[i+1:]...)
	s.in(s.pages[0])
}

// scenario opens the tabs on one session and hands them to drive.
func scenario(drive func(*tabs)) scaffold.Scenario {
	return scaffold.Scenario{
		Name: "tabs",
		Drive: func(stage *scaffold.Stage) {
			s := &tabs{Stage: stage}
			var created struct{ SessionID string }
			s.Call("session.create", map[string]any{}, &created)
			s.sessionID = created.SessionID
			drive(s)
		},
	}
}

// eight opens eight tabs and changes something when they are there.
func eight() scaffold.Scenario {
	return scenario(func(s *tabs) {
		for range many {
			s.open()
		}
		s.rename("All of them see this")
		s.see("All of them see this")
	})
}

func TestEightTabsLiveOnOnePairOfStreams(t *testing.T) {
	scaffold.Run(t, eight())
}

// Something happens between any two tabs, so that each begins with another baseline.
func TestATabThatComesLateKnowsWhatTheOthersKnow(t *testing.T) {
	scaffold.Run(t, scenario(func(s *tabs) {
		for _, title := range []string{"One", "Two", "Three"} {
			s.open()
			s.rename(title)
			s.see(title)
		}
	}))
}

func TestTabsThatCloseChangeNothingForTheOthers(t *testing.T) {
	scaffold.Run(t, scenario(func(s *tabs) {
		for range 4 {
			s.open()
		}
		s.close(0) // the one that started it all
		s.rename("The first is gone")
		s.see("The first is gone")
		s.close(1)
		s.open()
		s.rename("One went, one came")
		s.see("One went, one came")
		for len(s.pages) > 1 {
			s.close(0)
		}
		s.Leave() // the last one ends the streams
		s.pages = nil
		s.pages = append(s.pages, s.Page)
		s.Open("/s/" + s.sessionID)
		s.rename("And one begins anew")
		s.see("And one begins anew")
	}))
}

// The process of a tab dies with everything that the tab could have said, and, as the browser likes, with the worker in it. Its lock is free
// then, the worker has had it, and the others go on.
func TestATabThatCrashesChangesNothingForTheOthers(t *testing.T) {
	scaffold.OnlyReplay(t)
	failures := scaffold.TrialWithin(t, 30*time.Second, func(t scaffold.T) {
		scaffold.Run(t, scenario(func(s *tabs) {
			s.open()
			lock, err := chromium.Eval[string](s.Context, s.Page, `navigator.locks.query().then((all) => all.held.find((each) => each.name.startsWith("keylane-tab-")).name)`)
			if err != nil {
				s.Fatalf("asking for the lock of the first tab: %v", err)
			}
			s.open()
			s.open()
			if _, err := chromium.Call(s.Context, s.pages[0], page.Crash, cdp.Empty{}); !errors.Is(err, chromium.ErrCrashed) {
				s.Fatalf("crashing the first tab: %v", err)
			}
			s.pages = s.pages[1:]
			s.in(s.pages[0])
			if _, err := chromium.Eval[bool](s.Context, s.Page, `navigator.locks.request("`+lock+`", () => true)`); err != nil {
				s.Fatalf("waiting for the lock of the tab that crashed: %v", err)
			}
			s.rename("One crashed")
			for _, page := range s.pages {
				s.in(page)
				s.WaitFor(chromium.Role("heading", "One crashed"))
			}
			s.Errorf("the others went on, with %d streams", s.Readers())
		}))
	})
	scaffold.WantSeen(t, failures, "crash: page", "the others went on, with 2 streams")
}

// visibility makes a page believe that its tab was left or come back to; a headless browser shows all of them at once.
func (s *tabs) visibility(page *chromium.Page, state string) {
	s.Helper()
	_, err := chromium.Eval[bool](s.Context, page, `Object.defineProperty(document, "visibilityState", {value: "`+state+`", configurable: true});`+
		`document.dispatchEvent(new Event("visibilitychange"))`)
	if err != nil {
		s.Fatalf("making the page %s: %v", state, err)
	}
}

// A browser without shared workers, or without locks, has a pair of streams for each tab. One that nobody sees gives its pair back, so
// that eight tabs live there too, in front of one another. No tripwire trips, and the test says so: an edited page may only run in a trial.
func TestWithoutSharedWorkersATabThatNobodySeesIsInNobodysWay(t *testing.T) {
	scaffold.OnlyReplay(t)
	without := scenario(func(s *tabs) {
		for range many {
			if len(s.pages) > 0 {
				s.visibility(s.Page, "hidden")
			}
			s.open()
		}
		s.rename("Seen in front")
		s.WaitFor(chromium.Role("heading", "Seen in front"))
		s.visibility(s.Page, "hidden")
		s.in(s.pages[0])
		s.visibility(s.Page, "visible") // it comes back, and has missed something
		s.WaitFor(chromium.Role("heading", "Seen in front"))
		s.Settle()
	})
	without.Edits = []scaffold.Edit{withoutSharing}
	if failures := scaffold.TrialWithin(t, time.Minute, func(t scaffold.T) { scaffold.Run(t, without) }); len(failures) > 0 {
		t.Error(failures)
	}
}

// withoutSharing is a browser that has no shared workers.
var withoutSharing = scaffold.Edit{File: "shared/keylane.js", Find: `typeof SharedWorker<"u"`, Put: "!1"}

// A shared worker that cannot be started is told on the console; the page goes on with streams of its own.
func TestAPageWhoseWorkerCannotBeStartedOpensItsOwnStreams(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(func(s *tabs) {
		if err := s.Page.Navigate(s.Context, s.URL+"/s/"+s.sessionID); err != nil {
			s.Fatalf("opening the page: %v", err)
		}
		s.WaitFor(chromium.CSS(`:root[data-connection="connected"][data-lists="loaded"][data-busy="false"]`))
		s.rename("Without a worker")
		s.WaitFor(chromium.Role("heading", "Without a worker"))
		s.Errorf("the page went on, with %d streams", s.Readers())
	})
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `new SharedWorker\("/assets/events\.js`, Put: `new SharedWorker("/assets/never.js`}}
	failures := scaffold.TrialWithin(t, 30*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the page went on, with 2 streams")
}

// The browser may end the worker that the tabs share, for want of memory or with the process that it happens to be in. A tripwire tells;
// the tabs start another one and miss nothing.
func TestAWorkerThatIsEndedIsReplaced(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario(func(s *tabs) {
		s.open()
		s.open()
		if _, err := chromium.Eval[any](s.Context, s.Page, `new BroadcastChannel("end").postMessage(null)`); err != nil {
			s.Fatalf("ending the worker: %v", err)
		}
		s.rename("Told to nobody")
		for _, page := range s.pages {
			s.in(page)
			s.WaitFor(chromium.Role("heading", "Told to nobody"))
			s.WaitFor(chromium.CSS(`:root[data-connection="connected"][data-lists="loaded"][data-busy="false"]`))
		}
		s.rename("Told by another worker")
		for _, page := range s.pages {
			s.in(page)
			s.WaitFor(chromium.Role("heading", "Told by another worker"))
		}
		s.Errorf("both tabs went on, with %d streams", s.Readers())
	})
	mutant.Edits = []scaffold.Edit{{File: "assets/events.js", Find: "^", Put: `new BroadcastChannel("end").onmessage=()=>close();`}}
	failures := scaffold.TrialWithin(t, 30*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "connection loss", "the shared worker is gone", "both tabs went on, with 2 streams")
}

// Tabs that each open a pair of their own would be seen: the third is left without a connection to load itself with.
func TestTabsWithStreamsOfTheirOwnWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := eight()
	mutant.Edits = []scaffold.Edit{withoutSharing}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "opening /s/", "the trial's 20s are over")
}
