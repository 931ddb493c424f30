package scaffold

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"sync"

	"keylane/host/llm"
	"keylane/scaffold/chromium"
)

// lossReport is how the client says that it lost a connection or had to repair a gap. It heals itself, and a lane that let it
// would certify a broken wire.
var lossReport = regexp.MustCompile(`(?i)connection lost|gap repair|discontinuous`)

// tripped judges everything that the page, its workers and the model calls did so far, one sentence for each trip.
func (s *Stage) tripped() []string {
	var trips []string
	var seen Losses
	events, _ := expected(s.visit.Feed().All(), s.scenario.WantErrors)
	for _, event := range events {
		trip := judge(event)
		if trip != "" && !s.scenario.Losses.cover(&seen, event) {
			trips = append(trips, trip)
		}
	}
	return append(trips, s.strays.list()...)
}

// judge says what is wrong with one event of the page, or "".
func judge(event chromium.Event) string {
	switch data := event.Data.(type) {
	case chromium.PageError:
		return "page error: " + event.String()
	case chromium.Violation:
		return "policy violation: " + event.String()
	case chromium.Crash:
		return "crash: " + event.String()
	case chromium.Blind:
		return "unobserved: " + event.String()
	case chromium.Console:
		if data.Level == chromium.Error {
			return "console error: " + event.String()
		}
		if lossReport.MatchString(data.Text) {
			return "connection loss: " + event.String()
		}
	case chromium.Request:
		if !staysHere(data.URL) {
			return "stray request: " + event.String()
		}
	}
	return ""
}

// staysHere says whether a request stays on this machine: its own data, or the loopback.
func staysHere(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch parsed.Scheme {
	case "data", "blob", "about":
		return true
	}
	if parsed.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(parsed.Hostname())
	return ip != nil && ip.IsLoopback()
}

// strays collects the model calls that no recorded script answers, and remembers every request.
type strays struct {
	mu    sync.Mutex // guards the fields below
	asked []llm.Request
	found []string
}

// saw is told of every model call and of the error that the registry had for it.
func (s *strays) saw(request llm.Request, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request)
	if err != nil && llm.FailureOf(err).Code == llm.CodeNoAdapter {
		s.found = append(s.found, fmt.Sprintf("stray model call: session %s asked %s/%s for a %s and nothing answers: %v", request.SessionID, request.Provider, request.Model, request.Purpose, err))
	}
}

func (s *strays) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.found...)
}

func (s *strays) requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.asked...)
}
