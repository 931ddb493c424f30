package contract

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"keylane/host/persistence"
	"keylane/host/session"
)

// locking: what writes takes the session for its host, what reads does not need it and says who has it.
func locking(t *testing.T, opener Opener) {
	first, second := open(t, opener), open(t, opener)
	create(t, first, "s", turn(0)...)
	_, _, loaded := second.Load(background, "s")
	_, repaired := second.Repair(background, "s")
	for name, err := range map[string]error{
		"load": loaded, "append": second.Append(background, "s", turn(3)), "delete": second.Delete(background, "s"), "repair": repaired,
	} {
		var locked *persistence.LockedError
		if !errors.As(err, &locked) || !errors.Is(err, persistence.ErrLocked) || locked.Holder.PID == 0 || locked.Holder.Since == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, events, err := second.Inspect(background, "s"); err != nil || len(events) != 3 {
		t.Errorf("a held session cannot be inspected: %d events, %v", len(events), err)
	}
	for name, c := range map[string]struct {
		store persistence.Store
		other bool
	}{"the holder": {first, false}, "another host": {second, true}} {
		page, err := c.store.Page(background, "s", -1, 9)
		if err != nil || (page.LockedBy != nil) != c.other || len(page.Events) != 3 {
			t.Errorf("%s: page of %d events, held by %v, %v", name, len(page.Events), page.LockedBy, err)
		}
		entries, err := c.store.List(background)
		if err != nil || len(entries) != 1 || (entries[0].LockedBy != nil) != c.other || entries[0].Problem != nil {
			t.Errorf("%s: %+v, %v", name, entries, err)
		}
	}
	release(t, first, "s")
	release(t, first, "s") // a second time does nothing
	release(t, first, "nobody")
	if err := second.Append(background, "s", turn(3)); err != nil {
		t.Fatalf("a released session is not free: %v", err)
	}
	if err := first.Append(background, "s", turn(3)); !errors.Is(err, persistence.ErrLocked) {
		t.Errorf("the first host writes what it has released: %v", err)
	}
	if err := second.Close(background); err != nil {
		t.Fatal(err)
	}
	if _, events, err := first.Load(background, "s"); err != nil || len(events) != 6 {
		t.Errorf("closing does not release: %d events, %v", len(events), err)
	}
	if err := first.Delete(background, "s"); err != nil {
		t.Fatal(err)
	}
	third := open(t, opener)
	create(t, third, "s", turn(0)...)
}

func paging(t *testing.T, opener Opener) {
	store := open(t, opener)
	want := []session.Event{{Type: "before", Seq: 0, Time: 1, Data: json.RawMessage("1")}}
	create(t, store, "s", want...)
	for range 40 {
		more := turn(int64(len(want)))
		if err := store.Append(background, "s", more); err != nil {
			t.Fatal(err)
		}
		want = append(want, more...)
	}
	release(t, store, "s")
	for name, reader := range map[string]persistence.Store{"the same host": store, "another one": open(t, opener)} {
		for _, turns := range []int{1, 7, 40, 100} {
			var got []session.Event
			for before := int64(-1); ; {
				page, err := reader.Page(background, "s", before, turns)
				if err != nil || page.Header != header("s") || page.Length != int64(len(want)) || page.Stored != page.Length || page.Projection.Turns != 40 {
					t.Fatalf("%s: page before %d: %+v, %v", name, before, page, err)
				}
				start, end, more := session.TurnPage(want, before, turns)
				if !reflect.DeepEqual(page.Events, want[start:end]) || page.HasMore != more {
					t.Fatalf("%s: the page of %d turns before %d has %d events, more: %v; want [%d,%d), %v", name, turns, before, len(page.Events), page.HasMore, start, end, more)
				}
				got = append(append([]session.Event{}, page.Events...), got...)
				if !page.HasMore {
					break
				}
				before = start
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: pages of %d turns do not add up to the log", name, turns)
			}
		}
	}
	if page, err := store.Page(background, "s", 0, 1); err != nil || len(page.Events) != 0 || page.HasMore {
		t.Errorf("the page before the start: %+v, %v", page, err)
	}
	if _, err := store.Page(background, "nobody", -1, 1); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("a page of nobody: %v", err)
	}
}

func openTurnPage(t *testing.T, opener Opener) {
	store := open(t, opener)
	create(t, store, "s", append(turn(0), turn(3)[:2]...)...)
	page, err := store.Page(background, "s", -1, 1)
	if err != nil || len(page.Events) != 2 || page.Projection.OpenTurn == 0 || page.Length != 5 {
		t.Errorf("the host that has it open: %+v, %v", page, err)
	}
	if page, err = open(t, opener).Page(background, "s", -1, 1); err != nil || len(page.Events) != 2 || page.Projection.OpenTurn == 0 {
		t.Errorf("another host, while it is open: %+v, %v", page, err)
	}
	release(t, store, "s")
	page, err = open(t, opener).Page(background, "s", -1, 1)
	if err != nil || len(page.Events) != 3 || page.Events[2].Type != session.TypeTurnEnd || page.Projection.OpenTurn != 0 || page.Length != 6 || page.Stored != 5 {
		t.Errorf("when nobody has it open: %+v, %v", page, err)
	}
	if page, err = open(t, opener).Page(background, "s", 3, 1); err != nil || len(page.Events) != 3 || page.Projection.OpenTurn != 0 {
		t.Errorf("an older page: %+v, %v", page, err)
	}
	if length, err := open(t, opener).Length(background, "s"); err != nil || length != 5 {
		t.Errorf("looking changed it: %d events, %v", length, err)
	}
}

