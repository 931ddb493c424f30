package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"keylane/host/agent"
	"keylane/host/session"
)

// told keeps what a manager says about one agent's work and storage.
type told struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (w *world) listen() *told {
	heard := &told{}
	w.t.Cleanup(w.manager.OnChange(func(c agent.Change) {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		switch {
		case c.Kind == agent.Storage && c.Trouble == nil:
			heard.lines = append(heard.lines, "stored")
		case c.Kind == agent.Storage:
			if !errors.Is(c.Trouble.Err, errDiskFull) || c.Trouble.Stored != w.store.stored() {
				w.t.Errorf("told of %v with %d events stored; %d are", c.Trouble.Err, c.Trouble.Stored, w.store.stored())
			}
			heard.lines = append(heard.lines, "trouble")
		case c.Kind == agent.Status && !c.Running:
			heard.lines = append(heard.lines, "idle")
		}
	}))
	return heard
}

func (h *told) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, " ")
}

// A turn writes several times: for the prompt, before each request, before the tool, at its end. Whichever write is the one from which on
// the disk takes nothing, it is told before the agent is idle, what was acknowledged is durable, and when the disk is well again everything is.
func TestWhicheverWriteFailsItIsToldAndNothingAcknowledgedIsLost(t *testing.T) {
	for position := int64(1); ; position++ {
		whole := false
		t.Run(fmt.Sprint("write ", position), func(t *testing.T) {
			w := newWorld(t)
			w.store.breaks.Store(position)
			w.model.prepare(calls(call(0, "a", "bash", `{"command":"true","description":"d"}`)), says("done"))
			a := w.create()
			heard := w.listen()
			acknowledged := a.Prompt(t.Context(), user("one")) == nil
			idle := a.WhenIdle(t.Context())
			if whole = idle == nil && w.store.writes.Load() < position; whole {
				if got := heard.all(); got != "idle" {
					t.Errorf("nothing failed, and it was told %q", got)
				}
				return
			}
			if !errors.Is(idle, errDiskFull) {
				t.Errorf("idle: %v", idle)
			}
			if got := heard.all(); got != "trouble idle" {
				t.Errorf("told was %q", got)
			}
			events := a.Log().Events(0, -1)
			prompted := len(events)
			for i, e := range events {
				if e.Type == session.TypeInboxSpliced && prompted == len(events) {
					prompted = i
				}
			}
			if acknowledged && w.store.stored() <= int64(prompted) {
				t.Errorf("the prompt was acknowledged as event %d, stored are %d", prompted, w.store.stored())
			}
			w.store.broken.Store(false)
			if err := a.WhenIdle(t.Context()); err != nil && !errors.Is(err, errDiskFull) {
				t.Fatal(err)
			}
			w.prompt(a, "two") // its write takes along what waited
			if got := heard.all(); !strings.HasPrefix(got, "trouble idle stored") {
				t.Errorf("after the disk was well again told was %q", got)
			}
			_, stored, err := w.store.Inspect(t.Context(), a.Log().ID())
			if err != nil || len(stored) < len(events) {
				t.Errorf("%d of %d events are stored: %v", len(stored), len(events), err)
			}
			w.idle(a)
		})
		if whole {
			if position < 5 {
				t.Errorf("a turn with a tool made only %d writes", position-1)
			}
			return
		}
		if t.Failed() {
			return
		}
	}
}
