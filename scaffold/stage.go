package scaffold

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/llm"
	"keylane/host/session"
	"keylane/replay"
	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
	"keylane/scaffold/fault"
	"keylane/scaffold/fixture"
	"keylane/scaffold/record/script"
)

// A Stage is what a scenario's functions act on: the page, the host behind it, and what was recorded of both. Its methods end the
// scenario when they cannot do what they say; the failure tells what was awaited and what was seen.
type Stage struct {
	T
	// Page is the open tab, for gestures beyond those below.
	Page *chromium.Page
	// Context bounds everything: it ends when 90 % of the test's time is over.
	Context context.Context
	// Folders are the scenario's own.
	Folders Folders
	// URL is where the page finds the host, without a slash at the end: the host's address, or the proxy's.
	URL string
	// Proxy stands between page and host in a scenario that is Proxied or has Faults; nil for all others.
	Proxy *fault.Proxy
	// Provider is the server of a scenario with a Provider, for what came and how the answers ended; nil for all others.
	Provider *script.Server

	witness   *witness
	scenario  Scenario
	mode      Mode
	recording bool // a provider answers, and what happens becomes a fixture
	world     *world
	host      string // where the host listens, proxy or not
	engine    *chromium.Browser
	agents    agent.Manager
	api       *api.API
	visit     *chromium.Context
	recorded  *replay.Handle // nil without a fixture and while recording
	changed   await.Signal
	strays    strays
	markers   markers
	pinned    pinned
	timeline  timeline
	hostLog   lockedBuffer
	calls     int // of the API, by Call
}

// Mode is what this run is for. Scenarios rarely need it: Drive is the same in every mode.
func (s *Stage) Mode() Mode { return s.mode }

// Open goes to a path of the host, "/" for the start page, and waits until the page is ready: connected, both initial lists in,
// nothing going on.
func (s *Stage) Open(path string) {
	s.Helper()
	s.timeline.note("lane", "open "+path)
	if err := s.Page.Navigate(s.Context, s.URL+path); err != nil {
		s.Fatalf("scaffold: opening %s: %v", path, err)
	}
	s.await(ready())
}

// Reload loads the page again, as a person would with F5, and waits until it is ready.
func (s *Stage) Reload() {
	s.Helper()
	s.timeline.note("lane", "reload")
	if err := s.Page.Reload(s.Context); err != nil {
		s.Fatalf("scaffold: reloading: %v", err)
	}
	s.await(ready())
}

// ReloadAtWork loads the page again while a turn runs, and waits until it is connected and shows the log so far. Whoever calls it has made
// the turn stand still; Reload is for a page that rests.
func (s *Stage) ReloadAtWork() {
	s.Helper()
	s.timeline.note("lane", "reload at work")
	if err := s.Page.Reload(s.Context); err != nil {
		s.Fatalf("scaffold: reloading: %v", err)
	}
	s.await(await.AllOf(
		await.That("the page is connected, has both lists and shows a session", func(v view) (bool, string) {
			met := v.connection == "connected" && v.lists == "loaded" && v.session != ""
			return met, fmt.Sprintf("data-connection is %q, data-lists %q, data-session %q", v.connection, v.lists, v.session)
		}),
		applied(),
	))
}

// Restart closes the host as the end of the program does, boots another one over the same folders, and opens the page again where it was.
// The page is away meanwhile: what it does when it loses its host is another scenario's matter. The new host attaches a session when it is
// next used; until then Events has nothing to read.
func (s *Stage) Restart() {
	s.Helper()
	s.timeline.note("lane", "restart the host")
	path := strings.TrimPrefix(s.Page.URL(), s.URL)
	s.Leave()
	s.replaceHost()
	s.Open(path)
}

// replaceHost closes the host and boots another one over the same folders.
func (s *Stage) replaceHost() {
	s.Helper()
	if err := s.world.reboot(s.Context); err != nil {
		s.Fatalf("%v", err)
	}
	registry, err := s.meet()
	if err != nil {
		s.Fatalf("%v", err)
	}
	if s.recorded == nil {
		return
	}
	if err := s.recorded.Move(registry); err != nil {
		s.Fatalf("%v", err)
	}
}

