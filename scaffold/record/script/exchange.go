package script

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// An Exchange is one request to the chat endpoint as it came, and what became of its answer.
type Exchange struct {
	Header http.Header
	Body   []byte
	// Reply is the reply of the script that it got, counted from 1; 0 when it was refused.
	Reply int
	End   End
}

// An End says how an answer ended.
type End string

// The ends.
const (
	Running  End = "running"  // it has not ended
	Answered End = "answered" // everything scripted was sent
	Refused  End = "refused"  // nothing in the script fits the request
	Cut      End = "cut"      // the connection was broken, as scripted
	Left     End = "left"     // the client closed the connection before the end
	Closed   End = "closed"   // the server was closed before the end
)

// Exchanges are the requests to the chat endpoint so far, in the order in which they came.
func (s *Server) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	copied := make([]Exchange, len(s.exchanges))
	for i, exchange := range s.exchanges {
		copied[i] = *exchange
	}
	return copied
}

// AwaitEnd waits until the n-th request, counted from 1, has come and its answer has ended, and says how.
func (s *Server) AwaitEnd(ctx context.Context, n int) (End, error) {
	for {
		s.mu.Lock()
		changed, end := s.changed, Running
		if n >= 1 && n <= len(s.exchanges) {
			end = s.exchanges[n-1].End
		}
		came := len(s.exchanges)
		s.mu.Unlock()
		if end != Running {
			return end, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Running, fmt.Errorf("script: waiting for the end of answer %d (%d requests came): %w", n, came, context.Cause(ctx))
		}
	}
}

// AwaitRequest waits until the n-th request, counted from 1, has come.
func (s *Server) AwaitRequest(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		changed, came := s.changed, len(s.exchanges)
		s.mu.Unlock()
		if came >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("script: waiting for request %d (%d came): %w", n, came, context.Cause(ctx))
		}
	}
}

// begin takes note of a request.
func (s *Server) begin(header http.Header, body []byte) *Exchange {
	exchange := &Exchange{Header: header.Clone(), Body: slices.Clone(body), End: Running}
	s.change(func() { s.exchanges = append(s.exchanges, exchange) })
	return exchange
}

// change changes what mu guards and wakes whoever waits.
func (s *Server) change(apply func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	apply()
	close(s.changed)
	s.changed = make(chan struct{})
}

// gone is the end of an answer that nobody reads any more.
func (s *Server) gone() End {
	if s.base.Err() != nil {
		return Closed
	}
	return Left
}
