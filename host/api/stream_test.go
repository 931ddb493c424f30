package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"keylane/host/api"
	"keylane/host/clock"
	"keylane/host/session"

	"github.com/google/go-cmp/cmp"
)

func TestAStreamIsTheBaselineAndThenEveryEventOnce(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.prompt(id, "before")
	w.idle()
	mux := w.open("mux", "")
	opening := mux.until(isCursor)
	if got := methods(opening); got != "session/subscribed session/queue cursor" {
		t.Fatal(got)
	}
	epoch, n := w.api.MuxCursor()
	if opening[2].id != fmt.Sprintf("%s-%d", epoch, n) || opening[0].id != epoch+"-0" {
		t.Errorf("ids %q %q at %s-%d", opening[0].id, opening[2].id, epoch, n)
	}
	a, _ := w.agents.Get(id)
	from := a.Log().Len()
	var subscribed struct{ LastSeq int64 }
	if err := json.Unmarshal(opening[0].Payload, &subscribed); err != nil || subscribed.LastSeq != from-1 {
		t.Errorf("%s, the log has %d events", opening[0].Payload, from)
	}
	w.model.prepare(says("a", "b", "c"))
	w.prompt(id, "after")
	var seqs []int64
	next := n
	for _, b := range mux.until(isEvent(session.TypeTurnEnd)) {
		next++
		if b.id != fmt.Sprintf("%s-%d", epoch, next) {
			t.Errorf("frame %s, want number %d", b.id, next)
		}
		if b.Method == "session/event" {
			seqs = append(seqs, b.event().Seq)
		}
	}
	var want []int64
	for _, e := range a.Log().Events(from, -1) {
		want = append(want, e.Seq)
	}
	if diff := cmp.Diff(want, seqs); diff != "" {
		t.Error(diff)
	}
}

