package session

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Follower computes event by event, and in memory that does not grow with the log, what a log amounts to: its projection, and what would
// close what it leaves open. What it knows can be written down (MarshalJSON) and taken up again in another process.
//
// It takes events as they come and checks only what one event tells by itself; whether they follow each other is for who reads them.
type Follower struct {
	projector *projector
	open      []Event // what closing the open turn needs, from its start; nil when none is open
	compacts  []Event // what closing the open compaction needs, from its start; nil when none is open
	length    int64
	time      int64 // of the last event
}

// Follow begins with an empty log of this header.
func Follow(h Header) *Follower { return &Follower{projector: newProjector(h)} }

// FollowFrom begins in the middle of a log, at event seq, to Check or Pass what comes; what it would say of the whole log means nothing.
func FollowFrom(h Header, seq int64) *Follower {
	return &Follower{projector: newProjector(h), length: seq}
}

// Check says whether e can be part of a log at this place, as far as it tells by itself: its seq and envelope, and for a message its shape.
func (f *Follower) Check(e Event) error {
	if err := checkEnvelope(e, f.length); err != nil {
		return err
	}
	if !IsSurface(e.Type) {
		_, err := (*surface)(nil).check(e)
		return err
	}
	if e.SurfaceOp == nil {
		return fmt.Errorf("session: event %d (%s): surfaceOp is missing", e.Seq, e.Type)
	}
	_, _, err := MessageOf(e)
	return err
}

// Add takes the next event.
func (f *Follower) Add(e Event) {
	f.projector.add(e)
	f.length, f.time = e.Seq+1, e.Time
	switch e.Type {
	case TypeTurnStart:
		f.open = []Event{e}
	case TypeTurnEnd:
		f.open = nil
	case TypeStepStart, TypeStepEnd, TypeAssistantMessage, TypeToolCall, TypeToolResult:
		if f.open != nil {
			f.open = append(f.open, e)
		}
	case TypeCompactionStart:
		f.compacts = []Event{e}
	case TypeCompactionEnd:
		f.compacts = nil
	case TypeUserMessage:
		if f.compacts != nil {
			f.compacts = append(f.compacts, e)
		}
	}
}

// Pass takes the next event only to count it.
func (f *Follower) Pass(e Event) { f.length, f.time = e.Seq+1, e.Time }

// Length is the number of events taken.
func (f *Follower) Length() int64 { return f.length }

// Projection is what the events so far amount to; see Project.
func (f *Follower) Projection() Projection { return f.projector.snapshot() }

// Closing gives the events that Repair would add; nil for a log that leaves nothing open.
func (f *Follower) Closing() []Event { return closing(f.open, f.compacts, f.length, f.time) }

// Clone is a follower that goes on by itself.
func (f *Follower) Clone() *Follower {
	p := &projector{seedLength: f.projector.seedLength, now: f.projector.snapshot(), asked: map[string]string{}}
	for id, scope := range f.projector.asked {
		p.asked[id] = scope
	}
	return &Follower{projector: p, open: slices.Clone(f.open), compacts: slices.Clone(f.compacts), length: f.length, time: f.time}
}

// followed is what a Follower writes down.
type followed struct {
	SeedLength int64             `json:"seedLength"`
	Projection Projection        `json:"projection"`
	Asked      map[string]string `json:"asked,omitempty"`
	Open       []Event           `json:"open,omitempty"`
	Compacts   []Event           `json:"compacts,omitempty"`
	Length     int64             `json:"length"`
	Time       int64             `json:"time"`
}

// MarshalJSON writes down what UnmarshalJSON takes up. The form is for caches: it changes with the program.
func (f *Follower) MarshalJSON() ([]byte, error) {
	return marshalPlain(followed{f.projector.seedLength, f.projector.now, f.projector.asked, f.open, f.compacts, f.length, f.time})
}

// UnmarshalJSON takes up what MarshalJSON wrote.
func (f *Follower) UnmarshalJSON(text []byte) error {
	var in followed
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*f = Follower{projector: &projector{seedLength: in.SeedLength, now: in.Projection, asked: in.Asked}, open: in.Open, compacts: in.Compacts, length: in.Length, time: in.Time}
	return nil
}
