package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/llm"
	"keylane/host/session"
)

// patience is a policy of a fixed wait, for whatever fails.
type patience struct {
	max  int
	wait time.Duration
}

func (p patience) Next(n int, _ session.Failure) (llm.Retry, bool) {
	return llm.Retry{Delay: p.wait, Max: p.max, Mode: "normal", Key: "test"}, n <= p.max
}

func (w *world) retries(p llm.RetryPolicy) {
	w.t.Helper()
	if _, err := w.models.SetRetryPolicy(p); err != nil {
		w.t.Fatal(err)
	}
}

func fails(code string, said ...llm.Chunk) reply {
	return reply{chunks: said, err: llm.NewError(code, "the provider is down", nil)}
}

func TestAFailedCallIsMadeAgainInTheSameStepAndLeavesNothingInTheHistory(t *testing.T) {
	w := newWorld(t)
	w.retries(patience{max: 2, wait: time.Millisecond})
	w.model.prepare(fails(llm.CodeServer, text("half an ")), reply{chunks: []llm.Chunk{finish(llm.FinishStop)}}, says("A whole answer."), says("Again."))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	want := `llm/retry 1/2 1ms SERVER
llm/retry-started 1
llm/retry 2/2 1ms EMPTY_RESPONSE
llm/retry-started 2
assistant/message A whole answer.
step/end
turn/end completed
`
	if diff := cmp.Diff(want, tail(a, 7)); diff != "" {
		t.Error(diff)
	}
	w.prompt(a, "more")
	w.idle(a)
	for i, request := range w.model.asked() {
		for _, message := range request.Messages {
			if strings.Contains(message.Text(), "half") {
				t.Errorf("request %d shows what a failed attempt said", i+1)
			}
		}
	}
	ids := map[string]string{}
	for _, e := range a.Log().Events(0, -1) {
		switch e.Type {
		case session.TypeRetry:
			d := data[session.Retry](e)
			ids[d.RetryID] = "waits"
			if d.Turn != 1 || d.Step != 1 || d.Provider != "fake" {
				t.Errorf("%+v", d)
			}
		case session.TypeRetryStarted:
			if d := data[session.RetryStarted](e); ids[d.RetryID] != "waits" {
				t.Errorf("%+v starts what did not wait", d)
			} else {
				ids[d.RetryID] = "started"
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("two retries need two ids: %v", ids)
	}
}

func TestAPolicyThatHasEnoughLetsTheLastFailureStand(t *testing.T) {
	w := newWorld(t)
	w.retries(patience{max: 1, wait: time.Millisecond})
	w.model.prepare(fails(llm.CodeServer), fails(llm.CodeTimeout), says("back"))
	a := w.create()
	w.prompt(a, "go")
	w.idle(a)
	if diff := cmp.Diff("llm/retry 1/1 1ms SERVER\nllm/retry-started 1\nstep/end\nturn/end error TIMEOUT\n", tail(a, 4)); diff != "" {
		t.Error(diff)
	}
	w.prompt(a, "more")
	w.idle(a)
	if got := tail(a, 1); got != "turn/end completed\n" {
		t.Error(got)
	}
}

func TestStopEndsTheWaitForARetry(t *testing.T) {
	w := newWorld(t)
	w.retries(patience{max: 2, wait: time.Hour})
	w.model.prepare(fails(llm.CodeServer, text("half an ")))
	a := w.create()
	waits := make(chan struct{})
	defer a.Log().Observe(func(e session.Event) {
		if e.Type == session.TypeRetry {
			close(waits)
		}
	})()
	w.prompt(a, "go")
	<-waits
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if diff := cmp.Diff("llm/retry 1/2 3600000ms SERVER\nstep/end\nturn/end aborted user\n", tail(a, 3)); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutDurabilityNothingIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	w.retries(patience{max: 2, wait: time.Millisecond})
	first := fails(llm.CodeServer)
	first.asked = func(llm.Request) { w.store.broken.Store(true) }
	w.model.prepare(first)
	a := w.create()
	w.prompt(a, "go")
	if err := a.WhenIdle(t.Context()); err == nil {
		t.Error("idle and durable")
	}
	if diff := cmp.Diff("llm/retry-started 1\nstep/end\nturn/end error PERSISTENCE\n", tail(a, 3)); diff != "" || len(w.model.asked()) != 1 {
		t.Error(diff, len(w.model.asked()))
	}
	w.store.broken.Store(false)
}
