package fault_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"keylane/scaffold/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const path = "/events"

// blocks is what the server sends: a comment, four frames, one of them over two lines, and a block that only moves the cursor.
var blocks = []string{
	": hello\n\n", "id: 1\ndata: one\n\n", "id: 2\r\ndata: tw\u00f6\r\ndata:2\r\n\r\n", "id: 3\n\n", "id: 4\ndata: three\n\n", "id: 5\ndata: four\n\n",
}

// server sends the blocks and then stays open, unless it is to end.
func server(t *testing.T, ends bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			fmt.Fprintf(w, "%s asks %s from %s", r.Method, r.Host, r.Header.Get("Origin"))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, block := range blocks {
			_, _ = io.WriteString(w, block) // a reader that is gone is what some tests are about
		}
		_ = http.NewResponseController(w).Flush()
		if !ends {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func start(t *testing.T, target string, script ...fault.Fault) *fault.Proxy {
	t.Helper()
	p, err := fault.Start(target, script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// open asks for something; the answer's body is closed at the end of the test, before the proxy.
func open(t *testing.T, url string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	response, err := transport.RoundTrip(request)
	if err == nil {
		t.Cleanup(func() { _ = response.Body.Close() }) // some are closed already
	}
	return response, err
}

// read reads a stream to its end, and says whether it was torn.
func read(t *testing.T, p *fault.Proxy) (text string, torn bool) {
	t.Helper()
	response, err := open(t, p.URL()+path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(response.Body)
	return string(all), err != nil
}

func join(order ...int) string {
	var text strings.Builder
	for _, i := range order {
		text.WriteString(blocks[i])
	}
	return text.String()
}

func TestEachDeedDoesWhatItSaysToTheFrameThatIsMeant(t *testing.T) {
	three := regexp.MustCompile("^three$")
	for _, c := range []struct {
		name  string
		fault fault.Fault
		want  string
		torn  bool
	}{
		{"cut before", fault.Fault{Frame: 2, Do: fault.CutBefore()}, join(0, 1), false},
		{"cut after", fault.Fault{Frame: 2, Do: fault.CutAfter()}, join(0, 1, 2), false},
		{"cut inside", fault.Fault{Frame: 1, Do: fault.CutInside(3)}, blocks[0] + "id:", false},
		{"cut inside more than there is", fault.Fault{Frame: 1, Do: fault.CutInside(999)}, join(0, 1), false},
		{"reset", fault.Fault{Frame: 1, Do: fault.Reset(3)}, blocks[0] + "id:", true},
		{"lose", fault.Fault{Like: three, Frame: 1, Do: fault.Lose()}, join(0, 1, 2, 3, 5), false},
		{"repeat", fault.Fault{Like: three, Frame: 1, Do: fault.Repeat(3)}, join(0, 1, 2, 3, 4, 4, 4, 5), false},
		{"behind", fault.Fault{Frame: 1, Do: fault.Behind(2)}, join(0, 2, 3, 1, 4, 5), false},
		{"behind the end", fault.Fault{Frame: 1, Do: fault.Behind(99)}, join(0, 2, 3, 4, 5, 1), false},
		{"each", fault.Fault{Do: fault.Repeat(2)}, join(0, 1, 1, 2, 2, 3, 4, 4, 5, 5), false},
		{"the second of its kind", fault.Fault{Like: regexp.MustCompile("^t"), Frame: 2, Do: fault.Lose()}, join(0, 1, 2, 3, 5), false},
		{"the data of two lines", fault.Fault{Like: regexp.MustCompile("^twö\n2$"), Frame: 1, Do: fault.Lose()}, join(0, 1, 3, 4, 5), false},
		{"split", fault.Fault{Do: fault.Split(1)}, join(0, 1, 2, 3, 4, 5), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.fault.Path = path
			p := start(t, server(t, true), c.fault)
			got, torn := read(t, p)
			// A connection that is reset may lose what was sent and not yet read.
			if got != c.want && !(c.torn && strings.HasPrefix(c.want, got)) || torn != c.torn {
				t.Errorf("the page gets %q (torn: %v), want %q (torn: %v)", got, torn, c.want, c.torn)
			}
			if left := p.Pending(); len(left) > 0 {
				t.Errorf("it says that this has not happened: %q", left)
			}
		})
	}
}

func TestAFaultHappensOnceAndTheNextConnectionIsWhole(t *testing.T) {
	p := start(t, server(t, true), fault.Fault{Path: path, Frame: 1, Do: fault.CutBefore()})
	first, _ := read(t, p)
	second, _ := read(t, p)
	if first != join(0) || second != join(0, 1, 2, 3, 4, 5) {
		t.Errorf("the page gets %q and then %q", first, second)
	}
}

func TestFramesAreCountedOverAllConnections(t *testing.T) {
	p := start(t, server(t, true), fault.Fault{Path: path, Frame: 6, Do: fault.CutBefore()})
	first, _ := read(t, p)
	second, _ := read(t, p)
	if first != join(0, 1, 2, 3, 4, 5) || second != join(0, 1) {
		t.Errorf("the page gets %q and then %q", first, second)
	}
}

func TestWhatHasNotHappenedIsPending(t *testing.T) {
	p := start(t, server(t, true),
		fault.Fault{Path: path, Frame: 99, Do: fault.Lose()},
		fault.Fault{Path: "/elsewhere", Do: fault.Repeat(2)},
		fault.Fault{Path: path, Frame: 1, Do: fault.Repeat(2)},
		fault.Fault{Path: path, Frame: 1, Do: fault.Lose()}) // the one before it was first
	read(t, p)
	want := []string{"frame 99 of /events: lost", "each frame of /elsewhere: sent 2 times", "frame 1 of /events: lost"}
	if got := p.Pending(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pending is %q, want %q", got, want)
	}
}

func TestPiecesAreSentOnTheirOwn(t *testing.T) {
	p := start(t, server(t, true), fault.Fault{Path: path, Frame: 1, Do: fault.Split(4)})
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: page\r\nConnection: close\r\n\r\n", path)
	answer, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	// What is sent on its own is a chunk of its own.
	if want := "\r\n4\r\nid: \r\n4\r\n1\nda\r\n4\r\nta: \r\n4\r\none\n\r\n1\r\n\n\r\n"; !strings.Contains(string(answer), want) {
		t.Errorf("the answer is %q, and has not the chunks %q", answer, want)
	}
}

func TestAFrameThatIsKeptWaitingComesWhenTheTestSaysSo(t *testing.T) {
	gate := make(chan struct{})
	p := start(t, server(t, false), fault.Fault{Path: path, Frame: 2, Do: fault.Wait(gate)})
	response, err := open(t, p.URL()+path)
	if err != nil {
		t.Fatal(err)
	}
	stream := bufio.NewReader(response.Body)
	expect := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(stream, got); err != nil || string(got) != want {
			t.Fatalf("the page gets %q (%v), want %q", got, err, want)
		}
	}
	expect(join(0, 1))
	close(gate)
	expect(join(2, 3, 4, 5))
}

func TestAReaderThatGoesAwayEndsTheWait(t *testing.T) {
	p := start(t, server(t, false), fault.Fault{Path: path, Frame: 1, Do: fault.Wait(make(chan struct{}))})
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	_ = response.Body.Close()
	// goleak looks whether the proxy's goroutine went.
}

func TestOpenStreamsAreCutWhenTheTestSaysSo(t *testing.T) {
	p := start(t, server(t, false))
	response, err := open(t, p.URL()+path)
	if err != nil {
		t.Fatal(err)
	}
	whole := join(0, 1, 2, 3, 4, 5)
	if _, err := io.ReadFull(response.Body, make([]byte, len(whole))); err != nil {
		t.Fatal(err)
	}
	if n := p.Cut("/elsewhere"); n != 0 {
		t.Errorf("%d streams of another path were cut", n)
	}
	if n := p.Cut(path); n != 1 {
		t.Errorf("%d streams were cut, want 1", n)
	}
	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the cut comes %q and %v, want a clean end", rest, err)
	}
}

func TestRequestsWaitWhileTheServerIsAwayAndReachTheNextOne(t *testing.T) {
	p := start(t, "")
	answers := make(chan string, 1)
	go func() {
		response, err := open(t, p.URL()+"/who")
		if err != nil {
			answers <- err.Error()
			return
		}
		text, _ := io.ReadAll(response.Body)
		answers <- string(text)
	}()
	if err := p.Resume(server(t, true)); err != nil {
		t.Fatal(err)
	}
	if got, want := <-answers, "GET asks "+strings.TrimPrefix(p.URL(), "http://"); !strings.HasPrefix(got, want) {
		t.Errorf("the server says %q, want %q: the name that the page knows", got, want)
	}
	p.Hold()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "other") }))
	t.Cleanup(other.Close)
	if err := p.Resume(other.URL); err != nil {
		t.Fatal(err)
	}
	response, err := open(t, p.URL()+"/who")
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(response.Body); string(text) != "other" {
		t.Errorf("after Resume the answer is %q", text)
	}
}

func TestConnectionsAreRefusedWhileTheTestSaysSo(t *testing.T) {
	p := start(t, server(t, true))
	p.Refuse(true)
	if _, err := open(t, p.URL()+path); err == nil {
		t.Error("a connection was not refused")
	}
	p.Refuse(false)
	if got, _ := read(t, p); got != join(0, 1, 2, 3, 4, 5) {
		t.Errorf("afterwards the page gets %q", got)
	}
}
