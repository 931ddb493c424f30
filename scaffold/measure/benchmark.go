package measure

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// HeapMiB is what is in use after a collection. The log of an attached session is in memory as a whole, so that of a host grows by it.
func HeapMiB() float64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / (1 << 20)
}

// Benchmark gives the distribution of what took so long, and further figures whose names end in "-<unit>", as metrics of a Go benchmark, and
// leaves them in the test's outputs as the row's result. An operation is all of it together, so there is no time for one. It sorts took.
func Benchmark(b *testing.B, row string, took []time.Duration, more map[string]float64) {
	b.Helper()
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Nanoseconds()) / 1000
	}
	metrics := map[string]float64{"p50-µs": at(0.5), "p99-µs": at(0.99), "max-µs": at(1)}
	maps.Copy(metrics, more)
	result := New(row, "", "")
	for _, figure := range slices.Sorted(maps.Keys(metrics)) {
		b.ReportMetric(metrics[figure], figure)
		result.Add(figure, figure[strings.LastIndex(figure, "-")+1:], metrics[figure])
	}
	b.ReportMetric(0, "ns/op")
	if err := result.Write(); err != nil {
		b.Fatal(err)
	}
}
