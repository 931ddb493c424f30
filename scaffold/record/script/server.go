package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"keylane/host/clock"
)

// maxRequestBytes bounds a request; a history of a scenario is far smaller.
const maxRequestBytes = 32 << 20

// Server serves one script on a loopback port. See [Start].
type Server struct {
	name   string
	clock  clock.Clock
	server *http.Server
	url    string
	base   context.Context // of all requests; over when the server closes
	cancel context.CancelFunc
	done   chan struct{} // closed when the serving goroutine has ended
	once   sync.Once

	choose func(Asked) (Reply, bool) // a program in the script's place; nil for a script

	mu        sync.Mutex // guards everything below
	replies   []Reply    // of the script; a program's in the order in which they were given
	served    []bool
	problems  []string
	exchanges []*Exchange
	changed   chan struct{} // closed and replaced whenever exchanges changes
	serveErr  error
	closing   bool
	answers   sync.WaitGroup // running ServeHTTP calls; added to under mu, and not once closing
}

// StartFile is [Start] with a file.
func StartFile(ctx context.Context, path string, clk clock.Clock) (*Server, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("script: reading the script: %w", err)
	}
	return Start(ctx, path, data, clk)
}

// Start parses a script and serves it on a free port of the loopback interface until Close or until ctx is done. Name is the script's, for
// errors. The clock times the delays; nil stands for the system's.
func Start(ctx context.Context, name string, data []byte, clk clock.Clock) (*Server, error) {
	script, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	return start(ctx, &Server{name: name, clock: clk, replies: script.Replies, served: make([]bool, len(script.Replies))})
}

// Serve is [Start] with a program in the script's place, for work too long to be written down. choose is called once for each request, from
// many goroutines, and says what it is answered with; false refuses it, which is a problem.
func Serve(ctx context.Context, name string, choose func(Asked) (Reply, bool), clk clock.Clock) (*Server, error) {
	return start(ctx, &Server{name: name, clock: clk, choose: choose})
}

// start listens and serves until the server is closed or ctx is done.
func start(ctx context.Context, s *Server) (*Server, error) {
	if s.clock == nil {
		s.clock = clock.System()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("script: listening on the loopback interface: %w", err)
	}
	base, cancel := context.WithCancel(ctx)
	s.url, s.base, s.cancel = "http://"+listener.Addr().String(), base, cancel
	s.done, s.changed = make(chan struct{}), make(chan struct{})
	s.server = &http.Server{Handler: s, BaseContext: func(net.Listener) context.Context { return base }}
	go func() {
		defer close(s.done)
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.mu.Lock()
			s.serveErr = err
			s.mu.Unlock()
		}
	}()
	context.AfterFunc(base, func() { _ = s.server.Close() })
	return s, nil
}

// URL is the base URL to configure: requests go to URL()/chat/completions.
func (s *Server) URL() string { return s.url }

// Close ends the server and every running answer, and waits for the port to be free. It may be called more than once.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.cancel()
		_ = s.server.Close() // the listener's error changes nothing: it is closed
	})
	<-s.done
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.answers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.serveErr != nil {
		return fmt.Errorf("script: serving %s: %w", s.name, s.serveErr)
	}
	return nil
}

// Problems lists, in words, the requests nothing fitted and the replies nobody asked for so far; nil when all went as scripted.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := append([]string(nil), s.problems...)
	for i, reply := range s.replies {
		if !s.served[i] {
			problems = append(problems, fmt.Sprintf("%s:%d: reply %d was never asked for (expect: %q)", s.name, reply.Line, i+1, reply.Expect))
		}
	}
	return problems
}

func (s *Server) problem(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, text)
	return text
}

type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
}

// ServeHTTP answers the one endpoint there is.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	s.answers.Add(1)
	s.mu.Unlock()
	defer s.answers.Done()
	if r.Method != http.MethodPost || r.URL.Path != "/chat/completions" {
		refuse(w, http.StatusNotFound, s.problem("unexpected request %s %s: only POST /chat/completions is served", r.Method, r.URL.Path))
		return
	}
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || strings.TrimSpace(key) == "" {
		refuse(w, http.StatusUnauthorized, s.problem("a request came without a key (Authorization: Bearer …)"))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	exchange := s.begin(r.Header, body)
	end := s.reply(w, r, exchange, err)
	s.change(func() { exchange.End = end })
	if end == Cut {
		panic(http.ErrAbortHandler) // how net/http breaks a connection
	}
}

// reply answers a request whose body was read, or not, and says how that ended.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, exchange *Exchange, err error) End {
	var asked request
	if err == nil {
		err = json.Unmarshal(exchange.Body, &asked)
	}
	if err == nil && !asked.Stream {
		err = errors.New(`"stream" is not true`)
	}
	if err == nil && len(asked.Messages) == 0 {
		err = errors.New(`"messages" is empty`)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, s.problem("a request cannot be answered: %v", err))
		return Refused
	}
	reply, index := s.take(asked)
	if index < 0 {
		refuse(w, http.StatusBadRequest, s.problem("%s: no reply that is left fits the request that ends with %s", s.name, lastWords(asked)))
		return Refused
	}
	s.change(func() { exchange.Reply = index + 1 })
	return s.answer(w, r, asked, reply, index)
}

// take serves the first free reply that fits, or the program's, and says which it is; -1 for none.
func (s *Server) take(asked request) (Reply, int) {
	if s.choose != nil {
		reply, ok := s.choose(asked.plain())
		if !ok {
			return Reply{}, -1
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.replies, s.served = append(s.replies, reply), append(s.served, true)
		return reply, len(s.replies) - 1
	}
	latest := latestTexts(asked)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, reply := range s.replies {
		fits := func(text string) bool { return strings.Contains(text, reply.Expect) }
		if !s.served[i] && slices.ContainsFunc(latest, fits) {
			s.served[i] = true
			return reply, i
		}
	}
	return Reply{}, -1
}

// contextMessage is how a message begins that the host itself put behind the person's, about where it works and the like.
const contextMessage = "<system-reminder>"

// latestTexts are the texts of the last message, and, as long as those are context messages, of the ones before it.
func latestTexts(asked request) []string {
	var texts []string
	for _, message := range slices.Backward(asked.Messages) {
		text := message.text()
		texts = append(texts, text)
		if message.Role != "user" || !strings.HasPrefix(text, contextMessage) {
			break
		}
	}
	return texts
}

func lastWords(asked request) string {
	last := asked.Messages[len(asked.Messages)-1]
	if last.Content == nil {
		return "a " + last.Role + " message without text"
	}
	text := []rune(*last.Content)
	if len(text) > 200 {
		text = append(text[:200:200], '…')
	}
	return fmt.Sprintf("the %s message %q", last.Role, string(text))
}

func refuse(w http.ResponseWriter, status int, text string) {
	writeError(w, status, "invalid_request_error", text)
}

func writeError(w http.ResponseWriter, status int, kind, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A reader that has gone needs no answer.
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": kind, "param": nil, "code": kind}})
}
