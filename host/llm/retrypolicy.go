package llm

import (
	"errors"
	"time"

	"keylane/host/session"
)

// RetryPolicy decides whether a failed model call is made again. It is safe for concurrent use.
type RetryPolicy interface {
	// Next judges a failure after which retry n, counted from 1 within one step, could be made. It is false when the failure stands.
	Next(n int, failure session.Failure) (Retry, bool)
}

// Retry is what a policy decided about one retry.
type Retry struct {
	// Delay is what to wait before it.
	Delay time.Duration
	// Max is how many retries the policy makes at most; 0 is no bound.
	Max int
	// Mode and Key name the policy in the log.
	Mode, Key string
}

// SetRetryPolicy mounts the policy that callers ask ([Registry.RetryPolicy]), until dispose is called, which may be more than once. A second
// one at the same time is an error.
func (r *Registry) SetRetryPolicy(p RetryPolicy) (dispose func(), err error) {
	if p == nil {
		return nil, errors.New("llm: mounting a retry policy: it is nil")
	}
	mounted := &mountedPolicy{p}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.retry != nil {
		return nil, errors.New("llm: mounting a retry policy: there is one already")
	}
	r.retry = mounted
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.retry == mounted {
			r.retry = nil
		}
	}, nil
}

type mountedPolicy struct{ policy RetryPolicy }

// RetryPolicy is the mounted policy; nil when failures stand.
func (r *Registry) RetryPolicy() RetryPolicy {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.retry == nil {
		return nil
	}
	return r.retry.policy
}
