package llm_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"keylane/host/llm"
	"keylane/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// steps is an adapter whose stream does what it is told: a chunk, or an error.
type steps struct {
	id     string
	err    error
	steps  []any
	closed *int
}

func (s steps) Info() llm.Info { return llm.Info{ID: s.id, Ready: true} }

func (s steps) Stream(context.Context, llm.Request) (llm.Stream, error) {
	if s.err != nil {
		return nil, s.err
	}
	return &stepStream{steps: s.steps, closed: s.closed}, nil
}

type stepStream struct {
	mu     sync.Mutex
	steps  []any
	closed *int
}

func (s *stepStream) Next() (llm.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 {
		return llm.Chunk{}, io.EOF
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	if err, ok := step.(error); ok {
		return llm.Chunk{}, err
	}
	return step.(llm.Chunk), nil
}

func (s *stepStream) Close() error {
	if s.closed != nil {
		*s.closed++
	}
	return nil
}

func ask(t *testing.T, ctx context.Context, adapter llm.Adapter) (chunks []llm.Chunk, outcomes []error) {
	t.Helper()
	registry := llm.NewRegistry()
	if _, err := registry.Register(adapter); err != nil {
		t.Fatal(err)
	}
	registry.Observe(func(_ llm.Request, err error) { outcomes = append(outcomes, err) })
	stream, err := registry.Stream(ctx, llm.Request{Provider: adapter.Info().ID})
	if err != nil {
		t.Fatal(err)
	}
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("a stream of the registry gave an error: %v", err)
		}
		chunks = append(chunks, chunk)
	}
	if _, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	return chunks, outcomes
}

func TestEveryStreamEndsInExactlyOneFinish(t *testing.T) {
	failure := &llm.Error{Failure: session.Failure{Code: "RATE_LIMIT", Message: "slow", Status: 429, RetryAfterMs: 1000}}
	for name, c := range map[string]struct {
		adapter steps
		kind    string
		code    string
		chunks  int
	}{
		"a finish is the end":                {steps{steps: []any{text(0, "a"), finish("stop"), text(0, "b")}}, "stop", "", 2},
		"an early error is a finish":         {steps{err: failure}, "error", "RATE_LIMIT", 1},
		"a late error is a finish":           {steps{steps: []any{text(0, "a"), failure}}, "error", "RATE_LIMIT", 2},
		"an end without a finish is a cut":   {steps{steps: []any{text(0, "a")}}, "error", "TRANSPORT", 2},
		"an empty stream is a cut":           {steps{}, "error", "TRANSPORT", 1},
		"a plain error has no facts":         {steps{steps: []any{errors.New("odd")}}, "error", "UNKNOWN", 1},
		"a malformed chunk breaks the rules": {steps{steps: []any{llm.Chunk{Type: "poem"}}}, "error", "PROTOCOL", 1},
		"a failure of its own passes":        {steps{steps: []any{finish("error")}}, "error", "SERVER", 1},
	} {
		t.Run(name, func(t *testing.T) {
			c.adapter.id = "x"
			chunks, outcomes := ask(t, t.Context(), c.adapter)
			last := chunks[len(chunks)-1]
			if len(chunks) != c.chunks || last.Type != llm.ChunkFinish || last.Finish.Kind != c.kind {
				t.Fatalf("chunks %+v", chunks)
			}
			if len(outcomes) != 1 {
				t.Fatalf("%d outcomes", len(outcomes))
			}
			if got := llm.FailureOf(outcomes[0]); got.Code != c.code {
				t.Errorf("outcome %+v, want code %q", got, c.code)
			}
			if c.code == "RATE_LIMIT" && *last.Finish.Failure != failure.Failure {
				t.Errorf("facts were lost: %+v", *last.Finish.Failure)
			}
		})
	}
}

func TestACancelledStreamIsAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	chunks, outcomes := ask(t, ctx, steps{id: "x", steps: []any{errors.New("socket closed")}})
	if chunks[0].Finish.Kind != llm.FinishAborted || llm.FailureOf(outcomes[0]).Code != llm.CodeAborted {
		t.Errorf("%+v, %v", chunks[0].Finish, outcomes)
	}
}

func TestAnUnknownProviderIsTheOnlyErrorAndIsObserved(t *testing.T) {
	registry := llm.NewRegistry()
	var seen []string
	dispose := registry.Observe(func(r llm.Request, err error) { seen = append(seen, r.SessionID+" "+llm.FailureOf(err).Code) })
	_, err := registry.Stream(t.Context(), llm.Request{SessionID: "s1", Provider: "nobody"})
	if failure := llm.FailureOf(err); failure.Code != llm.CodeNoAdapter || !strings.Contains(failure.Message, `"nobody"`) {
		t.Errorf("%v", err)
	}
	dispose()
	_, _ = registry.Stream(t.Context(), llm.Request{SessionID: "s2", Provider: "nobody"})
	if len(seen) != 1 || seen[0] != "s1 NO_ADAPTER" {
		t.Errorf("observed %v", seen)
	}
}

func TestAStreamClosedEarlyIsObservedOnceAndReleased(t *testing.T) {
	registry := llm.NewRegistry()
	closed := 0
	if _, err := registry.Register(steps{id: "x", steps: []any{text(0, "a")}, closed: &closed}); err != nil {
		t.Fatal(err)
	}
	var outcomes []error
	registry.Observe(func(_ llm.Request, err error) { outcomes = append(outcomes, err) })
	stream, err := registry.Stream(t.Context(), llm.Request{Provider: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(outcomes) != 1 || llm.FailureOf(outcomes[0]).Code != llm.CodeAborted || closed == 0 {
		t.Errorf("outcomes %v, closed %d", outcomes, closed)
	}
}

func TestAProviderIdIsTakenOnceAndFreeAfterDispose(t *testing.T) {
	registry := llm.NewRegistry()
	dispose, err := registry.Register(steps{id: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Register(steps{id: "x"}); err == nil || !strings.Contains(err.Error(), "already registered") {
		t.Errorf("a second one: %v", err)
	}
	if _, err := registry.Register(steps{}); err == nil {
		t.Error("an adapter without id was taken")
	}
	dispose()
	if _, err := registry.Register(steps{id: "x"}); err != nil {
		t.Error(err)
	}
	dispose() // of the first: must not touch the second
	if _, ok := registry.Lookup("x"); !ok || len(registry.Providers()) != 1 {
		t.Error("a stale dispose removed another provider")
	}
}

type never struct{}

func (never) Next(int, session.Failure) (llm.Retry, bool) { return llm.Retry{}, false }

func TestOneRetryPolicyIsMountedAtATime(t *testing.T) {
	registry := llm.NewRegistry()
	if registry.RetryPolicy() != nil {
		t.Error("a new registry retries")
	}
	dispose, err := registry.SetRetryPolicy(never{})
	if err != nil || registry.RetryPolicy() == nil {
		t.Fatal(err)
	}
	if _, err := registry.SetRetryPolicy(never{}); err == nil {
		t.Error("a second policy was mounted")
	}
	dispose()
	again, err := registry.SetRetryPolicy(never{})
	if err != nil {
		t.Fatal(err)
	}
	dispose() // takes away only what it mounted
	if registry.RetryPolicy() == nil {
		t.Error("the second policy is gone")
	}
	again()
	if registry.RetryPolicy() != nil {
		t.Error("it is still mounted")
	}
}
