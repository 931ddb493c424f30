package measure

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/profiler"

	"keylane/scaffold/chromium"
)

// A Costs is what a page holds and what its main thread has done so far.
type Costs struct {
	// Nodes are DOM nodes that are in a document or held by a script, Listeners its event listeners; both are counts.
	Nodes, Listeners float64
	// HeapMiB is the JavaScript heap in use.
	HeapMiB float64
	// Milliseconds of the main thread since the page began to be counted: all tasks, and of them scripts, layout and styles.
	TaskMs, ScriptMs, LayoutMs, StyleMs float64
}

// Count begins to count the main thread's time; without it Cost tells 0.
func Count(ctx context.Context, p *chromium.Page) error {
	if _, err := chromium.Call(ctx, p, performance.Enable, performance.EnableParams{}); err != nil {
		return fmt.Errorf("measure: counting the main thread's time: %w", err)
	}
	return nil
}

// Cost collects garbage and tells what the page holds then.
func Cost(ctx context.Context, p *chromium.Page) (Costs, error) {
	// What is only weakly held needs a second collection: the first may run finalizers that let go of more.
	for range 2 {
		if _, err := chromium.Call(ctx, p, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return Costs{}, fmt.Errorf("measure: collecting the page's garbage: %w", err)
		}
	}
	counters, err := chromium.Call(ctx, p, memory.GetDOMCounters, cdp.Empty{})
	if err != nil {
		return Costs{}, fmt.Errorf("measure: counting the page's nodes: %w", err)
	}
	told, err := Spent(ctx, p)
	told.Nodes, told.Listeners = float64(counters.Nodes), float64(counters.JsEventListeners)
	return told, err
}

// Spent is Cost without a collection and without counting nodes and listeners: it disturbs nothing.
func Spent(ctx context.Context, p *chromium.Page) (Costs, error) {
	told, err := chromium.Call(ctx, p, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return Costs{}, fmt.Errorf("measure: asking for the page's metrics: %w", err)
	}
	named := map[string]float64{}
	for _, metric := range told.Metrics {
		named[metric.Name] = metric.Value
	}
	return Costs{
		HeapMiB: named["JSHeapUsedSize"] / (1 << 20),
		TaskMs:  1000 * named["TaskDuration"], ScriptMs: 1000 * named["ScriptDuration"],
		LayoutMs: 1000 * named["LayoutDuration"], StyleMs: 1000 * named["RecalcStyleDuration"],
	}, nil
}

// Profile takes a profile of what the page's scripts do during act, as the browser's developer tools read it, and leaves it in the test's
// outputs as <name>.cpuprofile. It slows the page: figures that are taken meanwhile are none.
func Profile(ctx context.Context, p *chromium.Page, name string, act func() error) error {
	begin := func() error {
		if _, err := chromium.Call(ctx, p, profiler.Enable, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := chromium.Call(ctx, p, profiler.SetSamplingInterval, profiler.SetSamplingIntervalParams{Interval: 200}); err != nil {
			return err
		}
		_, err := chromium.Call(ctx, p, profiler.Start, cdp.Empty{})
		return err
	}
	if err := begin(); err != nil {
		return fmt.Errorf("measure: beginning the profile %s: %w", name, err)
	}
	if err := act(); err != nil {
		return err
	}
	taken, err := chromium.Call(ctx, p, profiler.Stop, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("measure: ending the profile %s: %w", name, err)
	}
	if _, err := chromium.Call(ctx, p, profiler.Disable, cdp.Empty{}); err != nil {
		return fmt.Errorf("measure: ending the profile %s: %w", name, err)
	}
	text, err := json.Marshal(taken.Profile)
	if err != nil {
		return fmt.Errorf("measure: writing the profile %s: %w", name, err)
	}
	return Leave(name+".cpuprofile", text)
}
