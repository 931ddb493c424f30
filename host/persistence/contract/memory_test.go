package contract_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keylane/host/persistence"
	"keylane/host/persistence/contract"
	"keylane/host/session"
)

// mutant names a way in which the store below breaks the contract; "" for none.
var mutant = flag.String("mutant", "", "which mistake the store in memory makes")

// TestTheSuiteSeesEveryMutant runs the suite again on a store that makes one mistake, in a process of its own because it must fail there.
func TestTheSuiteSeesEveryMutant(t *testing.T) {
	if *mutant != "" {
		t.Skip("this is one of the mutants")
	}
	for name, sees := range map[string]string{
		"no lock":              "one_host_at_a_time",
		"lock never released":  "one_host_at_a_time",
		"locked out silently":  "one_host_at_a_time",
		"pages lose an event":  "pages_cover_a_session_once",
		"cut turn stays open":  "a_page_shows_a_cut_turn",
		"damage is loaded":     "a_damaged_log",
		"repair keeps no copy": "a_damaged_log",
		"pick-up is activity":  "a_list_tells",
		"no revisions":         "a_list_tells",
		"append overwrites":    "append_wants_the_next_seq",
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command(os.Args[0], "-test.run=TestTheSuiteKnowsNothingOfFiles", "-mutant="+name)
			output, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "--- FAIL: TestTheSuiteKnowsNothingOfFiles/"+sees) {
				t.Errorf("the suite does not see it: %v\n%s", err, output)
			}
		})
	}
}

// TestTheSuiteKnowsNothingOfFiles runs it against sessions in memory: what it demands can be had without any of the means of package jsonl.
func TestTheSuiteKnowsNothingOfFiles(t *testing.T) {
	contract.Run(t, func(*testing.T) contract.Place {
		place := &memory{kept: map[string]*kept{}, holders: map[string]*host{}}
		return contract.Place{
			Open: func() (persistence.Store, error) {
				return &host{place: place, created: map[string]session.Header{}}, nil
			},
			Damage: func(t *testing.T, id string, seq int64) { place.kept[id].damagedAt = seq },
			Tear:   func(t *testing.T, id string) { k := place.kept[id]; k.events = k.events[:len(k.events)-1] },
		}
	})
}

// memory is the place: what several hosts share. Its lock guards everything in it and in its hosts.
type memory struct {
	mu      sync.Mutex
	kept    map[string]*kept
	holders map[string]*host
}

type kept struct {
	header    session.Header
	events    []session.Event
	damagedAt int64 // 0 for not
	written   time.Time
}

func (k *kept) readable() []session.Event {
	if k.damagedAt > 0 {
		return k.events[:k.damagedAt:k.damagedAt]
	}
	return slices.Clip(k.events)
}

func (k *kept) damage(place string) *persistence.Damage {
	if k.damagedAt == 0 {
		return nil
	}
	lost := len(k.events) - int(k.damagedAt)
	return &persistence.Damage{Path: place, Row: int(k.damagedAt) + 2, Seq: k.damagedAt, LostRows: lost, LostBytes: int64(lost), Reason: "spoiled"}
}

type host struct {
	place   *memory
	created map[string]session.Header
	closed  bool
}

var started = time.Now()

// begin takes the place for one operation; the caller leaves by unlocking. With write it takes the session's lock too.
func (h *host) begin(ctx context.Context, id string, write bool) (*kept, error) {
	h.place.mu.Lock()
	k := h.place.kept[id]
	_, created := h.created[id]
	switch other := h.place.holders[id]; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case h.closed:
		return nil, persistence.ErrClosed
	case k == nil && !created:
		return nil, fmt.Errorf("session %q: %w", id, persistence.ErrNotFound)
	case write && !created && k != nil && other != nil && other != h && *mutant != "no lock":
		return nil, fmt.Errorf("session %q: %w", id, &persistence.LockedError{Holder: *other.sign()})
	case write && !created && k != nil:
		h.place.holders[id] = h
	}
	return k, nil
}

func (h *host) sign() *persistence.Holder {
	return &persistence.Holder{PID: 1, HostStartedAt: started.UnixMilli(), Since: started.UnixMilli()}
}

func (h *host) Create(_ context.Context, header session.Header) error {
	h.place.mu.Lock()
	defer h.place.mu.Unlock()
	_, created := h.created[header.ID]
	switch {
	case h.closed:
		return persistence.ErrClosed
	case header.Validate() != nil:
		return header.Validate()
	case created || h.place.kept[header.ID] != nil:
		return persistence.ErrExists
	}
	h.created[header.ID] = header
	return nil
}

