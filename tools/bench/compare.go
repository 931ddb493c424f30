package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"keylane/scaffold/measure"
)

// A verdict says how a figure changed.
type verdict string

const (
	higher verdict = "higher"
	lower  verdict = "lower"
	same   verdict = "same"
	few    verdict = "too few"
)

const (
	resamples = 2000
	// outside is what of the quotients lies beyond each end of an interval.
	outside = 0.025
	// least is the difference of medians below which nothing is said, however sure it is.
	least = 0.05
	// enough is how many samples a side needs.
	enough = 3
	// busyLoad is the load average per core from which on a machine is called busy.
	busyLoad = 0.5
)

// A line compares one figure.
type line struct {
	Row, Figure, Unit string
	Before, After     []float64 // sorted
	// Ratio is the quotient of medians, after by before, and From and To the ends of its interval; all are NaN where a median before is 0.
	Ratio, From, To float64
	Verdict         verdict
}

func (l line) medianBefore() float64 { return measure.Median(l.Before) }
func (l line) medianAfter() float64  { return measure.Median(l.After) }

// A comparison is everything that is told.
type comparison struct {
	Before, After set
	Lines         []line
	// Warnings say why the figures may not mean what they seem to.
	Warnings []string
	// Missing are figures that only one set has.
	Missing []string
}

func compare(before, after set) comparison {
	c := comparison{Before: before, After: after}
	order, units, old := before.samples()
	later, _, young := after.samples()
	for _, k := range order {
		if young[k] == nil {
			c.Missing = append(c.Missing, fmt.Sprintf("%s / %s: only before", k.row, k.figure))
			continue
		}
		c.Lines = append(c.Lines, compared(k, units[k], old[k], young[k]))
	}
	for _, k := range later {
		if old[k] == nil {
			c.Missing = append(c.Missing, fmt.Sprintf("%s / %s: only after", k.row, k.figure))
		}
	}
	for _, side := range []struct {
		name string
		set  set
	}{{"before", before}, {"after", after}} {
		if load := side.set.busy(); load > busyLoad {
			c.Warnings = append(c.Warnings, fmt.Sprintf("the machine was busy %s: load %.1f per core", side.name, load))
		}
		if side.set.Passed > 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%d JSON files of %s are no results", side.set.Passed, side.set.Path))
		}
	}
	if a, b := before.machine(), after.machine(); a != b {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the machines differ: before %s; after %s", a, b))
	}
	return c
}

func compared(k key, unit string, before, after []float64) line {
	l := line{Row: k.row, Figure: k.figure, Unit: unit, Before: slices.Sorted(slices.Values(before)), After: slices.Sorted(slices.Values(after))}
	l.Ratio, l.From, l.To = math.NaN(), math.NaN(), math.NaN()
	if l.medianBefore() != 0 {
		l.Ratio = l.medianAfter() / l.medianBefore()
		l.From, l.To = interval(l.Before, l.After)
	}
	switch {
	case len(before) < enough || len(after) < enough:
		l.Verdict = few
	case math.IsNaN(l.Ratio) && l.medianAfter() > 0 && l.After[0] > 0:
		l.Verdict = higher // it was nothing
	case l.From > 1 && l.Ratio >= 1+least:
		l.Verdict = higher
	case l.To < 1 && l.Ratio <= 1-least:
		l.Verdict = lower
	default:
		l.Verdict = same
	}
	return l
}

// interval draws both sides anew, again and again, and gives the ends of what the quotients of the medians are then. The drawing is always
// the same, so two looks at the same figures say the same.
func interval(before, after []float64) (from, to float64) {
	random := rand.New(rand.NewPCG(1, 2))
	drawn := func(samples []float64) float64 {
		again := make([]float64, len(samples))
		for i := range again {
			again[i] = samples[random.IntN(len(samples))]
		}
		slices.Sort(again)
		return measure.Median(again)
	}
	quotients := make([]float64, 0, resamples)
	for range resamples {
		if b := drawn(before); b != 0 {
			quotients = append(quotients, drawn(after)/b)
		}
	}
	if len(quotients) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(quotients)
	at := func(share float64) float64 { return quotients[int(share*float64(len(quotients)-1))] }
	return at(outside), at(1 - outside)
}