// Leave takes the open tab to an empty page and waits until the browser has no event stream open any more. With another tab of the host
// open that never comes: the tabs share their streams.
func (s *Stage) Leave() {
	s.Helper()
	if err := s.Page.Navigate(s.Context, "about:blank"); err != nil {
		s.Fatalf("scaffold: leaving the page: %v", err)
	}
	s.await(await.That("the browser has no event stream open", func(view) (bool, string) {
		open := s.openStreams()
		return len(open) == 0, "open: " + strings.Join(open, ", ")
	}))
}

// openStreams are the event streams that pages and workers asked for and that have not ended.
func (s *Stage) openStreams() []string {
	type asked struct{ from, id string }
	open := map[asked]string{}
	for _, event := range s.visit.Feed().All() {
		from := event.Source.Kind + event.Source.Page
		switch data := event.Data.(type) {
		case chromium.Request:
			if strings.HasPrefix(data.URL, s.URL+"/api/events.") {
				open[asked{from, data.ID}] = data.URL
			}
		case chromium.RequestEnd:
			delete(open, asked{from, data.Request.ID})
		}
	}
	return slices.Sorted(maps.Values(open))
}

// Readers is how many event streams the host has open, of both kinds, for all tabs together.
func (s *Stage) Readers() int { return s.api.Readers() }

// Press presses one key for what has the focus, held together with modifiers, as chromium.Page.Press does.
func (s *Stage) Press(combination string) {
	s.Helper()
	if err := s.Page.Press(s.Context, combination); err != nil {
		s.Fatalf("scaffold: pressing %s: %v", combination, err)
	}
}

// Send types a prompt into the composer, with Shift+Enter between its lines, clicks Send and waits until the host has it in a session's
// inbox. It does not wait for the turn: that is Settle.
func (s *Stage) Send(prompt string) {
	s.Helper()
	s.timeline.note("lane", "send "+prompt)
	s.SendBy(func() {
		s.Click(chromium.Role("textbox", "Message the agent"))
		for i, line := range strings.Split(prompt, "\n") {
			if i > 0 {
				s.Press("Shift+Enter")
			}
			if err := s.Page.Type(s.Context, line); err != nil {
				s.Fatalf("scaffold: typing the prompt: %v", err)
			}
		}
		s.Click(chromium.Role("button", "Send message"))
	})
}

// SendBy performs a gesture that sends a prompt, such as a click on one that the page suggests, and waits as Send does.
func (s *Stage) SendBy(gesture func()) {
	s.Helper()
	before := s.prompts()
	gesture()
	s.await(await.That("the host has the prompt", func(v view) (bool, string) {
		return v.prompts > before, fmt.Sprintf("%d prompts are in its sessions, %d were there before", v.prompts, before)
	}))
}

// Fill gives the tokens of a fixture's text, such as {{cwd}}, the values of this run.
func (s *Stage) Fill(text string) string {
	return string(fixture.Fill([]byte(text), fixture.Values{Cwd: s.Folders.Workspace, Home: s.Folders.Home}))
}

// Click clicks the one element that the query finds.
func (s *Stage) Click(query chromium.Query) {
	s.Helper()
	if err := s.Page.Click(s.Context, query); err != nil {
		s.Fatalf("scaffold: clicking %s: %v", query, err)
	}
}

// WaitFor waits until the query finds its one element.
func (s *Stage) WaitFor(query chromium.Query) chromium.Element {
	s.Helper()
	element, err := s.Page.WaitFor(s.Context, query)
	if err != nil {
		s.Fatalf("scaffold: waiting for %s: %v", query, err)
	}
	return element
}

// Settle is the barrier: every agent is idle and flushed, and the page has applied and rendered everything that the host said.
func (s *Stage) Settle() {
	s.Helper()
	s.await(settled())
	if err := s.agents.WhenIdle(s.Context); err != nil {
		s.Fatalf("scaffold: waiting until the host is idle and its logs are durable: %v", err)
	}
	s.await(settled())
	s.timeline.note("lane", "settled")
}

