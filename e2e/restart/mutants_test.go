package restart_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"keylane/scaffold"
)

// A middleman stands between page and host, on an address of its own, and spoils what passes. The host is the built command, whose parts
// cannot be replaced from here.
type middleman struct {
	// frame changes one line of the session stream, if it is set.
	frame func(line []byte) []byte
	// file changes a file of the page, if it is set.
	file func(path string, text []byte) []byte
	// twice is what a prompt says that arrives twice, "" for none.
	twice string
}

// through is how a page reaches its host by way of the middleman.
func (m middleman) through(t scaffold.T, host string) string {
	t.Helper()
	target, err := url.Parse(host)
	if err != nil {
		t.Fatalf("%v", err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Origin") // it names the middleman
			r.Out.Header.Del("Accept-Encoding")
			if m.twice != "" && strings.HasSuffix(r.In.URL.Path, "/session.prompt") {
				m.repeat(t, r.Out)
			}
		},
		FlushInterval:  -1,
		ErrorLog:       log.New(io.Discard, "", 0), // a host that dies in the middle of a stream is what this is about
		ModifyResponse: m.spoil,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }, // the host is dead
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	server := &http.Server{Handler: proxy}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }() // ends with Close
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("%v", err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("%v", err)
		}
	})
	return "http://" + listener.Addr().String()
}

// repeat makes such a call once more before it is made, under another name: to the host it is another message.
func (m middleman) repeat(t scaffold.T, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("%v", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(m.twice)) {
		return
	}
	again := bytes.Replace(body, []byte(`"rpcId":"`), []byte(`"rpcId":"again-`), 1)
	response, err := http.Post(r.URL.String(), "application/json", bytes.NewReader(again))
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	_ = response.Body.Close() // what it says is for nobody
}

func (m middleman) spoil(response *http.Response) error {
	path := response.Request.URL.Path
	switch {
	case m.frame != nil && path == "/api/events.mux":
		response.Body = lineByLine(response.Body, m.frame)
	case m.file != nil && strings.HasSuffix(path, ".js"):
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return err
		}
		text = m.file(path, text)
		response.Body = io.NopCloser(bytes.NewReader(text))
		response.ContentLength = int64(len(text))
		response.Header.Del("Content-Length")
	}
	return nil
}

// lineByLine is a stream with each of its lines changed, as soon as it is there.
func lineByLine(stream io.ReadCloser, change func([]byte) []byte) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() { // ends with the stream, or when nobody reads any more
		lines := bufio.NewReader(stream)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				writer.CloseWithError(err)
				return
			}
			if _, err := writer.Write(change(line)); err != nil {
				return
			}
		}
	}()
	return struct {
		io.Reader
		io.Closer
	}{reader, closers{stream, reader}}
}

type closers []io.Closer

func (all closers) Close() error {
	var problems []error
	for _, each := range all {
		problems = append(problems, each.Close())
	}
	return errors.Join(problems...)
}

// A middleman that spoils nothing is not seen: what the others do is all there is to see.
func TestAMiddlemanThatPassesEverythingOnIsNotSeen(t *testing.T) {
	goesOn(t, t.TempDir(), middleman{frame: func(line []byte) []byte { return line }}.through)
}

// A host that does not tell the page that it is another run would be seen.
func TestAnotherRunThatIsNotToldWouldBeSeen(t *testing.T) {
	root := t.TempDir()
	mutant := middleman{frame: func(line []byte) []byte {
		return bytes.ReplaceAll(line, []byte(`"reason":"epoch"`), []byte(`"reason":"too-old"`))
	}}
	failures := scaffold.Trial(t, func(t scaffold.T) { goesOn(t, root, mutant.through) })
	scaffold.WantSeen(t, failures, "the page shows what no log has", "KEYLANE_LOST")
}

// A page that forgets what waits would be seen.
func TestAQueueThatIsForgottenWouldBeSeen(t *testing.T) {
	root := t.TempDir()
	mutant := middleman{file: func(_ string, text []byte) []byte {
		return bytes.ReplaceAll(text, []byte("values.queue??[]"), []byte("values.none??[]"))
	}}
	failures := scaffold.Trial(t, func(t scaffold.T) { killedWithAQueue(t, root, mutant.through) })
	scaffold.WantSeen(t, failures, "after the crash the page shows 0 messages that wait", "loaded again the page shows 0 messages that wait")
}

// A message that enters twice would be seen.
func TestAMessageThatArrivesTwiceWouldBeSeen(t *testing.T) {
	root := t.TempDir()
	failures := scaffold.Trial(t, func(t scaffold.T) { killedWithAQueue(t, root, middleman{twice: two}.through) })
	scaffold.WantSeen(t, failures, "other messages entered turns")
}