func activity(t *testing.T, opener Opener) {
	store := open(t, opener)
	said := func(seq, time int64, kind string) session.Event {
		return session.Event{Type: session.TypeUserMessage, Seq: seq, Time: time, SurfaceOp: &session.SurfaceOp{},
			Data: json.RawMessage(`{"id":"m","role":"user","content":[],"source":{"kind":"` + kind + `","plugin":"p"}}`)}
	}
	create(t, store, "used", append(turn(0), said(3, 700, "user"), said(4, 900, "plugin"),
		session.Event{Type: session.TypeTitle, Seq: 5, Time: 950, Data: json.RawMessage(`{"title":"Named","messageSeqs":[3],"source":{"kind":"user"}}`)})...)
	create(t, store, "blank", session.Event{Type: "x", Seq: 0, Time: 800, Data: json.RawMessage("1")})
	var revisions [2]string // of the session that is used, now and at the check before
	check := func(who string, reader persistence.Store, title string, last int64) {
		t.Helper()
		entries, err := reader.List(background)
		if err != nil || len(entries) != 2 {
			t.Fatalf("%s: %+v, %v", who, entries, err)
		}
		for _, e := range entries {
			if e.Header.ID == "used" {
				revisions = [2]string{e.Revision, revisions[0]}
			}
			switch {
			case e.Header.ID == "used" && (e.Title != title || e.LastActivity != last || e.Blank):
				t.Errorf("%s: %+v", who, e)
			case e.Header.ID == "blank" && (e.Title != "" || e.LastActivity != 5 || !e.Blank):
				t.Errorf("%s: %+v", who, e)
			}
		}
	}
	check("the host that wrote", store, "Named", 700)
	check("another host", open(t, opener), "Named", 700)
	if revisions[0] != revisions[1] || revisions[0] == "" {
		t.Errorf("nothing was written, and the revision goes from %q to %q", revisions[1], revisions[0])
	}
	if err := store.Append(background, "used", []session.Event{said(6, 2000, "user")}); err != nil {
		t.Fatal(err)
	}
	check("the host that wrote more", store, "Named", 2000)
	if revisions[0] == revisions[1] {
		t.Errorf("something was written, and the revision is still %q", revisions[0])
	}
	check("another host, later", open(t, opener), "Named", 2000)
}

func damaged(t *testing.T, place Place) {
	store := open(t, place.Open)
	create(t, store, "s", turn(0)...)
	create(t, store, "sound", turn(0)...)
	for from := int64(3); from < 15; from += 3 {
		if err := store.Append(background, "s", turn(from)); err != nil {
			t.Fatal(err)
		}
	}
	release(t, store, "s")
	place.Damage(t, "s", 6)
	store = open(t, place.Open)
	var found *persistence.Damage
	if _, _, err := store.Load(background, "s"); !errors.As(err, &found) || found.Seq != 6 || found.Path == "" || found.Row == 0 || found.Reason == "" || found.LostBytes == 0 {
		t.Fatalf("load: %v (%+v)", err, found)
	}
	want := append(turn(0), turn(3)...)
	h, events, err := store.Inspect(background, "s")
	if !errors.As(err, &found) || h != header("s") || !reflect.DeepEqual(events, want) {
		t.Errorf("inspect: %d events, %v", len(events), err)
	}
	page, err := store.Page(background, "s", -1, 1)
	if err != nil || page.Damage == nil || *page.Damage != *found || !reflect.DeepEqual(page.Events, turn(3)) || !page.HasMore || page.LockedBy != nil {
		t.Errorf("page: %+v, %v", page, err)
	}
	entries, err := store.List(background)
	if err != nil || len(entries) != 2 {
		t.Errorf("list: %+v, %v", entries, err)
	}
	for _, e := range entries {
		if damaged := errors.As(e.Problem, &found); damaged != (e.Header.ID == "s") {
			t.Errorf("listed as %+v", e)
		}
	}
	done, err := store.Repair(background, "s")
	if err != nil || done.Damage == nil || done.Length != 6 || done.Backup == "" {
		t.Fatalf("repair: %+v, %v", done, err)
	}
	again, err := store.Repair(background, "s")
	if err != nil || again.Damage != nil || again.Backup != "" {
		t.Errorf("a second repair: %+v, %v", again, err)
	}
	other := open(t, place.Open)
	if err := other.Append(background, "s", turn(6)); err != nil {
		t.Fatalf("the repaired session: %v", err)
	}
	wantStored(t, other, "s", append(want, turn(6)...))
	if err := other.Delete(background, "s"); err != nil {
		t.Error(err)
	}
}

func torn(t *testing.T, place Place) {
	store := open(t, place.Open)
	create(t, store, "s", turn(0)...)
	if err := store.Append(background, "s", turn(3)); err != nil {
		t.Fatal(err)
	}
	release(t, store, "s")
	place.Tear(t, "s")
	store = open(t, place.Open)
	_, before, err := store.Inspect(background, "s")
	if err != nil || len(before) < 3 || len(before) > 5 || !reflect.DeepEqual(before[:3], turn(0)) {
		t.Fatalf("inspect: %+v, %v", before, err)
	}
	if page, err := store.Page(background, "s", -1, 9); err != nil || page.Damage != nil || page.Stored != int64(len(before)) || page.Projection.OpenTurn != 0 {
		t.Errorf("page: %+v, %v", page, err)
	}
	if got := ids(t, store); len(got) != 1 {
		t.Errorf("listed: %q", got)
	}
	_, events, err := store.Load(background, "s")
	if err != nil || len(events) < len(before) {
		t.Fatalf("load: %d events, %v", len(events), err)
	}
	if err := store.Append(background, "s", turn(int64(len(events)))); err != nil {
		t.Fatal(err)
	}
	release(t, store, "s")
	wantStored(t, open(t, place.Open), "s", append(events, turn(int64(len(events)))...))
}
