package recorded

import (
	"context"
	"io"
	"sync"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
)

// Play is a stream that gives chunks, waiting delay(k) before chunk k (counted from 0); a nil delay waits for nothing. Cancelling ctx and
// Close end a wait at once. The chunks are shared and not changed.
func Play(ctx context.Context, clk clock.Clock, chunks []llm.Chunk, delay func(k int) time.Duration) llm.Stream {
	return &player{ctx: ctx, clock: clk, chunks: chunks, delay: delay, closed: make(chan struct{})}
}

type player struct {
	ctx    context.Context
	clock  clock.Clock
	chunks []llm.Chunk
	delay  func(int) time.Duration
	next   int // used by the reading goroutine only

	once   sync.Once
	closed chan struct{}
}

// Next waits for the next chunk's time and gives it.
func (p *player) Next() (llm.Chunk, error) {
	if err := p.ctx.Err(); err != nil {
		return llm.Chunk{}, err
	}
	if p.next >= len(p.chunks) {
		return llm.Chunk{}, io.EOF
	}
	if p.delay != nil {
		if err := p.wait(p.delay(p.next)); err != nil {
			return llm.Chunk{}, err
		}
	}
	p.next++
	return p.chunks[p.next-1], nil
}

func (p *player) wait(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	due, stop := p.clock.After(d)
	defer stop()
	select {
	case <-due:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-p.closed:
		return context.Canceled
	}
}

// Close ends a wait of Next.
func (p *player) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
