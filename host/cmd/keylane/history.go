package main

import (
	"context"

	"keylane/host/persistence"
	"keylane/host/session"
)

// pageTurns is how many turns are in memory at a time.
const pageTurns = 24

// walk hands all stored events of a session to take, in order and a page of whole turns at a time, so that memory does not grow with the
// log. What is damaged, or what opening the session would add, is not among them. The result is the newest page without its events.
//
// The store reads pages backwards, so a long log is gone through twice: once to learn where its pages begin.
func walk(ctx context.Context, store persistence.Store, id string, take func([]session.Event) error) (persistence.Page, error) {
	newest, err := store.Page(ctx, id, -1, pageTurns)
	if err != nil {
		return persistence.Page{}, err
	}
	last := stored(newest)
	newest.Events = nil
	more, starts := newest.HasMore, []int64(nil)
	for before := newest.Stored; more; {
		if len(starts) == 0 {
			before = last[0].Seq
		}
		starts = append(starts, before)
		page, err := store.Page(ctx, id, before, pageTurns)
		if err != nil {
			return persistence.Page{}, err
		}
		more = page.HasMore
		before = page.Events[0].Seq
	}
	for i := len(starts) - 1; i >= 0; i-- {
		page, err := store.Page(ctx, id, starts[i], pageTurns)
		if err != nil {
			return persistence.Page{}, err
		}
		if err := take(stored(page)); err != nil {
			return persistence.Page{}, err
		}
	}
	return newest, take(last)
}

// stored leaves out what opening the session would add.
func stored(page persistence.Page) []session.Event {
	events := page.Events
	for len(events) > 0 && events[len(events)-1].Seq >= page.Stored {
		events = events[:len(events)-1]
	}
	return events
}

// turns tells of each event to which turn it belongs: 0 before the first.
type turns struct {
	started, now int
}

func (t *turns) of(e session.Event) int {
	if e.Type == session.TypeTurnStart {
		var data session.TurnStart
		t.started++
		t.now = t.started
		if read(e, &data) && data.Turn > 0 {
			t.now = data.Turn
		}
	}
	return t.now
}

// counting has progress told of what take gets, a page at a time.
func (p *progress) counting(of int64, take func([]session.Event) error) func([]session.Event) error {
	done := int64(0)
	return func(events []session.Event) error {
		done += int64(len(events))
		p.say("%s of %s", grouped(done), count(of, "event"))
		return take(events)
	}
}
