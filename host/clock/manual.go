package clock

import (
	"container/heap"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Manual is a Clock that stands still. Time moves only through Advance; identifiers and random numbers come from a seed, so that two
// Manual clocks with the same start and seed answer the same calls alike. Calls from several goroutines draw from one sequence: the
// set of identifiers is determined then, who gets which is not.
type Manual struct {
	mu     sync.Mutex // guards everything below
	now    time.Time
	random *rand.Rand
	timers timerHeap
	order  uint64
	added  chan struct{} // closed and replaced when a timer is added
}

// NewManual makes a clock that stands at start.
func NewManual(start time.Time, seed int64) *Manual {
	return &Manual{now: start, random: rand.New(rand.NewPCG(uint64(seed), 0x6b65796c616e65)), added: make(chan struct{})}
}

// Now is the time the clock stands at.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock forward by d and fires the timers that became due, earliest first. It panics on a negative d: time that
// goes backwards is a mistake in the test.
func (m *Manual) Advance(d time.Duration) {
	if d < 0 {
		panic("clock: Advance with a negative duration")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	for len(m.timers) > 0 && !m.timers[0].due.After(m.now) {
		timer := heap.Pop(&m.timers).(*manualTimer)
		timer.channel <- timer.due // has room for one, and a timer fires once
	}
}

// Timers is how many timers wait.
func (m *Manual) Timers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.timers)
}

// AwaitTimers returns when at least count timers wait at the same time, or with ctx's error. A test uses it to know that the code under test
// has reached its wait, before it calls Advance.
func (m *Manual) AwaitTimers(ctx context.Context, count int) error {
	for {
		m.mu.Lock()
		enough, added := len(m.timers) >= count, m.added
		m.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-added:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// After starts a timer that fires when Advance reaches it; see Clock.
func (m *Manual) After(d time.Duration) (<-chan time.Time, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.order++
	timer := &manualTimer{due: m.now.Add(d), order: m.order, channel: make(chan time.Time, 1), index: -1}
	if d <= 0 {
		timer.channel <- m.now
		return timer.channel, func() {}
	}
	heap.Push(&m.timers, timer)
	close(m.added)
	m.added = make(chan struct{})
	return timer.channel, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if timer.index >= 0 {
			heap.Remove(&m.timers, timer.index)
		}
	}
}

// NewID is the next identifier of the seeded sequence; see Clock.
func (m *Manual) NewID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var id uuid.UUID
	binary.LittleEndian.PutUint64(id[:8], m.random.Uint64())
	binary.LittleEndian.PutUint64(id[8:], m.random.Uint64())
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // the variant of RFC 9562
	return id.String()
}

// Float64 is the next number of the seeded sequence; see Clock.
func (m *Manual) Float64() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.Float64()
}

type manualTimer struct {
	due     time.Time
	order   uint64 // of creation: timers that are due at the same time fire in this order
	channel chan time.Time
	index   int // in the heap, -1 when not in it
}

type timerHeap []*manualTimer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].order < h[j].order
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	timer := x.(*manualTimer)
	timer.index = len(*h)
	*h = append(*h, timer)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	timer := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	timer.index = -1
	return timer
}