func TestAReaderThatComesBackGetsExactlyWhatItMissed(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	whole := w.open("mux", "")
	whole.until(isCursor)
	w.model.prepare(says("a", "b", "c", "d"))
	w.prompt(id, "go")
	all := whole.until(isEvent(session.TypeTurnEnd))
	for _, cut := range []int{0, 1, len(all) / 2, len(all) - 1} {
		again := w.open("mux", all[cut].id)
		var got []string
		for range all[cut+1:] {
			got = append(got, again.must().data)
		}
		var want []string
		for _, b := range all[cut+1:] {
			want = append(want, b.data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s: %s", all[cut].id, diff)
		}
		again.close()
	}
}

func TestACursorThatCannotBeContinuedIsAnsweredWithAResync(t *testing.T) {
	w := newWorld(t, api.Limits{Frames: 4})
	id := w.create()
	first := w.open("mux", "")
	old := first.until(isCursor)
	first.close()
	w.prompt(id, "go")
	w.idle()
	epoch, n := w.api.MuxCursor()
	for cursor, reason := range map[string]string{
		old[len(old)-1].id: "too-old", "0123456789ab-1": "epoch", fmt.Sprintf("%s-%d", epoch, n+1): "epoch", epoch: "epoch", epoch + "-x": "epoch", epoch + "--1": "epoch", "nonsense": "epoch",
	} {
		s := w.open("mux", cursor)
		got := s.until(isCursor)
		if methods(got) != "resync session/subscribed session/queue cursor" || string(got[0].Payload) != `{"reason":"`+reason+`"}` {
			t.Errorf("%s: %s %s", cursor, methods(got), got[0].Payload)
		}
		s.close()
	}
	host := w.open("host", "0123456789ab-1")
	if got := host.until(isCursor); methods(got) != "resync cursor" {
		t.Error(methods(got))
	}
}

func TestAReaderCutInsideTheBaselineStartsAgain(t *testing.T) {
	w := newWorld(t, api.Limits{})
	w.create()
	w.create()
	s := w.open("mux", "")
	b := s.must()
	s.close()
	again := w.open("mux", b.id)
	if got := again.must().Method + " " + again.must().Method; got != "session/subscribed session/subscribed" {
		t.Error(got)
	}
}

func TestTheHostStreamTellsOfSessionsAndWorkspaces(t *testing.T) {
	w := newWorld(t, api.Limits{})
	host := w.open("host", "")
	if b := host.must(); !isCursor(b) {
		t.Fatalf("%+v", b)
	}
	id := w.create()
	w.prompt(id, "go on then")
	w.idle()
	var got []string
	for _, b := range host.until(func(b block) bool {
		return b.Method == "host/session-status" && strings.Contains(string(b.Payload), "false")
	}) {
		var p struct {
			SessionID, Title, Cwd string
			Running, Blank        bool
			Workspace             api.WorkspaceView
		}
		if err := json.Unmarshal(b.Payload, &p); err != nil {
			t.Fatal(err)
		}
		switch b.Method {
		case "host/workspace-changed":
			got = append(got, b.Method+" "+p.Workspace.Path)
			continue
		case "host/session-added":
			got = append(got, fmt.Sprint(b.Method, " ", p.Blank, " ", p.Cwd))
		case "host/session-status":
			got = append(got, fmt.Sprint(b.Method, " ", p.Running))
		default:
			got = append(got, b.Method+" "+p.Title)
		}
		if p.SessionID != id {
			t.Errorf("%s tells of %q", b.Method, p.SessionID)
		}
	}
	want := []string{"host/workspace-changed " + w.cwd, "host/session-added true " + w.cwd, "host/session-status true",
		"host/session-changed ", "host/session-changed go on then", "host/session-status false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if epoch, n := w.api.HostCursor(); host.cursor != fmt.Sprintf("%s-%d", epoch, n) {
		t.Errorf("the page is at %s, the host at %s-%d", host.cursor, epoch, n)
	}
}

func TestTheQueueIsASnapshotAfterEveryChangeAndInTheBaseline(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	live := w.open("mux", "")
	live.until(isCursor)
	held := says("1")
	held.hold = make(chan struct{})
	w.model.prepare(held, says("2"))
	w.prompt(id, "one")
	w.prompt(id, "two")
	live.until(func(b block) bool { return b.Method == "session/queue" && strings.Contains(string(b.Payload), "two") })
	late := w.open("mux", "")
	opening := late.until(isCursor)
	if methods(opening) != "session/subscribed session/queue cursor" {
		t.Fatal(methods(opening))
	}
	var queue struct {
		SessionID string
		Items     []api.QueueItem
	}
	if err := json.Unmarshal(opening[1].Payload, &queue); err != nil || len(queue.Items) != 1 || queue.Items[0].Message.Text() != "two" || queue.Items[0].Placement != "queued" {
		t.Errorf("%s", opening[1].Payload)
	}
	close(held.hold)
	late.until(func(b block) bool {
		return b.Method == "session/queue" && strings.Contains(string(b.Payload), `"items":[]`)
	})
	w.idle()
}

func TestAReaderThatFallsBehindIsResyncedAndHarmsNobody(t *testing.T) {
	w := newWorld(t, api.Limits{Frames: 16, WriteMs: 60_000})
	id := w.create()
	slow := dial(t, w)
	// Far more than the sockets between take, so that the slow reader's writer stands still
	// while the ring moves on.
	words := make([]string, 100)
	for i := range words {
		words[i] = strings.Repeat(strconv.Itoa(i%10), 8<<10)
	}
	w.model.prepare(says(words...))
	w.prompt(id, "go")
	w.idle() // the host does not wait for the slow one
	s := &stream{t: t, body: slow, lines: newReader(slow)}
	// The model may still have been speaking when the writer noticed, so there may be more than one resync, and frames after
	// the last; from its baseline on, none may be missing.
	epoch, n := w.api.MuxCursor()
	last, resyncs := int64(-1), 0
	for s.cursor != fmt.Sprintf("%s-%d", epoch, n) {
		b := s.must()
		switch {
		case b.Method == "resync":
			resyncs++
			if string(b.Payload) != `{"reason":"overflow"}` {
				t.Errorf("%s", b.Payload)
			}
			if got := methods(s.until(isCursor)); got != "session/subscribed session/queue cursor" {
				t.Error(got)
			}
			last = number(t, s.cursor)
		case resyncs > 0 && b.id != "":
			if got := number(t, s.cursor); got != last+1 {
				t.Fatalf("frame %d follows frame %d", got, last)
			}
			last++
		}
	}
	if resyncs == 0 {
		t.Error("the reader fell behind and was never told")
	}
}

// number is the n of "<epoch>-<n>".
func number(t *testing.T, cursor string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(cursor[strings.LastIndexByte(cursor, '-')+1:], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The reader that takes nothing has a minute for each write, so it stands still all the time; the other one is never behind, with what
// is kept by default.
func TestAReaderThatTakesNothingSlowsNobody(t *testing.T) {
	w := newWorld(t, api.Limits{WriteMs: 60_000})
	id := w.create()
	dial(t, w)
	other := w.open("mux", "")
	other.until(isCursor)
	words := make([]string, 200)
	for i := range words {
		words[i] = strings.Repeat(strconv.Itoa(i%10), 8<<10)
	}
	w.model.prepare(says(words...))
	w.prompt(id, "go")
	last := number(t, other.cursor)
	for _, b := range other.until(isEvent(session.TypeTurnEnd)) {
		if b.Method == "resync" {
			t.Fatalf("the other reader fell behind: %s", b.Payload)
		}
		if last++; b.id != "" && number(t, b.id) != last {
			t.Fatalf("frame %s, want number %d", b.id, last)
		}
	}
	w.idle()
}

func TestReadersAreCountedUntilTheyAreGone(t *testing.T) {
	w := newWorld(t, api.Limits{WriteMs: 50})
	id := w.create()
	mux, host := w.open("mux", ""), w.open("host", "")
	mux.until(isCursor)
	host.until(isCursor)
	if got := w.api.Readers(); got != 2 {
		t.Errorf("%d readers, want 2", got)
	}
	mux.close()
	stuck := dial(t, w)
	w.model.prepare(says(strings.Repeat("x", 4<<20)))
	w.prompt(id, "go")
	w.idle()
	// It ends when the host has given it up; what is left then is the reader that lives.
	if _, err := io.Copy(io.Discard, stuck); err != nil && !isReset(err) {
		t.Error(err)
	}
	for w.api.Readers() != 1 {
		runtimeYield()
	}
}

func TestNobodyBetweenMayKeepFramesBack(t *testing.T) {
	w := newWorld(t, api.Limits{})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/api/events.host", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip, br, zstd")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Content-Encoding": ""} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAReaderThatTakesNothingIsCutOff(t *testing.T) {
	w := newWorld(t, api.Limits{WriteMs: 50})
	id := w.create()
	stuck := dial(t, w)
	words := make([]string, 100)
	for i := range words {
		words[i] = strings.Repeat("x", 8<<10)
	}
	w.model.prepare(says(words...))
	w.prompt(id, "go")
	w.idle()
	// The server closes: reading what is buffered ends in an end, not in a wait. (A wait
	// would end the test by its deadline.)
	if _, err := io.Copy(io.Discard, stuck); err != nil && !isReset(err) {
		t.Error(err)
	}
}

func TestAnIdleStreamBeats(t *testing.T) {
	manual := clock.NewManual(time.Unix(1_700_000_000, 0), 1)
	w := &world{t: t, root: t.TempDir(), model: &model{}, clock: manual}
	w.cwd = w.root + "/work"
	w.boot(api.Limits{HeartbeatMs: 1000})
	s := w.open("host", "")
	s.until(isCursor)
	for range 3 {
		for manual.Timers() == 0 { // the stream is about to wait
			runtimeYield()
		}
		manual.Advance(time.Second)
		if b := s.must(); b.comment != "heartbeat" {
			t.Errorf("%+v", b)
		}
	}
}

func TestClosingEndsStreams(t *testing.T) {
	w := newWorld(t, api.Limits{})
	s := w.open("mux", "")
	s.until(isCursor)
	done := make(chan error, 1)
	go func() { _, err := s.next(); done <- err }()
	w.stop()
	if err := <-done; err == nil {
		t.Error("the stream goes on")
	}
}

func TestManyReadersSeeOneOrder(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	var readers []*stream
	for range 5 {
		s := w.open("mux", "")
		s.until(isCursor)
		readers = append(readers, s)
	}
	w.model.prepare(says(strings.Fields(strings.Repeat("word ", 300))...))
	w.prompt(id, "go")
	var first []string
	for i, s := range readers {
		var got []string
		for _, b := range s.until(isEvent(session.TypeTurnEnd)) {
			got = append(got, b.id+b.data)
		}
		if i == 0 {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("reader %d sees another order", i)
		}
	}
}

func TestReadersThatOpenInMidTurnMissNothing(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.model.prepare(says(strings.Fields(strings.Repeat("word ", 500))...))
	w.prompt(id, "go")
	for range 20 {
		s := w.open("mux", "")
		opening := s.until(isCursor)
		var subscribed struct{ LastSeq int64 }
		if err := json.Unmarshal(opening[0].Payload, &subscribed); err != nil {
			t.Fatal(err)
		}
		a, _ := w.agents.Get(id)
		next := subscribed.LastSeq + 1
		for range min(5, a.Log().Len()-next) {
			b := s.must()
			if b.Method != "session/event" {
				continue
			}
			if b.event().Seq != next {
				t.Fatalf("event %d after a baseline up to %d", b.event().Seq, next-1)
			}
			next++
		}
		s.close()
	}
	w.idle()
}

// dial opens the mux by hand and reads nothing: the kernel then takes little.
func dial(t *testing.T, w *world) net.Conn {
	t.Helper()
	address := strings.TrimPrefix(w.server.URL, "http://")
	// With a small receive buffer, and the world's small send buffers, little is on the way when nobody reads.
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var set error
		err := c.Control(func(fd uintptr) { set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10) })
		return errors.Join(err, set)
	}}
	c, err := d.DialContext(context.Background(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/api/events.mux", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := request.Write(c); err != nil {
		t.Fatal(err)
	}
	return c
}
