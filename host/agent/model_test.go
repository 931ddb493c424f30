package agent_test

import (
	"context"
	"errors"
	"io"
	"sync"

	"keylane/host/llm"
	"keylane/host/session"
)

// model is the one fake of these tests: a provider that gives prepared answers in
// order and remembers what it was asked.
type model struct {
	mu       sync.Mutex // guards what is below
	answers  []reply
	beside   map[llm.Purpose][]reply // for calls that are no turn's, where there are any
	requests []llm.Request
}

// reply is one prepared answer. With hang the stream waits after its chunks until it
// is cancelled, and closes reached when it does.
type reply struct {
	chunks  []llm.Chunk
	err     error
	hang    bool
	reached chan struct{}
	asked   func(llm.Request)
	gate    func() // runs before the first chunk
}

func (m *model) Info() llm.Info {
	return llm.Info{ID: "fake", Name: "Fake", Ready: true, Models: []llm.ModelInfo{
		{ID: "small", Name: "Small One", ContextWindow: 1000}, {ID: "large", Name: "Large One", ContextWindow: 2000},
		{ID: "boundless", Name: "Boundless One"}}}
}

func (m *model) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	queue := &m.answers
	if own, ok := m.beside[r.Purpose]; ok {
		queue = &own
		defer func() { m.beside[r.Purpose] = own }()
	}
	if len(*queue) == 0 {
		return nil, errors.New("the test prepared no further answer")
	}
	next := (*queue)[0]
	*queue = (*queue)[1:]
	if next.asked != nil {
		next.asked(r)
	}
	return &stream{ctx: ctx, reply: next}, nil
}

func (m *model) asked() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

func (m *model) prepare(answers ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
}

// prepareFor has calls of a purpose answered apart from all others.
func (m *model) prepareFor(purpose llm.Purpose, answers ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.beside == nil {
		m.beside = map[llm.Purpose][]reply{}
	}
	m.beside[purpose] = append(m.beside[purpose], answers...)
}

// askedFor are the requests of a purpose, in order.
func (m *model) askedFor(purpose llm.Purpose) []llm.Request {
	var found []llm.Request
	for _, r := range m.asked() {
		if r.Purpose == purpose {
			found = append(found, r)
		}
	}
	return found
}

// forget drops the answers that were not asked for.
func (m *model) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = nil
}

type stream struct {
	ctx   context.Context
	reply reply
}

func (s *stream) Next() (llm.Chunk, error) {
	if gate := s.reply.gate; gate != nil {
		s.reply.gate = nil
		gate()
	}
	if len(s.reply.chunks) > 0 {
		c := s.reply.chunks[0]
		s.reply.chunks = s.reply.chunks[1:]
		return c, nil
	}
	if s.reply.hang {
		close(s.reply.reached)
		<-s.ctx.Done()
		return llm.Chunk{}, s.ctx.Err()
	}
	if s.reply.err != nil {
		return llm.Chunk{}, s.reply.err
	}
	return llm.Chunk{}, io.EOF
}

func (s *stream) Close() error { return nil }

func text(t string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkTextDelta, Index: 0, Text: t}
}

func call(index int, id, name, arguments string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkToolCallDelta, Index: index, ID: id, Name: name, HasName: true, ArgumentsDelta: arguments}
}

func finish(kind string) llm.Chunk {
	return llm.Chunk{Type: llm.ChunkFinish, Finish: &llm.FinishReason{Kind: kind}}
}

func says(words string) reply {
	return reply{chunks: []llm.Chunk{text(words), finish(llm.FinishStop)}}
}

func calls(chunks ...llm.Chunk) reply {
	return reply{chunks: append(chunks, finish(llm.FinishToolCalls))}
}

func hangs(chunks ...llm.Chunk) reply {
	return reply{chunks: chunks, hang: true, reached: make(chan struct{})}
}

func user(words string) session.Message {
	return session.Message{ID: "message-" + words, Role: session.RoleUser,
		Content: []session.Block{{Type: session.BlockText, Text: words}}, Source: session.Source{Kind: session.SourceUser}}
}