// Reach waits until the replay has come to a marker of the fixture's override, and the page shows everything that led there. It fails at
// once for a marker that the override does not have, and when no turn is open that could still reach it. A provider that answers
// while recording has no markers; there the scenario goes on at once, so it says first with AwaitEvent what must have come.
func (s *Stage) Reach(marker string) {
	s.Helper()
	if s.recording {
		return
	}
	if s.recorded == nil || !slices.Contains(s.recorded.Markers(), marker) {
		s.Fatalf("scaffold: no hang of fixtures/%s/override.yml has the marker %q, so it cannot be reached", s.scenario.Name, marker)
	}
	s.await(await.AllOf(
		whileRunning(fmt.Sprintf("the replay has reached its marker %q", marker), func(v view) (bool, string) {
			return slices.Contains(v.markers, marker), "it has reached: " + strings.Join(v.markers, ", ")
		}),
		applied(),
	))
	s.timeline.note("lane", "reached "+marker)
}

// AwaitEvent waits, while a turn runs, until the open session's log holds an event of which met is true and the page has applied the log so
// far. It fails at once when no turn is open and there is no such event. Description completes "waiting until the log holds ...".
func (s *Stage) AwaitEvent(description string, met func(session.Event) bool) {
	s.Helper()
	s.await(await.AllOf(
		whileRunning("the log holds "+description, func(v view) (bool, string) {
			if v.log == nil {
				return false, "the page shows no session that the host has"
			}
			for _, event := range v.log.Events(0, v.length) {
				if met(event) {
					return true, ""
				}
			}
			return false, fmt.Sprintf("none of its %d events is", v.length)
		}),
		applied(),
	))
	s.timeline.note("lane", "saw "+description)
}

// AwaitLogged waits until the open session's log holds an event of which met is true, whatever the page knows of it: it is for a line that
// keeps things from the page. Description completes "waiting until the log holds ...".
func (s *Stage) AwaitLogged(description string, met func(session.Event) bool) {
	s.Helper()
	s.await(await.That("the log holds "+description, func(v view) (bool, string) {
		if v.log == nil {
			return false, "the page shows no session that the host has"
		}
		return slices.ContainsFunc(v.log.Events(0, v.length), met), fmt.Sprintf("none of its %d events is", v.length)
	}))
	s.timeline.note("lane", "the log holds "+description)
}

// SessionID is the id of the session that the page shows.
func (s *Stage) SessionID() string {
	s.Helper()
	id, _ := s.Page.RootAttribute("data-session")
	if id == "" {
		s.Fatalf("scaffold: the page shows no session; its address is %s", s.Page.URL())
	}
	return id
}

// Events returns the open session's log.
func (s *Stage) Events() []session.Event {
	s.Helper()
	return s.log().Events(0, -1)
}

func (s *Stage) log() *session.Log {
	s.Helper()
	id := s.SessionID()
	open, ok := s.agents.Get(id)
	if !ok {
		s.Fatalf("scaffold: the page shows session %s, which the host does not have attached", id)
	}
	return open.Log()
}

// Requests are the model requests that the host made so far, in order.
func (s *Stage) Requests() []llm.Request { return s.strays.requests() }

// prompts counts what people have sent to all sessions of the host: messages waiting in inboxes and messages in logs.
func (s *Stage) prompts() int {
	count := 0
	for _, attached := range s.agents.Attached() {
		for _, event := range attached.Log().Events(0, -1) {
			if event.Type == session.TypeInboxSpliced && strings.Contains(string(event.Data), `"kind":"user"`) {
				count++
			}
		}
	}
	return count
}

// BrowserPID is the process id of the Chromium that shows the page, which is also its process group. It is for scenarios about
// Chromium's end; the next scenario gets a new Chromium.
func (s *Stage) BrowserPID() int { return s.engine.PID() }

// mark takes note that the replay has reached a marker.
func (s *Stage) mark(name string) {
	s.markers.add(name)
	s.changed.Notify()
}

// markers are the markers that the replay has reached, in order.
type markers struct {
	mu    sync.Mutex // guards names
	names []string
}

func (m *markers) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names = append(m.names, name)
}

func (m *markers) list() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.names)
}
