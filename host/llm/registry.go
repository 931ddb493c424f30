package llm

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Registry holds the providers of a host. It is safe for concurrent use; the zero value is not usable, see [NewRegistry].
type Registry struct {
	mu        sync.Mutex // guards everything below
	adapters  map[string]*registration
	observers []*observer // replaced, never changed in place: calls read it without the lock
	retry     *mountedPolicy
}

type registration struct{ adapter Adapter }

type observer struct{ call func(Request, error) }

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{adapters: map[string]*registration{}} }

// Register adds a provider under its Info().ID. The id is taken until dispose is called; a second provider with it is an error, so
// that a composition cannot answer from an adapter nobody expects. Dispose may be called more than once; running streams go on.
func (r *Registry) Register(a Adapter) (dispose func(), err error) {
	if a == nil {
		return nil, errors.New("llm: registering an adapter: it is nil")
	}
	id := a.Info().ID
	if id == "" {
		return nil, errors.New("llm: registering an adapter: it has no id")
	}
	entry := &registration{adapter: a}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.adapters[id] != nil {
		return nil, fmt.Errorf("llm: registering an adapter: a provider %q is already registered", id)
	}
	r.adapters[id] = entry
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.adapters[id] == entry {
			delete(r.adapters, id)
		}
	}, nil
}

// Providers tells about every provider, sorted by id.
func (r *Registry) Providers() []Info {
	r.mu.Lock()
	adapters := make([]Adapter, 0, len(r.adapters))
	for _, entry := range r.adapters {
		adapters = append(adapters, entry.adapter)
	}
	r.mu.Unlock()
	infos := make([]Info, 0, len(adapters))
	for _, adapter := range adapters {
		infos = append(infos, adapter.Info())
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].ID < infos[j].ID })
	return infos
}

// Lookup gives the adapter of a provider.
func (r *Registry) Lookup(provider string) (Adapter, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry, ok := r.adapters[provider]
	if !ok {
		return nil, false
	}
	return entry.adapter, true
}

// Observe has call told about every Stream call, once, when its outcome is known: at once for an unknown provider, else when its
// stream ended. The error is nil for a usable answer, an [*Error] with the failure's facts for a failed one, and an ABORTED one for a
// stream that was closed before its finish. Call runs on the goroutine that reads the stream and must not block.
func (r *Registry) Observe(call func(Request, error)) (dispose func()) {
	entry := &observer{call: call}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observers = append(r.observers[:len(r.observers):len(r.observers)], entry)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		kept := make([]*observer, 0, len(r.observers))
		for _, other := range r.observers {
			if other != entry {
				kept = append(kept, other)
			}
		}
		r.observers = kept
	}
}

func (r *Registry) tell(request Request, err error) {
	r.mu.Lock()
	observers := r.observers
	r.mu.Unlock()
	for _, entry := range observers {
		entry.call(request, err)
	}
}

// Stream asks the request's provider. The only error is an [*Error] with code NO_ADAPTER, when there is no such provider: every
// other failure, also one of the adapter's Stream, arrives as the finish chunk of the returned stream (see the package comment).
// Cancelling ctx ends the stream with a finish of kind aborted. The caller must close the stream.
func (r *Registry) Stream(ctx context.Context, request Request) (Stream, error) {
	adapter, ok := r.Lookup(request.Provider)
	if !ok {
		err := NewError(CodeNoAdapter, fmt.Sprintf("no model provider %q is registered (session %s, model %q)",
			request.Provider, request.SessionID, request.Model), nil)
		r.tell(request, err)
		return nil, err
	}
	inner, err := adapter.Stream(ctx, request)
	if err == nil && inner == nil {
		err = NewError(CodeProtocol, fmt.Sprintf("provider %q gave no stream", request.Provider), nil)
	}
	return &normalised{ctx: ctx, inner: inner, early: err, outcome: func(err error) { r.tell(request, err) }}, nil
}
