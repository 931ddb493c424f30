// Package fulltext is the search engine of a host: an index of what was said in the stored sessions, in a SQLite database with its full-text
// table (FTS5).
//
// The index is worth nothing: everything in it can be read again from the logs. It is made when somebody searches for the first time, and
// before every answer it is brought up to date: the store tells the revision of every session, and whatever has another one than the index
// knows is read again, and whatever is gone goes. So an answer is never of yesterday, whoever changed the logs, and Refresh only moves that
// work to where nobody waits for it. An index that is damaged, of another format or not ours is thrown away. Where none can be kept,
// it is in memory.
//
// Of a session the index has what its model would be shown (the current surface) as far as a person or the model said it: what people and
// models wrote, and the summaries that stand for it; no results of tools, no reasoning, and no context that the host adds. Of a damaged
// log it has what can be read.
//
// One goroutine has the database, from the first search to Close. Do not touch the database from anywhere else in this process; another host
// may use the same file at the same time.
package fulltext

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"keylane/host/persistence"
	"keylane/host/search"
)

// Options of an Index.
type Options struct {
	// Store has the sessions; only what reads of it is called.
	Store persistence.Store
	// Folder is where the index is kept; it may be removed while no host runs. It is made when it is needed. Empty is in memory.
	Folder string
	Logger *slog.Logger
}

// Index searches the sessions of a store. It implements search.Engine.
type Index struct {
	o      Options
	begin  sync.Once
	asks   chan ask
	nudges chan struct{} // has room for one: something has changed
	ctx    context.Context
	stop   context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended, or will never be

	// The rest is the goroutine's.
	db     *database         // nil before the first use, and after a failure
	failed map[string]string // sessions that could not be read, with their revision then: they are not tried again before it changes
}

type ask struct {
	ctx   context.Context
	query search.Query
	reply chan<- reply // has room for one
}

type reply struct {
	answer search.Answer
	err    error
}

// New makes an index; nothing is read or written before the first Search. Close it.
func New(o Options) *Index {
	x := &Index{o: o, asks: make(chan ask), nudges: make(chan struct{}, 1), done: make(chan struct{}), failed: map[string]string{}}
	x.ctx, x.stop = context.WithCancel(context.Background())
	return x
}

// Search answers as of now. The first one builds the index, which takes as long as reading all logs; when ctx ends before, that goes on.
func (x *Index) Search(ctx context.Context, q search.Query) (search.Answer, error) {
	if len(q.Phrases) == 0 {
		return search.Answer{}, nil
	}
	x.begin.Do(func() { go x.run() })
	replies := make(chan reply, 1)
	select {
	case x.asks <- ask{ctx, q, replies}:
	case <-ctx.Done():
		return search.Answer{}, fmt.Errorf("fulltext: search: %w", ctx.Err())
	case <-x.done:
		return search.Answer{}, fmt.Errorf("fulltext: %w: %w", search.ErrUnavailable, persistence.ErrClosed)
	}
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
		return search.Answer{}, fmt.Errorf("fulltext: search: %w", ctx.Err())
	case <-x.done:
		return search.Answer{}, fmt.Errorf("fulltext: %w: %w", search.ErrUnavailable, persistence.ErrClosed)
	}
}

// Refresh says that sessions have changed, so that the next search finds the index up to date. It does not wait, and does nothing before
// the first search.
func (x *Index) Refresh() {
	select {
	case x.nudges <- struct{}{}:
	default: // it is known already
	}
}

// Close ends what is under way. When ctx ends first, its error is returned and the goroutine ends as soon as the store lets go of it.
func (x *Index) Close(ctx context.Context) error {
	x.begin.Do(func() { close(x.done) })
	x.stop()
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (x *Index) run() {
	defer close(x.done)
	defer x.release()
	for {
		select {
		case <-x.ctx.Done():
			return
		case <-x.nudges:
			if _, err := x.current(); err != nil && x.ctx.Err() == nil {
				x.o.Logger.Warn("the search index could not be brought up to date; the next search tries again", "error", err)
			}
		case first := <-x.asks:
			x.answer(x.waiting(first))
		}
	}
}

// waiting is everything that is asked at this moment.
func (x *Index) waiting(first ask) []ask {
	asks := []ask{first}
	for {
		select {
		case more := <-x.asks:
			asks = append(asks, more)
		default:
			return asks
		}
	}
}

// answer brings the index up to date once for all that wait, and answers those who still do.
func (x *Index) answer(asks []ask) {
	listed, err := x.current()
	for _, a := range asks {
		if a.ctx.Err() != nil {
			continue
		}
		if err != nil {
			a.reply <- reply{err: fmt.Errorf("fulltext: %w: %w", search.ErrUnavailable, err)}
			continue
		}
		answer, failure := x.db.search(a.ctx, a.query, listed)
		if useless(failure) { // what is damaged is seen where it is read
			x.discard(failure)
			if listed, err = x.current(); err == nil {
				answer, failure = x.db.search(a.ctx, a.query, listed)
			} else {
				failure = err
			}
		}
		if failure != nil {
			failure = fmt.Errorf("fulltext: %w: %w", search.ErrUnavailable, failure)
		}
		a.reply <- reply{answer, failure}
	}
}
