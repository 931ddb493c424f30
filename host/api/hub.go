package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"keylane/host/clock"
)

// Limits bound what a stream keeps and how long it waits. Zero fields mean the
// defaults.
type Limits struct {
	// Frames and Bytes bound what is kept of each stream for readers that lag or come
	// back. Default 8192 frames, 16 MiB.
	Frames int
	Bytes  int
	// BodyBytes bounds a request's body. Default 8 MiB.
	BodyBytes int64
	// WriteMs is how long one write to a reader may take. Default 10 000 ms.
	WriteMs int
	// HeartbeatMs is how often an idle stream says that it lives. Default 15 000 ms.
	HeartbeatMs int
}

func (l Limits) withDefaults() Limits {
	set := func(v *int, standard int) {
		if *v <= 0 {
			*v = standard
		}
	}
	set(&l.Frames, 8192)
	set(&l.Bytes, 16<<20)
	set(&l.WriteMs, 10_000)
	set(&l.HeartbeatMs, 15_000)
	if l.BodyBytes <= 0 {
		l.BodyBytes = 8 << 20
	}
	return l
}

// resyncFrame says that frames are missing: what follows is the baseline.
type resyncFrame struct {
	Reason resyncReason `json:"reason"`
}

// resyncReason is why frames are missing.
type resyncReason string

// Reasons of a resync frame.
const (
	resyncEpoch  resyncReason = "epoch"    // the cursor is of another run of the host, or nonsense
	resyncTooOld resyncReason = "too-old"  // what came after the cursor is no longer kept
	resyncSlow   resyncReason = "overflow" // this very stream fell behind what is kept
)

// hub is one stream: the last frames, numbered, and who reads them. Readers are
// positions in the one ring, so a slow one costs nothing.
type hub struct {
	name   string
	epoch  string
	limits Limits
	clock  clock.Clock
	logger *slog.Logger

	// mu guards what is below and all state that baseline tells of. It is a leaf: nothing
	// else is locked while it is held.
	mu       sync.Mutex
	frames   [][]byte // the last frames, oldest first, as they are written
	last     int64    // number of the last frame; frames[len-1] when there is any
	bytes    int      // of frames
	readers  map[*reader]bool
	baseline func(emit emitter) // called with mu held
}

// emitter adds a frame to wherever it is used.
type emitter func(method string, payload any)

// answerable is the payload of a frame that a client answers: its rpcId is the same whenever the frame is sent.
type answerable interface{ rpcID() string }

// reader is one open stream.
type reader struct {
	hub      *hub
	position int64 // number of the last frame taken; guarded by hub.mu
	wake     chan struct{}
}

func newHub(name, epoch string, l Limits, c clock.Clock, logger *slog.Logger) *hub {
	return &hub{name: name, epoch: epoch, limits: l, clock: c, logger: logger, readers: map[*reader]bool{}, baseline: func(emitter) {}}
}

func (h *hub) cursor() (string, int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.epoch, h.last
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readers)
}

// update runs f, which changes the baseline's state and emits the frames that tell of
// it, as one step: a reader's baseline is from before or after, never between.
func (h *hub) update(f func(emit emitter)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.last
	f(func(method string, payload any) {
		text, err := h.encode(h.last+1, method, payload)
		if err != nil {
			// The readers must not believe that they have everything.
			h.logger.Error("a frame could not be encoded", "stream", h.name, "frame", method, "error", err)
			return
		}
		h.last++
		h.frames = append(h.frames, text)
		h.bytes += len(text)
	})
	h.trim()
	if h.last != before {
		for r := range h.readers {
			r.notify()
		}
	}
}

// trim forgets the oldest frames beyond the limits, but never the last one.
func (h *hub) trim() {
	drop := 0
	for len(h.frames)-drop > 1 && (len(h.frames)-drop > h.limits.Frames || h.bytes > h.limits.Bytes) {
		h.bytes -= len(h.frames[drop])
		h.frames[drop] = nil
		drop++
	}
	h.frames = h.frames[drop:]
}

func (h *hub) encode(n int64, method string, payload any) ([]byte, error) {
	id := ""
	if a, ok := payload.(answerable); ok {
		id = a.rpcID()
	} else {
		id = h.clock.NewID()
	}
	text, err := encode(push{typeServerRequest, id, method, payload})
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(text)+40)
	b = append(b, "id: "...)
	b = append(b, h.id(n)...)
	b = append(b, "\ndata: "...)
	b = append(b, text...)
	return append(b, "\n\n"...), nil
}

func (h *hub) id(n int64) string { return h.epoch + "-" + strconv.FormatInt(n, 10) }

// oldest is the number of the oldest frame kept; called with mu held.
func (h *hub) oldest() int64 { return h.last - int64(len(h.frames)) + 1 }

// open adds a reader and returns what it is to be sent first. With a cursor that can be
// continued that is nothing: what it missed comes like everything else.
func (h *hub) open(lastEventID string) (*reader, []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &reader{hub: h, wake: make(chan struct{}, 1)}
	h.readers[r] = true
	if lastEventID == "" {
		return r, h.start(r, "")
	}
	epoch, number, _ := strings.Cut(lastEventID, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case epoch != h.epoch || err != nil || n < 0 || n > h.last:
		return r, h.start(r, resyncEpoch)
	case n+1 < h.oldest():
		return r, h.start(r, resyncTooOld)
	}
	r.position = n
	r.notify()
	return r, nil
}

// start puts the reader at the end and returns the resync frame, when there is a
// reason for one, the baseline, and the block that gives the reader its cursor. It is
// called with mu held, so that nothing comes between the baseline and what is live.
func (h *hub) start(r *reader, reason resyncReason) []byte {
	var b bytes.Buffer
	emit := func(method string, payload any) {
		// The id says "nothing": a reader cut off inside the baseline must start again.
		text, err := h.encode(0, method, payload)
		if err != nil {
			h.logger.Error("a baseline frame could not be encoded", "stream", h.name, "frame", method, "error", err)
			return
		}
		b.Write(text)
	}
	if reason != "" {
		emit("resync", resyncFrame{reason})
	}
	h.baseline(emit)
	fmt.Fprintf(&b, "id: %s\n\n", h.id(h.last))
	r.position = h.last
	return b.Bytes()
}

// take returns the frames the reader has not had, or, when they are no longer kept, a new
// start. Nothing means that it has everything.
func (r *reader) take() [][]byte {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.position+1 < h.oldest() {
		return [][]byte{h.start(r, resyncSlow)}
	}
	frames := h.frames[int64(len(h.frames))-(h.last-r.position):]
	// A bounded bite: frames that are dropped meanwhile must not be held by a slow reader.
	const bite = 64
	if len(frames) > bite {
		frames = frames[:bite]
		r.notify()
	}
	r.position += int64(len(frames))
	return append([][]byte(nil), frames...)
}

func (r *reader) notify() {
	select {
	case r.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (r *reader) close() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	delete(r.hub.readers, r)
}
