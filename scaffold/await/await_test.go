package await_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"keylane/scaffold/await"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is a state that is changed by hand.
type counter struct {
	await.Signal
	mu    sync.Mutex
	value int
	taken int
}

func (c *counter) set(value int) {
	c.mu.Lock()
	c.value = value
	c.mu.Unlock()
	c.Notify()
}

func (c *counter) take(context.Context) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken++
	return c.value, nil
}

func reaches(n int) await.Expectation[int] {
	return await.That(fmt.Sprintf("the counter reaches %d", n), func(value int) (bool, string) { return value >= n, fmt.Sprintf("it is %d", value) })
}

func never(n int) await.Expectation[int] {
	return await.Expectation[int]{Description: fmt.Sprintf("the counter stays below %d", n), Check: func(value int) (await.Verdict, string) {
		if value >= n {
			return await.Unmeetable, fmt.Sprintf("it is %d", value)
		}
		return await.Met, ""
	}}
}

func Example() {
	var c counter
	a := await.New(c.take, &c)
	go c.set(12)
	if err := a.Await(context.Background(), await.AllOf(reaches(12), never(100))); err != nil {
		fmt.Println(err)
	}
	err := a.Await(context.Background(), await.AllOf(reaches(13), never(10)))
	fmt.Println(err)
	// Output:
	// await: it cannot happen any more that all of (the counter reaches 13; the counter stays below 10):
	//   unmet      the counter reaches 13: it is 12
	//   unmeetable the counter stays below 10: it is 12
}

func TestAnExpectationThatIsMetAlreadyNeedsNoEvent(t *testing.T) {
	var c counter
	if err := await.New(c.take).Await(await.Context(t), reaches(0)); err != nil {
		t.Error(err)
	}
}

func TestTheStateIsJudgedOncePerEventAndNeverWithoutOne(t *testing.T) {
	ctx, cancel := context.WithTimeout(await.Context(t), 100*time.Millisecond)
	defer cancel()
	var c counter
	err := await.New(c.take, &c).Await(ctx, reaches(1))
	var timeout *await.TimeoutError
	if !errors.As(err, &timeout) || timeout.Evaluations != 1 || c.taken != 1 {
		t.Errorf("%v after %d looks", err, c.taken)
	}
}

func TestAnEventBetweenTheLookAndTheWaitIsNotMissed(t *testing.T) {
	var c counter
	first := true
	take := func(ctx context.Context) (int, error) {
		value, err := c.take(ctx)
		if first { // the change comes after the look, before the wait
			first = false
			c.set(5)
		}
		return value, err
	}
	if err := await.New(take, &c).Await(await.Context(t), reaches(5)); err != nil {
		t.Error(err)
	}
}

func TestAnyNumberOfGoroutinesAwaitAndAreAllWoken(t *testing.T) {
	var c counter
	a := await.New(c.take)
	ctx := await.Context(t)
	var waiting sync.WaitGroup
	errs := make(chan error, 50)
	for range 50 {
		waiting.Go(func() { errs <- a.Await(ctx, reaches(20)) })
	}
	for n := range 21 {
		c.set(n)
		a.Notify()
	}
	waiting.Wait()
	for range 50 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestAnUnmeetableExpectationStopsAtOnce(t *testing.T) {
	var c counter
	c.set(7)
	err := await.New(c.take, &c).Await(await.Context(t), await.AllOf(reaches(100), never(5)))
	var unmeetable *await.UnmeetableError
	if !errors.As(err, &unmeetable) || !strings.Contains(err.Error(), "unmeetable the counter stays below 5: it is 7") {
		t.Error(err)
	}
}

func TestTheEndOfTheObservedThingStopsAtOnce(t *testing.T) {
	gone := errors.New("the page is gone")
	err := await.New(func(context.Context) (int, error) { return 0, gone }).Await(await.Context(t), reaches(1))
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "waiting until the counter reaches 1") {
		t.Error(err)
	}
}

