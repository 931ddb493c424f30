package chromium

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// wire is the protocol connection: one pipe, many sessions ("flat" mode). chromedp's pipe
// does the framing; its targets are not used, because they drop the sessions of
// auto-attached workers and mirror the whole DOM of every page.
type wire struct {
	pipe *chromedp.PipeConn

	// mu guards the three fields below. It is never held while writing to the pipe or calling a handler.
	mu       sync.Mutex
	lastID   int64
	replies  map[int64]chan *cdproto.Message // each with room for its one reply
	sessions map[target.SessionID]*session

	lost chan struct{} // closed when the reader has seen the end of the pipe; the reader goroutine ends then

	// ended is closed by the Browser soon after lost, when it knows why: every waiting call then returns endedCause.
	ended      chan struct{}
	endedCause error
}

// session is one attached target of the connection; the zero id is the browser itself.
type session struct {
	wire *wire
	id   target.SessionID
	// handle receives every event of the session in order, on the reader goroutine: it must not block and must not call.
	handle func(event any)

	// end closes gone once, with goneCause saying why, and then calls ended.
	endOnce   sync.Once
	goneCause error
	gone      chan struct{}
	ended     func()
}

func newWire(r io.ReadCloser, w io.WriteCloser) *wire {
	return &wire{
		pipe:     chromedp.NewPipeConn(r, w),
		replies:  map[int64]chan *cdproto.Message{},
		sessions: map[target.SessionID]*session{},
		lost:     make(chan struct{}),
		ended:    make(chan struct{}),
	}
}

// open registers a session before its first event can arrive. ended runs once when the target goes away; like handle, it must not block.
func (w *wire) open(id target.SessionID, handle func(event any), ended func()) *session {
	s := &session{wire: w, id: id, handle: handle, gone: make(chan struct{}), ended: ended}
	w.mu.Lock()
	w.sessions[id] = s
	w.mu.Unlock()
	return s
}

func (w *wire) drop(id target.SessionID, cause error) {
	w.mu.Lock()
	s := w.sessions[id]
	delete(w.sessions, id)
	w.mu.Unlock()
	if s != nil {
		s.end(cause)
	}
}

func (s *session) end(cause error) {
	s.endOnce.Do(func() {
		s.goneCause = cause
		close(s.gone)
		s.ended()
	})
}

// run reads until the pipe ends. It is the one goroutine of the connection; close ends it.
func (w *wire) run() {
	defer close(w.lost)
	for {
		message := new(cdproto.Message)
		if err := w.pipe.Read(context.Background(), message); err != nil {
			return // the process says why: see Browser.supervise
		}
		w.dispatch(message)
	}
}

func (w *wire) dispatch(message *cdproto.Message) {
	w.mu.Lock()
	reply := w.replies[message.ID]
	delete(w.replies, message.ID)
	s := w.sessions[message.SessionID]
	w.mu.Unlock()
	switch {
	case message.ID != 0:
		if reply != nil {
			reply <- message
		}
	case message.Method != "" && s != nil:
		event, err := cdproto.UnmarshalMessage(message, chromedp.DefaultUnmarshalOptions)
		if err != nil {
			// An event that this protocol version does not know carries nothing we read.
			return
		}
		s.handle(event)
	}
}

// close ends the connection and waits for the reader.
func (w *wire) close() error {
	err := w.pipe.Close()
	<-w.lost
	return err
}

// pending is a command that has been sent.
type pending struct {
	session *session
	method  string
	id      int64
	reply   chan *cdproto.Message
}

// send writes a command and does not wait: commands sent one after the other are executed in that order.
func (s *session) send(method string, params any) (*pending, error) {
	select {
	case <-s.gone:
		return nil, fmt.Errorf("chromium: %s: %w", method, s.goneCause)
	default:
	}
	body, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return nil, fmt.Errorf("chromium: encoding %s: %w", method, err)
	}
	w := s.wire
	p := &pending{session: s, method: method, reply: make(chan *cdproto.Message, 1)}
	w.mu.Lock()
	w.lastID++
	p.id = w.lastID
	w.replies[p.id] = p.reply
	w.mu.Unlock()
	err = w.pipe.Write(context.Background(), &cdproto.Message{
		ID: p.id, SessionID: s.id, Method: cdproto.MethodType(method), Params: body,
	})
	if err != nil {
		p.forget()
		<-w.ended // a pipe that can't be written has lost its other end
		return nil, fmt.Errorf("chromium: %s: %w", method, w.endedCause)
	}
	return p, nil
}

func (p *pending) forget() {
	p.session.wire.mu.Lock()
	delete(p.session.wire.replies, p.id)
	p.session.wire.mu.Unlock()
}

// wait blocks for the reply. The end of the session or of Chromium ends it at once with the reason.
func (p *pending) wait(ctx context.Context, result any) error {
	var message *cdproto.Message
	select {
	case message = <-p.reply:
	case <-ctx.Done():
		p.forget()
		return fmt.Errorf("chromium: %s: %w", p.method, context.Cause(ctx))
	case <-p.session.gone:
		if message = p.late(); message == nil {
			return fmt.Errorf("chromium: %s: %w", p.method, p.session.goneCause)
		}
	case <-p.session.wire.ended:
		if message = p.late(); message == nil {
			return fmt.Errorf("chromium: %s: %w", p.method, p.session.wire.endedCause)
		}
	}
	if message.Error != nil {
		return fmt.Errorf("chromium: %s: %w", p.method, message.Error)
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(message.Result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("chromium: decoding the result of %s: %w", p.method, err)
	}
	return nil
}

// late returns a reply that arrived together with the end, or nil.
func (p *pending) late() *cdproto.Message {
	p.forget()
	select {
	case message := <-p.reply:
		return message
	default:
		return nil
	}
}

// call sends a typed command and waits for its typed result.
func call[P, R any](ctx context.Context, s *session, command cdp.Command[P, R], params P) (R, error) {
	var result, zero R
	p, err := s.send(command.Method, params)
	if err != nil {
		return zero, err
	}
	if err := p.wait(ctx, &result); err != nil {
		return zero, err
	}
	return result, nil
}

// batch sends commands in order without waiting for each, which a target that is held
// at its start needs: some replies come only after it runs.
type batch struct {
	session *session
	sent    []*pending
	err     error
}

func queue[P, R any](b *batch, command cdp.Command[P, R], params P) {
	if b.err != nil {
		return
	}
	p, err := b.session.send(command.Method, params)
	if err != nil {
		b.err = err
		return
	}
	b.sent = append(b.sent, p)
}

// wait returns the first error of the batch, after every reply.
func (b *batch) wait(ctx context.Context) error {
	err := b.err
	for _, p := range b.sent {
		if waitErr := p.wait(ctx, nil); err == nil {
			err = waitErr
		}
	}
	return err
}

// resume lets a held target run and leaves it alone.
func (s *session) resume(ctx context.Context) error {
	_, err := call(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	return err
}
