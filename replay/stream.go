package replay

import (
	"context"
	"errors"
	"io"
	"sync"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
)

// answer is the stream of one recorded or overridden call.
func (h *Handle) answer(ctx context.Context, call recorded.Call, end ending) llm.Stream {
	played := recorded.Play(ctx, h.options.Clock, call.Chunks, h.options.Pace.delays(call))
	if end.failure == nil && !end.hang {
		return played // one that is cut ends here, and the registry calls it what it is
	}
	return &overridden{Stream: played, ctx: ctx, end: end, marker: h.options.Marker, closed: make(chan struct{})}
}

// overridden gives its chunks and then fails or hangs, as its entry says.
type overridden struct {
	llm.Stream
	ctx    context.Context
	end    ending
	marker func(string) // nil: nobody wants to know
	once   sync.Once
	closed chan struct{}
	told   bool // by the reading goroutine only
}

// Next gives the prefix. Behind it, a throw gives its failure, and a hang waits for the end of the call; when it begins to wait, whoever
// reads has consumed the whole prefix.
func (o *overridden) Next() (llm.Chunk, error) {
	chunk, err := o.Stream.Next()
	if !errors.Is(err, io.EOF) {
		return chunk, err
	}
	if o.end.failure != nil {
		return llm.Chunk{}, &llm.Error{Failure: *o.end.failure}
	}
	if !o.told && o.marker != nil {
		o.told = true
		o.marker(o.end.marker)
	}
	select {
	case <-o.ctx.Done():
		return llm.Chunk{}, o.ctx.Err()
	case <-o.closed:
		return llm.Chunk{}, context.Canceled
	}
}

// Close ends a wait of Next.
func (o *overridden) Close() error {
	o.once.Do(func() { close(o.closed) })
	return o.Stream.Close()
}
