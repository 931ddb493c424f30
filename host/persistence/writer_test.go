package persistence_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// gate is a real store whose appends can be made to fail or to wait, and are counted.
type gate struct {
	persistence.Store
	mu      sync.Mutex
	failure error
	batches []int
	enter   chan struct{} // if set, receives when an append begins
	leave   chan struct{} // if set, an append waits for it
}

func (g *gate) Append(ctx context.Context, id string, events []session.Event) error {
	if g.enter != nil {
		g.enter <- struct{}{}
	}
	if g.leave != nil {
		<-g.leave
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.batches = append(g.batches, len(events))
	if g.failure != nil {
		return g.failure
	}
	return g.Store.Append(ctx, id, events)
}

func (g *gate) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failure = err
}

func (g *gate) written() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]int{}, g.batches...)
}

type fixture struct {
	store  *gate
	log    *session.Log
	clock  *clock.Manual
	logger *slog.Logger
	output *bytes.Buffer
	root   string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	manual := clock.NewManual(time.UnixMilli(5000), 1)
	root := t.TempDir()
	store, err := jsonl.New(jsonl.Config{Root: root, PackChunks: true}, manual)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(background); err != nil {
			t.Error(err)
		}
	})
	log, err := session.NewLog(session.Header{ID: "s", CreatedAt: 5, Cwd: "/w"}, nil, manual)
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	return &fixture{&gate{Store: store}, log, manual, slog.New(slog.NewTextHandler(&output, nil)), &output, root}
}

func (f *fixture) attach(t *testing.T) *persistence.Writer {
	t.Helper()
	writer, err := persistence.Attach(f.store, f.log, f.clock, f.logger)
	if err != nil {
		t.Fatal(err)
	}
	return writer
}

