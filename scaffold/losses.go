package scaffold

import (
	"fmt"
	"strings"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
	"keylane/scaffold/fault"
)

// Losses counts what a page reports when its line to the host is bad.
type Losses struct {
	Connections int // "connection lost"
	Gaps        int // "gap repair"
}

// lossesHaveACause refuses losses that nobody causes.
func (s Scenario) lossesHaveACause() error {
	if s.Losses == (Losses{}) || s.proxied() {
		return nil
	}
	return fmt.Errorf("scaffold: %s has losses and no proxy that causes them", s.Name)
}

func (s Scenario) proxied() bool { return s.Proxied || len(s.Faults) > 0 }

// cover counts a report of a loss in seen, and says whether it is one of those that the scenario causes. A report of something that can
// never be caused by a bad line, such as a discontinuous history, is none.
func (l Losses) cover(seen *Losses, event chromium.Event) bool {
	console, is := event.Data.(chromium.Console)
	if !is || console.Level == chromium.Error {
		return false
	}
	switch {
	case strings.Contains(console.Text, "connection lost"):
		seen.Connections++
		return seen.Connections <= l.Connections
	case strings.Contains(console.Text, "gap repair"):
		seen.Gaps++
		return seen.Gaps <= l.Gaps
	}
	return false
}

// reported counts the losses that the page has reported so far.
func (s *Stage) reported() Losses {
	var seen Losses
	for _, event := range s.visit.Feed().All() {
		s.scenario.Losses.cover(&seen, event)
	}
	return seen
}

// notCaused says what a scenario with faults promised and did not do. More than it promised is a tripwire's matter.
func (s *Stage) notCaused() []string {
	var missing []string
	if s.Proxy == nil {
		return missing
	}
	for _, each := range s.Proxy.Pending() {
		missing = append(missing, "a fault of the scenario did not happen: "+each)
	}
	if got, want := s.reported(), s.scenario.Losses; got.Connections < want.Connections || got.Gaps < want.Gaps {
		missing = append(missing, fmt.Sprintf("the page reported %d lost connections and %d gaps, and the scenario causes %d and %d", got.Connections, got.Gaps, want.Connections, want.Gaps))
	}
	return missing
}

// Losses waits until the page has reported as many losses as given and is connected again. It is what makes a count certain: a page may
// not have noticed yet.
func (s *Stage) Losses(want Losses) {
	s.Helper()
	s.await(await.AllOf(
		await.That(fmt.Sprintf("the page has reported %d lost connections and %d gaps", want.Connections, want.Gaps), func(v view) (bool, string) {
			return v.losses.Connections >= want.Connections && v.losses.Gaps >= want.Gaps, fmt.Sprintf("it has reported %d and %d", v.losses.Connections, v.losses.Gaps)
		}),
		await.That("the page is connected again", func(v view) (bool, string) {
			return v.connection == "connected", fmt.Sprintf("data-connection is %q", v.connection)
		}),
	))
	s.timeline.note("lane", fmt.Sprintf("the page has lost %+v", want))
}

// RestartBeneath replaces the host as Restart does, below an open page: the proxy keeps what the page asks meanwhile waiting, so the page
// loses its streams once and finds another run of the host at the same address. The scenario needs to be Proxied.
func (s *Stage) RestartBeneath() {
	s.Helper()
	if s.Proxy == nil {
		s.Fatalf("scaffold: a host can be replaced below the page only when a proxy keeps its address: %s is not Proxied", s.scenario.Name)
	}
	s.timeline.note("lane", "restart the host below the page")
	s.Proxy.Hold()
	s.replaceHost()
}

// HoldRequests keeps what the page asks from now on waiting, as a slow line does, until release is called; event streams that are open go on.
// The scenario needs to be Proxied.
func (s *Stage) HoldRequests() (release func()) {
	s.Helper()
	if s.Proxy == nil {
		s.Fatalf("scaffold: only a proxy can keep requests waiting: %s is not Proxied", s.scenario.Name)
	}
	s.timeline.note("lane", "hold requests")
	s.Proxy.Hold()
	return func() {
		s.Helper()
		s.timeline.note("lane", "release requests")
		if err := s.Proxy.Resume(s.host); err != nil {
			s.Fatalf("scaffold: pointing the proxy at the host: %v", err)
		}
	}
}

// reachBy sets where the page finds the host that listens at address: there, or at the proxy, which is started for the first host.
func (s *Stage) reachBy(address string) error {
	s.host = address
	if !s.scenario.proxied() {
		s.URL = address
		return nil
	}
	if s.Proxy == nil {
		proxy, err := fault.Start("", s.scenario.Faults...)
		if err != nil {
			return fmt.Errorf("scaffold: starting the proxy: %w", err)
		}
		s.Proxy, s.URL = proxy, proxy.URL()
	}
	if err := s.Proxy.Resume(address); err != nil {
		return fmt.Errorf("scaffold: pointing the proxy at the host: %w", err)
	}
	return nil
}
