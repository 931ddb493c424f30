package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"keylane/scaffold/await"
	"keylane/scaffold/report"
)

// timeToEnd is how long the end of a scenario may take: a minute, and less where the whole test has less.
func timeToEnd(t T) time.Duration {
	end, bounded := await.End(t)
	if !bounded {
		return time.Minute
	}
	return min(time.Minute, time.Until(end)/10*9)
}

// watch leaves the report of a scenario that does not return although its time is over, before the test is killed with it. What awaits
// anything through the stage returns by itself, because its context ends; a scenario that hangs in something else does not. The returned
// function ends the watch.
func (s *Stage) watch(ctx context.Context, t T) (stop func()) {
	killed, bounded := await.End(t)
	returned, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-returned:
			return
		case <-ctx.Done():
		}
		rest := time.Until(killed)
		if !bounded || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return
		}
		grace := time.NewTimer(rest / 4)
		defer grace.Stop()
		select {
		case <-returned:
		case <-grace.C:
			s.reportHanging(ctx, rest/2)
		}
	}()
	return func() {
		close(returned)
		<-ended
	}
}

// reportHanging writes the report while the scenario still hangs, so it touches nothing that the scenario's goroutine may change.
func (s *Stage) reportHanging(ctx context.Context, limit time.Duration) {
	if outputs() == "" {
		return
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	r := s.report(end, errors.New("scaffold: 90 % of the test's time is over, and the scenario does not return; the log \"goroutines\" says where it hangs"), s.hostLog.String())
	r.Logs = append(r.Logs, report.Log{Name: "goroutines", Text: string(stacks)})
	path, err := report.Write(outputs(), r)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scaffold: writing the report of a scenario that hangs:", err)
		return
	}
	fmt.Fprintf(os.Stderr, "scaffold: %s hangs; the report is %s\n", s.scenario.Name, path)
}
