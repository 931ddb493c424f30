package agent

import (
	"keylane/host/llm"
	"keylane/host/session"
)

// answered asks until there is a usable answer or the failure stands. Every attempt is part of the same step and asks the same, apart from
// one after an exceeded window, which asks with a shorter history. What a failed one had said is in the log's chunks and in no message, so no
// request ever shows it.
func (t *turn) answered(request llm.Request) (*answer, *stop) {
	for retry := 1; ; retry++ {
		got, end := t.ask(request)
		if end == nil {
			end = got.judge()
		}
		if end == nil {
			return got, nil
		}
		if end = t.retry(request, retry, end); end == nil {
			continue
		}
		shorter, problem := t.recover(end)
		if problem != nil {
			return nil, problem
		}
		request, retry = *shorter, 0
	}
}

// retry waits until the call may be made again. It returns nil then, else how the turn ends: as it would have without a policy, or by a
// Stop during the wait.
func (t *turn) retry(request llm.Request, number int, end *stop) *stop {
	policy := t.a.host.o.Models.RetryPolicy()
	if policy == nil || end.broken || end.reason.Failure == nil {
		return end
	}
	decided, again := policy.Next(number, *end.reason.Failure)
	if !again {
		return end
	}
	id := t.a.host.o.Clock.NewID()
	if _, err := t.a.log.Append(session.TypeRetry, session.Retry{
		RetryID: id, Turn: t.number, Step: t.step, Provider: request.Provider, Mode: decided.Mode, PolicyKey: decided.Key,
		Retry: number, MaxRetries: decided.Max, DelayMs: decided.Delay.Milliseconds(), Failure: *end.reason.Failure,
	}); err != nil {
		return broken(codeInternal, err)
	}
	due, cancel := t.a.host.o.Clock.After(decided.Delay)
	defer cancel()
	select {
	case <-due:
	case <-t.ctx.Done():
		return t.abortion()
	}
	if _, err := t.a.log.Append(session.TypeRetryStarted, session.RetryStarted{RetryID: id, Turn: t.number, Step: t.step, Retry: number}); err != nil {
		return broken(codeInternal, err)
	}
	return t.barrier()
}
