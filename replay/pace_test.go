package replay_test

import (
	"context"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/replay"
)

// waiting asks for a paced answer and returns once it waits for its first chunk, whose time never comes.
func waiting(t *testing.T, ctx context.Context) (clk *clock.Manual, stream llm.Stream, first <-chan llm.Chunk) {
	t.Helper()
	clk = clock.NewManual(time.UnixMilli(0), 1)
	l := install(t, replay.Options{
		Fixture: fixture(t, map[string][]string{"session.jsonl": {header, user("a"), chunks("1", "1", "b")}}), Pace: replay.Fixed(time.Hour), Clock: clk,
	})
	stream, err := l.registry.Stream(ctx, llm.Request{SessionID: "s", Provider: "deepseek", Purpose: llm.PurposeTurn, Messages: said("a")})
	if err != nil {
		t.Fatal(err)
	}
	given := make(chan llm.Chunk, 1)
	go func() { // ends with the wait
		chunk, _ := stream.Next() // a failure is a chunk, too
		given <- chunk
	}()
	if err := clk.AwaitTimers(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return clk, stream, given
}

func TestCancellingEndsAWaitAndItsTimer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clk, stream, first := waiting(t, ctx)
	cancel()
	if chunk := <-first; chunk.Finish == nil || chunk.Finish.Kind != llm.FinishAborted {
		t.Errorf("%+v", chunk)
	}
	if err := stream.Close(); err != nil || clk.Timers() != 0 {
		t.Errorf("%v, %d timers are left", err, clk.Timers())
	}
}

func TestClosingEndsAWaitAndItsTimer(t *testing.T) {
	clk, stream, first := waiting(t, t.Context())
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if chunk := <-first; !chunk.Finish.Failed() || clk.Timers() != 0 {
		t.Errorf("%+v, %d timers are left", chunk, clk.Timers())
	}
}

// Without a cancel the wait lasts as long as it should, so that its end above is the cancel's.
func TestAWaitEndsByItselfWhenItsTimeHasCome(t *testing.T) {
	clk, stream, first := waiting(t, t.Context())
	clk.Advance(time.Hour - 1)
	select {
	case chunk := <-first:
		t.Errorf("too early: %+v", chunk)
	default:
	}
	clk.Advance(1)
	if chunk := <-first; chunk.Text != "b" {
		t.Errorf("%+v", chunk)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
}

func TestAMovedReplayGoesOnWhereItIs(t *testing.T) {
	l := install(t, replay.Options{Fixture: fixture(t, map[string][]string{
		"session.jsonl": {header, user("a"), chunks("1", "1", "A"), user("b"), chunks("2", "1", "B")}})})
	l.want(llm.Request{SessionID: "s", Messages: said("a")}, "A")
	next := lane{t, llm.NewRegistry(), l.handle}
	if err := l.handle.Move(next.registry); err != nil {
		t.Fatal(err)
	}
	if _, err := l.registry.Stream(t.Context(), llm.Request{Provider: "deepseek"}); llm.FailureOf(err).Code != llm.CodeNoAdapter {
		t.Errorf("the host that is gone is still answered: %v", err)
	}
	next.refused(llm.Request{SessionID: "another", Messages: said("a")}, replay.CodeUnrecorded, "bound to session s")
	next.want(llm.Request{SessionID: "s", Messages: said("a", "b")}, "B")
}