func TestATimeOutSaysWhatWasAwaitedAndWhatEachLeafSawLast(t *testing.T) {
	ctx, cancel := context.WithCancelCause(await.Context(t))
	var c counter
	a := await.New(c.take, &c)
	err := a.Await(ctx, await.AllOf(reaches(0), await.AnyOf(reaches(10), reaches(20)), await.Expectation[int]{
		Description: "the test gives up", Check: func(value int) (await.Verdict, string) {
			if value == 3 {
				cancel(errors.New("enough"))
			}
			c.set(value + 1 - value/3) // up to 3
			return await.Unmet, "not yet"
		},
	}))
	want := `waiting until all of (the counter reaches 0; any of (the counter reaches 10; the counter reaches 20); the test gives up); seen last:
  met        the counter reaches 0: it is 3
  unmet      any of (the counter reaches 10; the counter reaches 20)
    unmet      the counter reaches 10: it is 3
    unmet      the counter reaches 20: it is 3
  unmet      the test gives up: not yet`
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "enough") {
		t.Error(err)
	}
}

func TestAfterAwaitNothingIsSubscribed(t *testing.T) {
	var c counter
	if err := await.New(c.take, &c).Await(await.Context(t), reaches(0)); err != nil {
		t.Fatal(err)
	}
	before := c.taken
	c.set(1)
	if c.taken != before {
		t.Error("an ended wait still looks")
	}
}

func verdictOf(v await.Verdict) await.Expectation[int] {
	return await.Expectation[int]{Description: v.String(), Check: func(int) (await.Verdict, string) { return v, "" }}
}

func TestCombinatorsFollowTheirTables(t *testing.T) {
	const m, u, x = await.Met, await.Unmet, await.Unmeetable
	for _, c := range []struct{ a, b, all, any, once, not await.Verdict }{
		// not is of a alone; once is: once a, then b
		{m, m, m, m, m, u}, {m, u, u, m, x, u}, {m, x, x, m, x, u},
		{u, m, u, m, u, m}, {u, u, u, u, u, m}, {u, x, x, u, u, m},
		{x, m, x, m, x, m}, {x, u, x, u, x, m}, {x, x, x, x, x, m},
	} {
		a, b := verdictOf(c.a), verdictOf(c.b)
		for name, got := range map[string]struct{ e, want any }{
			"AllOf": {first(await.AllOf(a, b).Check(0)), c.all}, "AnyOf": {first(await.AnyOf(a, b).Check(0)), c.any},
			"OnceMet": {first(await.OnceMet(a, b).Check(0)), c.once}, "Not": {first(await.Not(a).Check(0)), c.not},
		} {
			if got.e != got.want {
				t.Errorf("%s(%v, %v) is %v, want %v", name, c.a, c.b, got.e, got.want)
			}
		}
	}
	if first(await.AllOf[int]().Check(0)) != m || first(await.AnyOf[int]().Check(0)) != x {
		t.Error("the empty combinations are wrong")
	}
}

func first(v await.Verdict, _ string) any { return v }

func TestAllOfAndAnyOfDoNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOf(rapid.SampledFrom([]await.Verdict{await.Met, await.Unmet, await.Unmeetable})).Draw(t, "verdicts")
		var forward, backward []await.Expectation[int]
		for i := range verdicts {
			forward = append(forward, verdictOf(verdicts[i]))
			backward = append(backward, verdictOf(verdicts[len(verdicts)-1-i]))
		}
		if first(await.AllOf(forward...).Check(0)) != first(await.AllOf(backward...).Check(0)) ||
			first(await.AnyOf(forward...).Check(0)) != first(await.AnyOf(backward...).Check(0)) {
			t.Fatal(verdicts)
		}
	})
}

func TestCopyHoldsTheStateOfTheMomentOfSuccess(t *testing.T) {
	var c counter
	var at int
	a := await.New(c.take, &c)
	c.set(4)
	if err := a.Await(await.Context(t), await.AllOf(reaches(4), await.Copy(&at))); err != nil {
		t.Fatal(err)
	}
	c.set(9)
	if at != 4 {
		t.Error(at)
	}
}