func (h *host) Append(ctx context.Context, id string, events []session.Event) error {
	k, err := h.begin(ctx, id, true)
	defer h.place.mu.Unlock()
	if err != nil {
		return err
	}
	header, created := h.created[id]
	var have []session.Event
	switch {
	case created && k != nil:
		return persistence.ErrExists
	case k != nil && k.damage("") != nil:
		return k.damage(h.Locate(k.header))
	case k != nil:
		have = k.events
	}
	for i, e := range events {
		if e.Seq != int64(len(have)+i) && *mutant != "append overwrites" {
			return fmt.Errorf("append seq mismatch for %q: %d at %d", id, e.Seq, len(have)+i)
		}
		if _, err := session.AppendRows(nil, events[i:i+1], session.WriteOptions{}); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	if k == nil {
		k = &kept{header: header}
		h.place.kept[id], h.place.holders[id] = k, h
		delete(h.created, id)
	}
	k.events, k.written = slices.Concat(have, events), time.Now()
	return nil
}

func (h *host) Length(ctx context.Context, id string) (int64, error) {
	_, events, err := h.Inspect(ctx, id)
	var damage *persistence.Damage
	if errors.As(err, &damage) {
		err = nil
	}
	return int64(len(events)), err
}

func (h *host) Load(ctx context.Context, id string) (session.Header, []session.Event, error) {
	k, err := h.begin(ctx, id, true)
	defer h.place.mu.Unlock()
	switch {
	case err != nil:
		return session.Header{}, nil, err
	case k == nil:
		return h.created[id], nil, nil
	case k.damage("") != nil && *mutant != "damage is loaded":
		delete(h.place.holders, id)
		return session.Header{}, nil, k.damage(h.Locate(k.header))
	}
	k.events = slices.Concat(k.events, session.Repair(k.header, k.events))
	return k.header, k.events, nil
}

func (h *host) Release(_ context.Context, id string) error {
	h.place.mu.Lock()
	defer h.place.mu.Unlock()
	h.release(id)
	return nil
}

func (h *host) release(id string) {
	if *mutant == "lock never released" {
		return
	}
	if h.place.holders[id] == h {
		delete(h.place.holders, id)
	}
}

func (h *host) Inspect(ctx context.Context, id string) (session.Header, []session.Event, error) {
	k, err := h.begin(ctx, id, false)
	defer h.place.mu.Unlock()
	switch {
	case err != nil:
		return session.Header{}, nil, err
	case k == nil:
		return h.created[id], nil, nil
	case k.damage("") != nil:
		return k.header, k.readable(), k.damage(h.Locate(k.header))
	}
	return k.header, k.readable(), nil
}

func (h *host) Page(ctx context.Context, id string, beforeSeq int64, turns int) (persistence.Page, error) {
	k, err := h.begin(ctx, id, false)
	defer h.place.mu.Unlock()
	if err != nil {
		return persistence.Page{}, err
	}
	if k == nil {
		k = &kept{header: h.created[id]}
	}
	events := k.readable()
	page := persistence.Page{Header: k.header, Stored: int64(len(events)), Damage: k.damage(h.Locate(k.header))}
	holder := h.place.holders[id]
	if holder == nil && *mutant != "cut turn stays open" {
		events = slices.Concat(events, session.Repair(k.header, events))
	} else if holder != nil && holder != h && *mutant != "locked out silently" {
		page.LockedBy = holder.sign()
	}
	start, end, more := session.TurnPage(events, beforeSeq, turns)
	page.Events, page.HasMore, page.Length, page.Projection = events[start:end], more, int64(len(events)), session.Project(k.header, events)
	if *mutant == "pages lose an event" && len(page.Events) > 0 {
		page.Events = page.Events[1:]
	}
	return page, nil
}

func (h *host) List(ctx context.Context) ([]persistence.Entry, error) {
	h.place.mu.Lock()
	defer h.place.mu.Unlock()
	if h.closed || ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), map[bool]error{true: persistence.ErrClosed}[h.closed])
	}
	var out []persistence.Entry
	for id, k := range h.place.kept {
		p := session.Project(k.header, k.readable())
		entry := persistence.Entry{Header: k.header, Path: h.Locate(k.header), Size: int64(len(k.events)), ModTime: k.written,
			Title: p.Title, LastActivity: p.LastActivity, Blank: p.Blank, Revision: fmt.Sprint(k.written.UnixNano(), len(k.events))}
		if *mutant == "pick-up is activity" {
			entry.LastActivity = k.events[len(k.events)-1].Time
		}
		if *mutant == "no revisions" {
			entry.Revision = "1"
		}
		if d := k.damage(entry.Path); d != nil {
			entry.Problem = d
		}
		if holder := h.place.holders[id]; holder != nil && holder != h {
			entry.LockedBy = holder.sign()
		}
		out = append(out, entry)
	}
	return out, nil
}

func (h *host) Locate(header session.Header) string { return "memory:" + header.ID }

func (h *host) Repair(ctx context.Context, id string) (persistence.Repaired, error) {
	k, err := h.begin(ctx, id, true)
	defer h.place.mu.Unlock()
	if err != nil || k == nil {
		return persistence.Repaired{}, err
	}
	defer h.release(id)
	d := k.damage(h.Locate(k.header))
	if d == nil {
		return persistence.Repaired{Length: int64(len(k.events))}, nil
	}
	k.events = slices.Concat(k.readable(), session.Repair(k.header, k.readable()))
	k.damagedAt = 0
	if *mutant == "repair keeps no copy" {
		return persistence.Repaired{Damage: d, Length: int64(len(k.events))}, nil
	}
	return persistence.Repaired{Damage: d, Backup: "copy of " + id, Length: int64(len(k.events))}, nil
}

func (h *host) Delete(ctx context.Context, id string) error {
	_, err := h.begin(ctx, id, true)
	defer h.place.mu.Unlock()
	if err != nil {
		return err
	}
	delete(h.place.kept, id)
	delete(h.created, id)
	h.release(id)
	return nil
}

func (h *host) Close(context.Context) error {
	h.place.mu.Lock()
	defer h.place.mu.Unlock()
	h.closed = true
	for id := range h.place.kept {
		h.release(id)
	}
	return nil
}
