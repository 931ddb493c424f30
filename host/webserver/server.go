package webserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"keylane/host/api"
)

// ErrAddressInUse: another program listens there.
var ErrAddressInUse = errors.New("the address is in use")

// Timeouts against clients that open a connection and then do nothing. They do not
// bound event streams, which have their own.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 64 << 10
	// shutdownGrace is what calls in flight get when the host closes.
	shutdownGrace = 3 * time.Second
)

// Options of Listen.
type Options struct {
	Host string // address to listen on
	Port int    // 0 lets the system choose
	API  http.Handler
	Page *Page
	// Logger gets what the HTTP server has to say.
	Logger *slog.Logger
}

// Server is a listening web server. Close it.
type Server struct {
	http     *http.Server
	address  string
	streams  context.Context // ends when the server closes, and the event streams with it
	end      context.CancelFunc
	finished chan error // gets Serve's result

	closing sync.Once
	closed  error // valid once closing is done
}

// Listen opens the port and serves. It returns when connections are accepted.
func Listen(ctx context.Context, o Options) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("webserver: listening on %s port %d: %w", o.Host, o.Port, ErrAddressInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("webserver: listening: %w", err)
	}
	s := &Server{address: listener.Addr().String(), finished: make(chan error, 1)}
	s.streams, s.end = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s.route(o.API, o.Page),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytes,
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	go func() { s.finished <- s.http.Serve(listener) }()
	return s, nil
}

// Address is where the server listens, "host:port" with the actual port.
func (s *Server) Address() string { return s.address }

// URL is the page's address for a browser on this machine.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return "http://" + s.address + "/"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

func (s *Server) route(calls http.Handler, page *Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if r.URL.Path != api.Prefix && !strings.HasPrefix(r.URL.Path, api.Prefix+"/") {
			page.ServeHTTP(w, r)
			return
		}
		// A GET of the API is an event stream: it lasts until the server closes.
		if r.Method == http.MethodGet {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(s.streams, cancel)()
			r = r.WithContext(ctx)
			// The request was read; the deadline for that must not cut the stream.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		calls.ServeHTTP(w, r)
	})
}

// Close stops accepting, ends the event streams, waits a moment for calls in flight,
// and cuts what is left. An error means that the port may still be open. A second Close
// does nothing and returns the first one's result.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.shut(ctx) })
	return s.closed
}

func (s *Server) shut(ctx context.Context) error {
	s.end()
	grace, cancel := context.WithTimeout(ctx, shutdownGrace)
	defer cancel()
	err := s.http.Shutdown(grace)
	if err != nil {
		err = s.http.Close()
	}
	if served := <-s.finished; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("webserver: closing: %w", err)
	}
	return nil
}
