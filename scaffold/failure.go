package scaffold

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"keylane/scaffold/chromium"
	"keylane/scaffold/report"
)

// A witness is the scenario's T, and remembers what it was told, so that a report can say it again.
type witness struct {
	T
	mu       sync.Mutex // guards failures
	failures []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.T.Helper()
	w.remember(fmt.Sprintf(format, args...))
	w.T.Errorf(format, args...)
}

func (w *witness) Fatalf(format string, args ...any) {
	w.T.Helper()
	w.remember(fmt.Sprintf(format, args...))
	w.T.Fatalf(format, args...)
}

func (w *witness) remember(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, text)
}

func (w *witness) told() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.failures...)
}

// writeReport leaves report.html in the outputs: everything that a person needs to understand the failure without running it again.
func (s *Stage) writeReport(ctx context.Context, problem error, hostLog string) error {
	if _, mutant := s.witness.T.(*trial); mutant || outputs() == "" {
		return nil // a mutant's failure is no news
	}
	path, err := report.Write(outputs(), s.report(ctx, problem, hostLog))
	if err != nil {
		return fmt.Errorf("scaffold: writing the report: %w", err)
	}
	if len(s.pinned.captures()) > 0 {
		s.Logf("scaffold: the report is %s; if the page is meant to look like this now:\n%s", path, AcceptCommand(s.scenario.Name))
		return nil
	}
	s.Logf("scaffold: the report is %s", path)
	return nil
}

// Report is the report that would be written if the scenario failed now, as HTML.
func (s *Stage) Report() string {
	s.Helper()
	html, err := report.Render(s.report(s.Context, nil, s.hostLog.String()))
	if err != nil {
		s.Fatalf("scaffold: %v", err)
	}
	return string(html)
}

func (s *Stage) report(ctx context.Context, problem error, hostLog string) report.Report {
	r := report.Report{
		Scenario: s.scenario.Name,
		Started:  s.timeline.start,
		Failures: s.witness.told(),
		Logs:     []report.Log{{Name: "host", Text: hostLog}},
		Commands: []report.Command{
			{Purpose: "run it again", Line: "./bazelw test //e2e/" + s.scenario.Name},
			{Purpose: "accept the goldens as captured, after reading the diff", Line: AcceptCommand(s.scenario.Name)},
		},
	}
	if problem != nil {
		r.Failures = append(r.Failures, problem.Error())
	}
	for _, each := range s.merged() {
		r.Timeline = append(r.Timeline, report.Entry{Time: each.time, Source: each.source, Text: each.text})
	}
	for _, each := range s.pinned.captures() {
		r.States = append(r.States, report.State{Name: each.result.State, Diff: each.result.Diff, Screenshot: each.screenshot})
	}
	if s.agents != nil {
		for _, attached := range s.agents.Attached() {
			r.Logs = append(r.Logs, report.Log{Name: "session " + attached.Log().ID(), Text: strings.Join(lines(shown(attached.Log())), "\n")})
		}
	}
	if s.visit != nil {
		for _, event := range s.visit.Feed().All() {
			switch event.Data.(type) {
			case chromium.Console, chromium.PageError, chromium.Violation:
				r.Console = append(r.Console, event.String())
			case chromium.Request, chromium.Response, chromium.RequestEnd:
				r.Network = append(r.Network, event.String())
			}
		}
	}
	if s.Page != nil && s.engine.Err() == nil {
		screenshot, err := s.Page.Screenshot(ctx)
		if err != nil {
			r.Failures = append(r.Failures, fmt.Sprintf("scaffold: no screenshot of the end: %v", err))
		}
		r.Screenshot = screenshot
	}
	return r
}
