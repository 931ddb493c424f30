package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/credentials"
	"keylane/host/home"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/search"
	"keylane/host/settings"
	"keylane/host/skill"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
	"keylane/host/workspace"
)

// Options of an API. All but TrustedHosts are required.
type Options struct {
	Agents agent.Manager
	Store  persistence.Store
	Models *llm.Registry
	// Tools say how their calls look.
	Tools      *tool.Registry
	Questions  *askuser.Desk
	Approvals  *approval.Desk
	Skills     *skill.Library
	Search     *search.Slot
	Workspaces *workspace.Registry
	Settings   *settings.Store
	// Credentials are told of, never told.
	Credentials *credentials.Store
	Home        home.Home
	Clock       clock.Clock
	Logger      *slog.Logger
	Version     string
	// Report is read whenever a page asks for the boot report.
	Report *composition.BootReport
	// TrustedHosts are authorities the fence lets through besides loopback; see NewFence.
	TrustedHosts []string
	Limits       Limits
}

// API answers calls and feeds streams. Make it with New and Close it. It is safe for
// concurrent use.
type API struct {
	o       Options
	fence   *Fence
	feed    *feed
	methods map[string]callable
	shapes  envelopes
	closing chan struct{} // closed by Close: streams end

	// arranging is held while the file of workspaces is changed and the frame that tells of it is made, so that pages are told in the
	// order of the changes.
	arranging sync.Mutex
}

// New makes an API. Make it before the manager attaches anything: what was attached
// earlier is not on the streams.
func New(o Options) (*API, error) {
	fence, err := NewFence(o.TrustedHosts)
	if err != nil {
		return nil, err
	}
	o.Limits = o.Limits.withDefaults()
	a := &API{o: o, fence: fence, closing: make(chan struct{})}
	if a.methods, err = callables(a); err != nil {
		return nil, err
	}
	if a.shapes, err = newEnvelopes(); err != nil {
		return nil, err
	}
	a.feed = newFeed(o)
	return a, nil
}

// Close ends the streams and stops following. Calls still answer. Call it once.
func (a *API) Close(context.Context) error {
	close(a.closing)
	a.feed.close()
	return nil
}

// HostCursor is the last frame of GET /api/events.host: the id of frame n is
// "<epoch>-<n>".
func (a *API) HostCursor() (epoch string, n int64) { return a.feed.host.cursor() }

// MuxCursor is the last frame of GET /api/events.mux.
func (a *API) MuxCursor() (epoch string, n int64) { return a.feed.mux.cursor() }

// Readers is how many event streams are open at the moment, of both kinds.
func (a *API) Readers() int { return a.feed.mux.count() + a.feed.host.count() }

// Reply is the answer to a call as it goes over the wire.
type Reply struct {
	Status int    // HTTP's
	Body   []byte // an envelope where Status is 200 and the method is one of ours, else a text
}

// Dispatch answers one call: body is the request envelope. Whatever goes wrong is in the
// reply.
func (a *API) Dispatch(ctx context.Context, name string, body []byte) (reply Reply) {
	defer func() {
		if p := recover(); p != nil {
			a.o.Logger.Error("a method panicked", "method", name, "panic", p, "stack", string(debug.Stack()))
			reply = Reply{http.StatusInternalServerError, []byte(fmt.Sprintf("handler failure: %s", name))}
		}
	}()
	m, known := a.methods[name]
	switch {
	case name == "respond":
		return a.respond(body)
	case !known:
		return Reply{http.StatusNotFound, []byte("not found")}
	case !json.Valid(body):
		return Reply{http.StatusBadRequest, []byte("body is not JSON")}
	}
	r, problem := a.parseRequest(name, body)
	if problem != nil {
		return a.answer(r.RPCID, nil, problem)
	}
	value, err := m.call(ctx, r.RPCID, r.Payload, m.shape)
	if err != nil {
		return a.answer(r.RPCID, nil, a.classify(ctx, name, err))
	}
	return a.answer(r.RPCID, value, nil)
}

// Call is Dispatch for a caller in the same process: it wraps the payload and returns
// the response envelope, byte for byte what HTTP would answer.
func (a *API) Call(ctx context.Context, rpcID, name string, payload any) ([]byte, error) {
	text, err := encode(payload)
	if err != nil {
		return nil, err
	}
	body, err := encode(request{typeClientRequest, rpcID, name, text})
	if err != nil {
		return nil, err
	}
	reply := a.Dispatch(ctx, name, body)
	if reply.Status != http.StatusOK {
		return nil, fmt.Errorf("api: calling %s: status %d: %s", name, reply.Status, reply.Body)
	}
	return reply.Body, nil
}

func (a *API) answer(rpcID string, value any, problem *Error) Reply {
	body, err := encode(response{typeServerResponse, rpcID, result{OK: problem == nil, Value: value, Error: problem}})
	if err != nil {
		a.o.Logger.Error("an answer could not be encoded", "error", err)
		return Reply{http.StatusInternalServerError, []byte("handler failure: the answer could not be encoded")}
	}
	return Reply{http.StatusOK, body}
}

// classify makes a result of whatever a method returned.
func (a *API) classify(ctx context.Context, name string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		// A page asks for files with every key, and lets go of what it asked before: nothing failed.
		a.o.Logger.Debug("a call was left", "method", name)
	} else {
		a.o.Logger.Error("a call failed", "method", name, "error", err)
	}
	return fail(Internal, err.Error(), nil)
}
