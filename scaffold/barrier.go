package scaffold

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"keylane/host/session"
	"keylane/scaffold/await"
)

// rootAttributes are what the page says about itself on its root element.
var rootAttributes = []string{"data-applied", "data-host-applied", "data-lists", "data-busy", "data-session", "data-connection"}

// A view is the state that expectations judge: what the host has, what the page says, and what went wrong.
type view struct {
	session, lists, busy, connection string
	applied                          int64  // last seq that the page has rendered; -1 none
	length                           int64  // events in the open session's log; -1 when the host has no such session attached
	hostEpoch                        string // the host stream as the host has it
	hostCursor                       int64
	pageEpoch                        string // the host stream as the page has applied it
	pageCursor                       int64
	running                          []string // sessions with an open turn
	prompts                          int
	log                              *session.Log // of the open session; its events below length never change
	markers                          []string     // that the replay has reached
	losses                           Losses       // that the page has reported
	tripped                          []string
}

// look takes the view: the page first, then the host. In that order "the page has applied everything" cannot be true by mistake,
// because the host only moves forward.
func (s *Stage) look(context.Context) (view, error) {
	attribute := func(name string) string {
		value, _ := s.Page.RootAttribute(name)
		return value
	}
	v := view{
		session: attribute("data-session"), lists: attribute("data-lists"), busy: attribute("data-busy"),
		connection: attribute("data-connection"), applied: -1, length: -1, pageCursor: -1,
	}
	if number, err := strconv.ParseInt(attribute("data-applied"), 10, 64); err == nil {
		v.applied = number
	}
	if epoch, number, ok := cutCursor(attribute("data-host-applied")); ok {
		v.pageEpoch, v.pageCursor = epoch, number
	}
	for _, attached := range s.agents.Attached() {
		if attached.Running() {
			v.running = append(v.running, attached.Log().ID())
		}
		if attached.Log().ID() == v.session {
			v.log, v.length = attached.Log(), attached.Log().Len()
		}
	}
	v.hostEpoch, v.hostCursor = s.api.HostCursor()
	v.prompts = s.prompts()
	v.markers = s.markers.list()
	v.losses = s.reported()
	v.tripped = s.tripped()
	return v, nil
}

// cutCursor splits "<epoch>-<n>"; an epoch may hold dashes of its own.
func cutCursor(cursor string) (epoch string, number int64, ok bool) {
	epoch, digits, ok := cutLast(cursor, "-")
	if !ok {
		return "", 0, false
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	return epoch, number, err == nil
}

// await waits for an expectation, and ends the scenario at once when a tripwire makes waiting pointless.
func (s *Stage) await(expectation await.Expectation[view]) {
	s.Helper()
	awaiter := await.New(s.look, s.Page, s.visit.Feed(), &s.changed, s.engine)
	if err := awaiter.Await(s.Context, await.AllOf(untripped(), expectation)); err != nil {
		s.Fatalf("scaffold: %v", err)
	}
}

// untripped is unmeetable from the first tripwire on.
func untripped() await.Expectation[view] {
	return await.Expectation[view]{
		Description: "no tripwire has tripped",
		Check: func(v view) (await.Verdict, string) {
			if len(v.tripped) > 0 {
				return await.Unmeetable, strings.Join(v.tripped, "; ")
			}
			return await.Met, ""
		},
	}
}

// ready is what a page must be before anybody judges or uses it.
func ready() await.Expectation[view] {
	return await.That("the page is connected, has both lists and is not busy", func(v view) (bool, string) {
		met := v.connection == "connected" && v.lists == "loaded" && v.busy == "false"
		return met, fmt.Sprintf("data-connection is %q, data-lists %q, data-busy %q", v.connection, v.lists, v.busy)
	})
}

func settled() await.Expectation[view] {
	return await.AllOf(
		ready(),
		await.That("no turn is open", func(v view) (bool, string) {
			return len(v.running) == 0, "running: " + strings.Join(v.running, ", ")
		}),
		applied(),
		await.That("the page has applied every host frame", func(v view) (bool, string) {
			met := v.pageEpoch == v.hostEpoch && v.pageCursor >= v.hostCursor
			return met, fmt.Sprintf("it has applied %s-%d, the host is at %s-%d", v.pageEpoch, v.pageCursor, v.hostEpoch, v.hostCursor)
		}),
	)
}

// whileRunning is an expectation that only a running turn can meet: without one it is unmeetable. A view has looked whether turns run
// before it looked at what they left.
func whileRunning(description string, condition func(view) (met bool, seen string)) await.Expectation[view] {
	return await.Expectation[view]{Description: description, Check: func(v view) (await.Verdict, string) {
		switch met, seen := condition(v); {
		case met:
			return await.Met, seen
		case len(v.running) == 0:
			return await.Unmeetable, seen + "; and no turn is open that could change it"
		default:
			return await.Unmet, seen
		}
	}}
}

// applied is a page that shows everything the log holds at the moment.
func applied() await.Expectation[view] {
	return await.That("the page has applied the whole log of the open session", func(v view) (bool, string) {
		met := v.session == "" || v.length < 0 || v.applied == v.length-1
		return met, fmt.Sprintf("it has applied seq %d of %d events of session %s", v.applied, v.length, v.session)
	})
}
