package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/llm/deepseek"
	"keylane/host/llm/recorded"
)

// Failure codes of calls that do not fit the recording. None of them is retried.
const (
	CodeUnrecorded = "REPLAY_UNRECORDED" // no recorded session fits
	CodeAmbiguous  = "REPLAY_AMBIGUOUS"  // more than one does
	CodeExhausted  = "REPLAY_EXHAUSTED"  // the session asked more often than recorded
	CodeMismatch   = "REPLAY_MISMATCH"   // the session asked something else
)

// Handle is an installed replay. It is safe for concurrent use.
type Handle struct {
	options Options
	dispose func()
	markers []string

	mu         sync.Mutex // guards everything below
	recordings []*recording
	bound      map[string]*recording // by the live session's id
	calls      []CallRecord
	strays     []string
}

// CallRecord is one model call the replay received, for timelines and assertions.
type CallRecord struct {
	// SessionID is the live session's; Recorded the file its script is in, "" for a stray call.
	SessionID, Recorded string
	Purpose             llm.Purpose
	// Index is the call's position in its script, from 0. Turn and Step are the recorded ones, 0 outside of turns.
	Index, Turn, Step int
	// Chunks is how many chunks the answer has.
	Chunks int
	// Err says why a stray call was refused.
	Err error
}

// Install reads the fixture and registers the provider. A missing or unreadable fixture, one that holds no model call or an
// unfinished one, and a registry that has the provider already, are errors.
func Install(registry *llm.Registry, o Options) (*Handle, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.ContextWindow == 0 {
		o.ContextWindow = 128_000
	}
	recordings, err := load(o)
	if err != nil {
		return nil, err
	}
	handle := &Handle{options: o, recordings: recordings, bound: map[string]*recording{}}
	for _, recording := range recordings {
		if turns := recording.scripts[llm.PurposeTurn]; turns != nil {
			for _, index := range slices.Sorted(maps.Keys(turns.endings)) {
				if end := turns.endings[index]; end.hang {
					handle.markers = append(handle.markers, end.marker)
				}
			}
		}
	}
	if err := handle.publish(registry); err != nil {
		return nil, err
	}
	return handle, nil
}

func (h *Handle) publish(registry *llm.Registry) error {
	dispose, err := registry.Register(adapter{h})
	if err != nil {
		return fmt.Errorf("replay: publishing the provider (the row llm-deepseek must be disabled): %w", err)
	}
	h.dispose = dispose
	return nil
}

// Move takes the provider from its registry to another one, that of a host that was booted again over the same sessions: what is bound
// stays bound, and every script goes on where it is. Call it while no host asks.
func (h *Handle) Move(registry *llm.Registry) error {
	h.dispose()
	return h.publish(registry)
}

// Dispose takes the provider out of the registry. Running streams go on. It may be called more than once.
func (h *Handle) Dispose() { h.dispose() }

// Calls lists the calls so far, in the order they came.
func (h *Handle) Calls() []CallRecord {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// Strays lists, in words, the calls that did not fit the recording.
func (h *Handle) Strays() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.strays)
}

// Markers lists the markers of the override's hangs, in the order of their calls.
func (h *Handle) Markers() []string { return slices.Clone(h.markers) }

// adapter is the replay as a registry sees it.
type adapter struct{ handle *Handle }

// Info is the catalogue of the real adapter, ready.
func (a adapter) Info() llm.Info {
	info := llm.Info{ID: deepseek.ProviderID, Name: deepseek.ProviderName, Models: deepseek.DefaultModels(), Ready: true}
	for i := range info.Models {
		info.Models[i].ContextWindow = a.handle.options.ContextWindow
	}
	return info
}

// Stream answers with the next recorded call; what does not fit is raised from the stream.
func (a adapter) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	call, end, err := a.handle.take(r)
	if err != nil {
		return failing{err}, nil
	}
	return a.handle.answer(ctx, call, end), nil
}

// failing is a stream that has nothing but an error to give.
type failing struct{ err error }

func (f failing) Next() (llm.Chunk, error) { return llm.Chunk{}, f.err }

func (f failing) Close() error { return nil }

// take binds the session if it must, checks the request and moves the cursor.
func (h *Handle) take(r llm.Request) (recorded.Call, ending, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	record := CallRecord{SessionID: r.SessionID, Purpose: r.Purpose}
	call, end, err := h.match(r, &record)
	if err != nil {
		record.Err = err
		text := err.Error()
		var stray *llm.Error
		if errors.As(err, &stray) {
			text = stray.Message
		}
		h.strays = append(h.strays, text)
	}
	h.calls = append(h.calls, record)
	return call, end, err
}

func (h *Handle) match(r llm.Request, record *CallRecord) (recorded.Call, ending, error) {
	recording, err := h.bind(r)
	if err != nil {
		return recorded.Call{}, ending{}, err
	}
	record.Recorded = recording.name
	script := recording.scripts[r.Purpose]
	if script == nil {
		return recorded.Call{}, ending{}, h.exhausted(r, recording, 0)
	}
	record.Index = script.next
	if script.next >= len(script.calls) {
		return recorded.Call{}, ending{}, h.exhausted(r, recording, len(script.calls))
	}
	call := script.calls[script.next]
	record.Turn, record.Step, record.Chunks = call.Turn, call.Step, len(call.Chunks)
	if err := h.check(r, recording, call, script.next); err != nil {
		return recorded.Call{}, ending{}, err
	}
	end := script.endings[script.next]
	script.next++
	return call, end, nil
}
