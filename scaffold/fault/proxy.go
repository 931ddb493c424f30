package fault

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// A Proxy passes on what a page and its server say, and does what its script says. Its methods may be called from any goroutine.
type Proxy struct {
	listener  *listener
	server    *http.Server
	transport *http.Transport
	served    chan error

	mu     sync.Mutex // guards the fields below
	target *url.URL   // nil while requests are kept waiting
	known  chan struct{}
	script []*play
	open   map[*line]bool
}

// Start listens on a free port of the loopback interface and passes everything on to target, "http://127.0.0.1:<port>". "" keeps requests
// waiting until Resume. The caller closes it.
func Start(target string, script ...Fault) (*Proxy, error) {
	opened, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fault: listening: %w", err)
	}
	p := &Proxy{
		listener: &listener{Listener: opened}, transport: &http.Transport{DisableCompression: true}, served: make(chan error, 1),
		known: make(chan struct{}), open: map[*line]bool{},
	}
	for _, each := range script {
		p.script = append(p.script, &play{fault: each})
	}
	if target != "" {
		if err := p.Resume(target); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.pass), ErrorLog: log.New(io.Discard, "", 0)} // broken lines are what this is about
	go func() { p.served <- p.server.Serve(p.listener) }()                                           // ends with Close
	return p, nil
}

// URL is where the page finds the proxy, without a slash at the end.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// Hold keeps new requests waiting until Resume. What is open stays open.
func (p *Proxy) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target != nil {
		p.target, p.known = nil, make(chan struct{})
	}
}

// Resume passes requests on to target from now on, those that waited as well.
func (p *Proxy) Resume(target string) error {
	parsed, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("fault: the server's address: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target == nil {
		close(p.known)
	}
	p.target = parsed
	return nil
}

// Refuse says whether new connections are reset at once. Those that are open stay.
func (p *Proxy) Refuse(refuse bool) { p.listener.refuse(refuse) }

// Cut ends all open streams of a path, and says how many there were.
func (p *Proxy) Cut(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := 0
	for l := range p.open {
		if l.path != path {
			continue
		}
		l.cut.Store(true)
		_ = l.body.Close() // wakes its reader, who tells the page
		cut++
	}
	return cut
}

// Pending are the faults of the script that have not happened.
func (p *Proxy) Pending() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var pending []string
	for _, each := range p.script {
		if !each.done {
			pending = append(pending, each.fault.String())
		}
	}
	return pending
}

// Close ends the proxy and everything that goes through it.
func (p *Proxy) Close() error {
	err := p.server.Close()
	if served := <-p.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	p.transport.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("fault: closing: %w", err)
	}
	return nil
}

// pass passes one request on.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request) {
	target := p.await(r)
	if target == nil {
		return // the page has given up
	}
	(&httputil.ReverseProxy{
		Rewrite: func(out *httputil.ProxyRequest) {
			out.SetURL(target)
			out.Out.Host = out.In.Host // what the page's Origin says as well
		},
		Transport:      p.transport,
		FlushInterval:  -1, // each piece at once
		ErrorLog:       log.New(io.Discard, "", 0),
		ModifyResponse: p.watch,
	}).ServeHTTP(w, r)
}

// await returns the server, or nil when the page does not wait any longer.
func (p *Proxy) await(r *http.Request) *url.URL {
	for {
		p.mu.Lock()
		target, known := p.target, p.known
		p.mu.Unlock()
		if target != nil {
			return target
		}
		select {
		case <-known:
		case <-r.Context().Done():
			return nil
		}
	}
}

// watch puts a line in the place of an event stream.
func (p *Proxy) watch(response *http.Response) error {
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return nil
	}
	l := &line{
		proxy: p, path: response.Request.URL.Path, context: response.Request.Context(), body: response.Body, blocks: bufio.NewReader(response.Body),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[l] = true
	response.Body = l
	return nil
}

func (p *Proxy) forget(l *line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, l)
}

// deed is what the script does to a frame: the first fault that meets it, but every fault counts it.
func (p *Proxy) deed(path string, data []byte) Deed {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := Deed{do: func(l *line, block []byte) { l.put(block) }}
	met := false
	for _, each := range p.script {
		if each.meets(path, data) && !met {
			done, met, each.done = each.fault.Do, true, true
		}
	}
	return done
}

// listener resets connections while it is told to.
type listener struct {
	net.Listener
	mu      sync.Mutex // guards refused
	refused bool
}

func (l *listener) refuse(refuse bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = refuse
}

// Accept returns the next connection that is not refused.
func (l *listener) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		refused := l.refused
		l.mu.Unlock()
		if !refused {
			return connection, nil
		}
		if tcp, is := connection.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // a reset, not an end
		}
		_ = connection.Close() // nobody is to hear of it
	}
}
