package persistence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/session"
)

// Window is how long an event waits for others before it is written unless WithDelay says otherwise, so that a burst of chunks costs one
// write. It is counted from the first event that waits, not from the last; Flush cuts it short.
const Window = 200 * time.Millisecond

// Delay is how long writers of a composed host wait; see WithDelay.
var Delay = composition.NewService[time.Duration]("persistence-delay")

// Option changes a Writer.
type Option func(*Writer)

// WithDelay replaces Window; zero or less writes every event as soon as it is there.
func WithDelay(d time.Duration) Option { return func(w *Writer) { w.delay = d } }

// Trouble is that a log cannot be stored for now.
type Trouble struct {
	Err error // of the first attempt that failed
	// Stored is how many events are durable; those from this seq on are in memory only.
	Stored int64
}

// WithNotice has notify called when storing begins to fail, and with nil when everything until then is stored after all. It is called in
// order, before any Flush learns of it, and must neither block nor call the writer.
func WithNotice(notify func(*Trouble)) Option { return func(w *Writer) { w.notify = notify } }

// Writer stores the events of one live log in the background. It has a goroutine from Attach to Close.
type Writer struct {
	store  Store
	log    *session.Log
	clock  clock.Clock
	logger *slog.Logger

	stopObserving func()
	wake          chan struct{} // has room for one: there are events to write
	urgent        chan struct{} // has room for one: somebody waits, do not wait for more events
	stop          context.CancelFunc
	done          chan struct{} // closed when the goroutine has ended
	released      atomic.Bool   // by Close
	delay         time.Duration // how long an event waits for others
	notify        func(*Trouble)

	mu       sync.Mutex    // guards what is below
	durable  int64         // events stored
	started  uint64        // attempts to store, begun
	finished uint64        // and ended
	first    error         // of the attempts that failed in a row, nil after a success
	changed  chan struct{} // closed and replaced when an attempt ends
}

// Attach starts to store a log. A session the store does not know is created; events that the log has and the store has not are written
// first. The store must not have more events than the log. Load a stored session first: that takes its lock.
func Attach(store Store, log *session.Log, c clock.Clock, logger *slog.Logger, options ...Option) (*Writer, error) {
	ctx, stop := context.WithCancel(context.Background())
	durable, err := store.Length(ctx, log.ID())
	if errors.Is(err, ErrNotFound) {
		err = store.Create(ctx, log.Header())
	}
	if err == nil && durable > log.Len() {
		err = fmt.Errorf("%d events are stored, the log has only %d", durable, log.Len())
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("persistence: attach %q: %w", log.ID(), err)
	}
	w := &Writer{
		store: store, log: log, clock: c, logger: logger.With("session", log.ID()), stop: stop, durable: durable,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}), delay: Window, notify: func(*Trouble) {},
	}
	for _, option := range options {
		option(w)
	}
	w.stopObserving = log.Observe(func(session.Event) { signal(w.wake) })
	signal(w.wake)
	go w.run(ctx)
	return w, nil
}

func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default: // a signal is pending already
	}
}

// After a failed attempt the next one is made by itself after firstPause, and ever later up to lastPause: a disk that was full has room again
// some time, and the session may say nothing more.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

func (w *Writer) run(ctx context.Context) {
	defer close(w.done)
	var again <-chan time.Time // when what failed is tried again, nil when nothing has
	pause, forget := firstPause, func() {}
	for {
		select {
		case <-ctx.Done():
			forget()
			return
		case <-w.urgent:
		case <-again:
		case <-w.wake:
			if w.written() == w.log.Len() {
				continue
			}
			window, release := w.clock.After(w.delay)
			select {
			case <-ctx.Done():
				release()
				forget()
				return
			case <-w.urgent:
			case <-window:
			}
			release()
		}
		forget()
		if ctx.Err() != nil {
			return
		}
		if w.attempt(ctx) {
			again, pause, forget = nil, firstPause, func() {}
		} else {
			again, forget = w.clock.After(pause)
			pause = min(2*pause, lastPause)
		}
	}
}

func (w *Writer) written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.durable
}

// attempt stores everything the log has beyond what is stored. What fails stays in the log, so the next attempt has it again.
func (w *Writer) attempt(ctx context.Context) (stored bool) {
	w.mu.Lock()
	w.started++
	from, failing := w.durable, w.first != nil // only this goroutine changes them
	w.mu.Unlock()
	batch := w.log.Events(from, -1)
	err := w.store.Append(ctx, w.log.ID(), batch)
	switch {
	case err != nil && !failing:
		w.notify(&Trouble{Err: err, Stored: from})
	case err == nil && failing:
		w.notify(nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished++
	switch {
	case err == nil:
		w.durable += int64(len(batch))
		if w.first != nil {
			w.logger.Info("events are stored again")
		}
		w.first = nil
	case w.first == nil:
		w.first = err
		w.logger.Error("events could not be stored; they are kept in memory and tried again", "error", err, "events", len(batch))
	}
	close(w.changed)
	w.changed = make(chan struct{})
	return err == nil
}

// Flush returns nil when every event the log had at the call is durable. Otherwise it tried, and the error is the first one of the attempts
// that have failed since the last success, also of attempts in the background before the call. The events are kept; a later Flush tries again.
func (w *Writer) Flush(ctx context.Context) error {
	target := w.log.Len()
	w.mu.Lock()
	mine := w.started + 1 // an attempt that has begun already may have looked at the log before our events were in it
	w.mu.Unlock()
	signal(w.urgent)
	for {
		w.mu.Lock()
		durable, finished, first, changed := w.durable, w.finished, w.first, w.changed
		w.mu.Unlock()
		switch {
		case durable >= target:
			return nil
		case finished >= mine && first != nil:
			return fmt.Errorf("persistence: flush %q: %w", w.log.ID(), first)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("persistence: flush %q: %w", w.log.ID(), ctx.Err())
		case <-w.done:
			return fmt.Errorf("persistence: flush %q: writer %w with %d events not stored", w.log.ID(), ErrClosed, target-w.written())
		}
	}
}

// Close flushes, then ends the writer also when that failed, and releases the session in the store. Events appended later are not stored. A second Close only reports whether
// everything is durable. When ctx ends first, Close returns its error and the goroutine ends as soon as the store lets go of it.
func (w *Writer) Close(ctx context.Context) error {
	err := w.Flush(ctx)
	w.stopObserving()
	w.stop()
	select {
	case <-w.done:
	case <-ctx.Done():
		return errors.Join(err, ctx.Err())
	}
	if w.released.CompareAndSwap(false, true) {
		err = errors.Join(err, w.store.Release(ctx, w.log.ID()))
	}
	return err
}
