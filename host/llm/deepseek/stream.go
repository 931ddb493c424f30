package deepseek

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
)

// stream is one running call. A goroutine owns the HTTP exchange and the decoding; Next takes what it has decoded. The goroutine ends with
// the answer, with the caller's context or with Close, whichever is first, and Close waits for it.
type stream struct {
	ctx    context.Context
	cancel context.CancelFunc
	clock  clock.Clock
	idle   time.Duration

	batches chan batch    // closed by the goroutine when it has nothing more to say
	ended   chan struct{} // closed when the goroutine has ended and the socket is released

	mu       sync.Mutex // guards the fields Next uses
	pending  []llm.Chunk
	err      error // what Next gives after pending
	finished bool
}

// batch is what one read brought; an empty one says only that something came.
type batch struct {
	chunks []llm.Chunk
	err    error
}

func (a *adapter) open(ctx context.Context, key string, body []byte) *stream {
	inner, cancel := context.WithCancel(ctx)
	s := &stream{ctx: inner, cancel: cancel, clock: a.clock, idle: a.config.IdleTimeout, batches: make(chan batch), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		defer close(s.batches)
		if err := a.exchange(inner, key, body, s.send); err != nil {
			s.send(batch{err: err})
		}
	}()
	return s
}

// send hands a batch to Next, unless nobody wants it any more.
func (s *stream) send(b batch) {
	select {
	case s.batches <- b:
	case <-s.ctx.Done():
	}
}

func (a *adapter) exchange(ctx context.Context, key string, body []byte, send func(batch)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.endpoint, bytes.NewReader(body))
	if err != nil {
		return llm.NewError(CodeInvalidConfig, fmt.Sprintf("the request to %s cannot be made", a.config.BaseURL), err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := a.config.HTTPClient.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return llm.NewError(llm.CodeTransport, fmt.Sprintf("the provider at %s cannot be reached: %v", a.config.BaseURL, err), err)
	}
	defer response.Body.Close() //nolint:errcheck // reading is over, and the context has closed the socket if it had to
	if response.StatusCode != http.StatusOK {
		return failureOf(response, a.clock.Now())
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return llm.NewError(llm.CodeProtocol, fmt.Sprintf("the provider at %s answered with %q instead of an event stream: check the base URL",
			a.config.BaseURL, response.Header.Get("Content-Type")), nil)
	}
	return read(ctx, response.Body, send)
}

func read(ctx context.Context, body io.Reader, send func(batch)) error {
	var chunks []llm.Chunk
	decoder := newDecoder(func(c llm.Chunk) { chunks = append(chunks, c) })
	var parser sseParser
	buffer := make([]byte, 16<<10)
	for {
		n, readErr := body.Read(buffer)
		if n > 0 {
			err := parser.feed(buffer[:n], decoder.event)
			if errors.Is(err, errEventTooLong) {
				err = llm.NewError(llm.CodeProtocol, err.Error(), nil)
			}
			send(batch{chunks: chunks, err: err})
			if err != nil {
				return nil
			}
			chunks = nil
		}
		if decoder.done {
			readErr = io.EOF
		}
		if readErr == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cause := readErr
		if errors.Is(readErr, io.EOF) {
			cause = nil
		}
		if err := decoder.end(cause); err != nil {
			return err
		}
		send(batch{chunks: chunks})
		return nil
	}
}

// Next waits for the next chunk, at most the idle timeout for anything at all to come.
func (s *stream) Next() (llm.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if len(s.pending) > 0 {
			chunk := s.pending[0]
			s.pending = s.pending[1:]
			if chunk.Type == llm.ChunkFinish {
				s.finished = true
			}
			return chunk, nil
		}
		if s.err != nil {
			return llm.Chunk{}, s.err
		}
		if s.finished {
			return llm.Chunk{}, io.EOF
		}
		s.wait()
	}
}

func (s *stream) wait() {
	expired, stop := s.clock.After(s.idle)
	defer stop()
	select {
	case b, open := <-s.batches:
		s.pending, s.err = b.chunks, b.err
		if !open {
			s.err = s.closedError()
		}
	case <-expired:
		s.err = llm.NewError(llm.CodeTimeout, fmt.Sprintf("the provider sent nothing for %s", s.idle), nil)
		s.cancel()
	case <-s.ctx.Done():
		s.err = s.closedError()
	}
}

func (s *stream) closedError() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return llm.NewError(llm.CodeTransport, "the provider's answer was cut off before its end", nil)
}

// Close ends the call: it closes the socket and waits until that is done.
func (s *stream) Close() error {
	s.cancel()
	<-s.ended
	return nil
}
