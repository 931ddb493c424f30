package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"keylane/host/session"
)

// normalised is the stream the registry hands out: it makes one shape of all the ways in which an adapter can fail.
type normalised struct {
	ctx     context.Context
	inner   Stream // nil when the adapter failed before it had a stream
	early   error
	outcome func(error)

	finished bool // by the reading goroutine only
	told     sync.Once
}

// Next gives chunks up to and including the finish chunk, then io.EOF.
func (s *normalised) Next() (Chunk, error) {
	if s.finished {
		return Chunk{}, io.EOF
	}
	if s.early != nil {
		return s.fail(s.early), nil
	}
	chunk, err := s.inner.Next()
	switch {
	case errors.Is(err, io.EOF) && s.ctx.Err() == nil:
		return s.fail(NewError(CodeTransport, "the model's answer ended without a finish", nil)), nil
	case err != nil:
		return s.fail(err), nil
	}
	if err := chunk.validate(); err != nil {
		return s.fail(NewError(CodeProtocol, fmt.Sprintf("the provider gave a malformed chunk: %v", err), nil)), nil
	}
	if chunk.Type != ChunkFinish {
		return chunk, nil
	}
	return s.end(chunk), nil
}

func (s *normalised) fail(err error) Chunk {
	kind, failure := FinishError, FailureOf(err)
	if s.ctx.Err() != nil {
		// The cancel is the cause, whatever it made the adapter say.
		failure = FailureOf(s.ctx.Err())
		if failure.Code == CodeAborted {
			kind = FinishAborted
		}
	} else if failure.Code == CodeAborted {
		kind = FinishAborted
	}
	return s.end(Chunk{Type: ChunkFinish, Finish: &FinishReason{Kind: kind, Failure: &failure}})
}

func (s *normalised) end(finish Chunk) Chunk {
	s.finished = true
	if s.inner != nil {
		// What the adapter holds (a socket) is not needed while the caller runs tools. An error here changes nothing about the answer.
		_ = s.inner.Close()
	}
	if finish.Finish.Failed() {
		s.tell(&Error{Failure: *finish.Finish.Failure})
	} else {
		s.tell(nil)
	}
	return finish
}

func (s *normalised) tell(err error) { s.told.Do(func() { s.outcome(err) }) }

// Close ends the call; see [Stream].
func (s *normalised) Close() error {
	s.tell(&Error{Failure: session.Failure{Code: CodeAborted, Message: "the stream was closed before its finish"}})
	if s.inner == nil {
		return nil
	}
	return s.inner.Close()
}
