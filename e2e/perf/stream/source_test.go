package stream_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/session"
)

// answer is a scripted answer of one text block: count deltas, each yielded when pace says so.
type answer struct {
	count int
	text  string // of each delta
	// pace is called before delta i is yielded, and waits for its turn; false ends the answer early.
	pace func(ctx context.Context, i int) bool

	mu      sync.Mutex // guards yielded
	yielded []time.Time
}

func (a *answer) at(i int) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.yielded[i]
}

func (a *answer) sent() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.yielded)
}

// source is the provider: it plays the answer that it is given next.
type source struct{ answers chan *answer }

func (s *source) plugin() composition.Plugin {
	return composition.Define("llm-source", "plays what the benchmark gives it", composition.Definition[struct{}]{
		Needs: []composition.Key{llm.Service},
		Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
			dispose, err := composition.Need(scope, llm.Service).Register(s)
			if err == nil {
				scope.OnDispose("source", func(context.Context) error { dispose(); return nil })
			}
			return err
		},
	})
}

// Info is the catalogue: one model.
func (s *source) Info() llm.Info {
	return llm.Info{ID: "source", Name: "Source", Models: []llm.ModelInfo{{ID: "source", Name: "Source"}}, Ready: true}
}

// Stream plays the next answer.
func (s *source) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	return &playing{ctx: ctx, answer: <-s.answers}, nil
}

// playing is one answer on its way: block-start, the deltas, block-end, finish.
type playing struct {
	ctx    context.Context
	answer *answer
	next   int // 0 block-start, 1 … count deltas, then the two ends
}

// Next yields one chunk; the time of a delta is taken as the last thing.
func (p *playing) Next() (llm.Chunk, error) {
	i := p.next - 1
	p.next++
	switch {
	case i < 0:
		return llm.Chunk{Type: llm.ChunkBlockStart, BlockType: session.BlockText}, nil
	case i < p.answer.count:
		if !p.answer.pace(p.ctx, i) {
			return llm.Chunk{}, p.ctx.Err()
		}
		now := time.Now()
		p.answer.mu.Lock()
		p.answer.yielded = append(p.answer.yielded, now)
		p.answer.mu.Unlock()
		return llm.Chunk{Type: llm.ChunkTextDelta, Text: p.answer.text}, nil
	case i == p.answer.count:
		block := session.Block{Type: session.BlockText, Text: strings.Repeat(p.answer.text, p.answer.count)}
		return llm.Chunk{Type: llm.ChunkBlockEnd, Block: &block}, nil
	case i == p.answer.count+1:
		return llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: llm.FinishStop}}, nil
	}
	return llm.Chunk{}, io.EOF
}

// Close has nothing to release.
func (p *playing) Close() error { return nil }