func (f *fixture) append(t *testing.T, count int) {
	t.Helper()
	for range count {
		if _, err := f.log.Append("x", 1); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) wantStored(t *testing.T, want int64) {
	t.Helper()
	if length, err := f.store.Length(background, "s"); err != nil || length != want {
		t.Errorf("%d events are stored, %v; want %d", length, err, want)
	}
}

func closeWriter(t *testing.T, writer *persistence.Writer) {
	t.Helper()
	if err := writer.Close(background); err != nil {
		t.Error(err)
	}
}

func TestAfterFlushEverythingIsDurable(t *testing.T) {
	f := newFixture(t)
	writer := f.attach(t)
	if err := writer.Flush(background); err != nil { // nothing to do
		t.Error(err)
	}
	f.append(t, 3)
	if err := writer.Flush(background); err != nil {
		t.Fatal(err)
	}
	f.wantStored(t, 3)
	f.append(t, 2)
	closeWriter(t, writer)
	f.wantStored(t, 5)
	if err := writer.Close(background); err != nil {
		t.Errorf("a second close: %v", err)
	}
	f.append(t, 1)
	if err := writer.Flush(background); !errors.Is(err, persistence.ErrClosed) {
		t.Errorf("flush after close: %v", err)
	}
}

func TestABurstIsOneBatchWhenTheWindowEnds(t *testing.T) {
	f := newFixture(t)
	f.store.enter = make(chan struct{})
	writer := f.attach(t)
	f.append(t, 10)
	waitForTimer(t, f.clock)
	f.append(t, 10)
	f.clock.Advance(persistence.Window - 1)
	if got := f.store.written(); len(got) != 0 {
		t.Errorf("written before the window ended: %v", got)
	}
	f.clock.Advance(1)
	<-f.store.enter
	f.store.enter = nil
	closeWriter(t, writer)
	if got := f.store.written(); len(got) == 0 || got[0] != 20 {
		t.Errorf("batches: %v", got)
	}
	f.wantStored(t, 20)
}

// waitForTimer waits until the writer has started its window.
func waitForTimer(t *testing.T, manual *clock.Manual) {
	t.Helper()
	if err := manual.AwaitTimers(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
}

func TestEventsDuringAWriteAreTheNextBatch(t *testing.T) {
	f := newFixture(t)
	f.store.enter, f.store.leave = make(chan struct{}), make(chan struct{})
	writer := f.attach(t)
	f.append(t, 1)
	flushed := make(chan error)
	go func() { flushed <- writer.Flush(background) }()
	<-f.store.enter
	f.append(t, 2)
	go func() { flushed <- writer.Flush(background) }()
	f.store.leave <- struct{}{}
	<-f.store.enter
	f.store.leave <- struct{}{}
	for range 2 {
		if err := <-flushed; err != nil {
			t.Error(err)
		}
	}
	if got := f.store.written(); len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("batches: %v", got)
	}
	go func() { // a drain that has nothing to write may still ask the store
		for range f.store.enter {
			f.store.leave <- struct{}{}
		}
	}()
	closeWriter(t, writer)
	close(f.store.enter)
	f.wantStored(t, 3)
}

func TestWhatFailsIsKeptToldAndTriedAgain(t *testing.T) {
	f := newFixture(t)
	writer := f.attach(t)
	first, second := errors.New("disk full"), errors.New("disk gone")
	f.store.fail(first)
	f.append(t, 2)
	if err := writer.Flush(background); !errors.Is(err, first) {
		t.Errorf("got %v", err)
	}
	f.store.fail(second)
	f.append(t, 1)
	if err := writer.Flush(background); !errors.Is(err, first) {
		t.Errorf("the first failure is not told: %v", err)
	}
	f.store.fail(nil)
	if err := writer.Flush(background); err != nil {
		t.Errorf("after the disk works again: %v", err)
	}
	f.wantStored(t, 3)
	f.store.fail(second)
	f.append(t, 1)
	if err := writer.Close(background); !errors.Is(err, second) {
		t.Errorf("close: %v", err)
	}
	f.wantStored(t, 3)
	if got := f.output.String(); strings.Count(got, "could not be stored") != 2 || !strings.Contains(got, "disk full") {
		t.Errorf("logged: %s", got)
	}
}

// A session may say nothing more after the disk was full: what it has said is stored all the same once there is room.
func TestWhatFailedIsTriedAgainByItselfEverLater(t *testing.T) {
	f := newFixture(t)
	f.store.fail(errors.New("disk full"))
	writer := f.attach(t)
	f.append(t, 2)
	for tries, pause := range []time.Duration{persistence.Window, time.Second, 2 * time.Second, 4 * time.Second} {
		waitForTimer(t, f.clock)
		f.clock.Advance(pause - 1)
		if got := len(f.store.written()); got != tries {
			t.Fatalf("%d tries before %v are over, want %d", got, pause, tries)
		}
		f.clock.Advance(1)
	}
	waitForTimer(t, f.clock)
	f.store.fail(nil)
	f.clock.Advance(8 * time.Second)
	for f.length(t) != 2 { // nobody flushes; the test's deadline ends it
		runtime.Gosched()
	}
	closeWriter(t, writer)
	if got := f.output.String(); strings.Count(got, "could not be stored") != 1 {
		t.Errorf("logged: %s", got)
	}
}

// length is how many events are stored.
func (f *fixture) length(t *testing.T) int64 {
	t.Helper()
	length, err := f.store.Length(background, "s")
	if err != nil {
		t.Fatal(err)
	}
	return length
}

func TestAFailureInTheBackgroundIsToldByTheNextFlush(t *testing.T) {
	f := newFixture(t)
	f.store.enter = make(chan struct{})
	f.store.fail(errors.New("disk full"))
	writer := f.attach(t)
	f.append(t, 1)
	waitForTimer(t, f.clock)
	f.clock.Advance(persistence.Window)
	<-f.store.enter
	go func() { <-f.store.enter }()
	if err := writer.Flush(background); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
	f.store.fail(nil)
	go func() { <-f.store.enter }()
	closeWriter(t, writer)
	f.wantStored(t, 1)
}

func TestAttachWritesWhatTheStoreDoesNotHave(t *testing.T) {
	f := newFixture(t)
	f.append(t, 2)
	closeWriter(t, f.attach(t))
	f.wantStored(t, 2)
	h, events, err := f.store.Load(background, "s")
	if err != nil {
		t.Fatal(err)
	}
	f.log, err = session.NewLog(h, events, f.clock)
	if err != nil {
		t.Fatal(err)
	}
	closeWriter(t, f.attach(t))
	f.wantStored(t, 3) // session/end-seed
	f.log, err = session.NewLog(h, nil, f.clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := persistence.Attach(f.store, f.log, f.clock, f.logger); err == nil {
		t.Error("a log that is behind its store was attached")
	}
}

func TestFlushAndCloseObeyTheirContext(t *testing.T) {
	f := newFixture(t)
	f.store.enter, f.store.leave = make(chan struct{}), make(chan struct{})
	writer := f.attach(t)
	f.append(t, 1)
	ctx, cancel := context.WithCancel(background)
	flushed := make(chan error)
	go func() { flushed <- writer.Flush(ctx) }()
	<-f.store.enter
	cancel()
	if err := <-flushed; !errors.Is(err, context.Canceled) {
		t.Errorf("flush: %v", err)
	}
	if err := writer.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	f.store.leave <- struct{}{}
}

func TestManyAppendersAndFlushersAtOnce(t *testing.T) {
	f := newFixture(t)
	writer := f.attach(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				if _, err := f.log.Append("x", 1); err != nil {
					t.Error(err)
				}
				if err := writer.Flush(background); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	closeWriter(t, writer)
	f.wantStored(t, 80)
}

func TestTheDelayIsAChoiceAndAFlushCutsItShort(t *testing.T) {
	f := newFixture(t)
	writer, err := persistence.Attach(f.store, f.log, f.clock, f.logger, persistence.WithDelay(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	f.append(t, 3)
	waitForTimer(t, f.clock)
	f.clock.Advance(persistence.Window)
	if got := f.store.written(); len(got) != 0 {
		t.Errorf("written before the delay was over: %v", got)
	}
	if err := writer.Flush(background); err != nil {
		t.Fatal(err)
	}
	if got := f.store.written(); len(got) != 1 || got[0] != 3 {
		t.Errorf("batches: %v", got)
	}
	closeWriter(t, writer)
}

// What a writer has open no other host writes; what it has let go anybody may.
func TestAClosedWriterReleasesItsSession(t *testing.T) {
	f := newFixture(t)
	writer := f.attach(t)
	f.append(t, 1)
	if err := writer.Flush(background); err != nil {
		t.Fatal(err)
	}
	other, err := jsonl.New(jsonl.Config{Root: f.root, PackChunks: true}, f.clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.Load(background, "s"); !errors.Is(err, persistence.ErrLocked) {
		t.Errorf("loaded beside the writer: %v", err)
	}
	closeWriter(t, writer)
	if _, events, err := other.Load(background, "s"); err != nil || len(events) != 1 {
		t.Errorf("after the writer was closed: %d events, %v", len(events), err)
	}
	if err := other.Close(background); err != nil {
		t.Error(err)
	}
}
