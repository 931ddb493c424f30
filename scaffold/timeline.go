package scaffold

import (
	"sort"
	"sync"
	"time"

	"keylane/host/api"
	"keylane/host/session"
)

// An entry is one thing that happened, for the timeline of a report.
type entry struct {
	time   time.Time
	source string // lane, page or log
	text   string
}

// timeline is what the lane did. What the page and the host did is in their own records; a report merges them.
type timeline struct {
	start   time.Time
	mu      sync.Mutex // guards entries
	entries []entry
}

func (t *timeline) note(source, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, entry{time.Now(), source, text})
}

// merged is everything that happened, in order: the lane's gestures, the page's events, the logs of all sessions.
func (s *Stage) merged() []entry {
	s.timeline.mu.Lock()
	all := append([]entry(nil), s.timeline.entries...)
	s.timeline.mu.Unlock()
	if s.visit != nil {
		for _, event := range s.visit.Feed().All() {
			all = append(all, entry{event.Time, "page", event.String()})
		}
	}
	if s.agents != nil {
		for _, attached := range s.agents.Attached() {
			for _, event := range shown(attached.Log()) {
				all = append(all, entry{time.UnixMilli(event.Time), "log", event.Type + " " + shorten(string(event.Data), 200)})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].time.Before(all[j].time) })
	return all
}

// shown is a log as a person may see it: a report is kept and passed on, and a provider's words may echo a key.
func shown(log *session.Log) []session.Event {
	events := log.Events(0, -1)
	for i := range events {
		events[i] = api.DisplaySafe(events[i])
	}
	return events
}

// shorten cuts a long text at a character's border and says so.
func shorten(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && text[bytes]&0xC0 == 0x80 {
		bytes--
	}
	return text[:bytes] + " …"
}
