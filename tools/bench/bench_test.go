package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold/measure"
)

// noisy are samples around a centre, as those of a machine with other things to do: most near it, one of eight far above.
func noisy(seed uint64, centre float64, count int) []float64 {
	random := rand.New(rand.NewPCG(seed, 9))
	samples := make([]float64, count)
	for i := range samples {
		samples[i] = centre * math.Exp(0.1*random.NormFloat64())
		if i%8 == 7 {
			samples[i] *= 3
		}
	}
	return samples
}

func verdictOf(before, after []float64) verdict {
	return compared(key{"row", "figure"}, "ms", before, after).Verdict
}

func TestADifferenceIsToldAndNoiseIsNot(t *testing.T) {
	wrong := 0
	for seed := range uint64(200) {
		if verdictOf(noisy(seed, 100, 15), noisy(seed+1000, 100, 15)) != same {
			wrong++
		}
		if got := verdictOf(noisy(seed, 100, 15), noisy(seed+1000, 200, 15)); got != higher {
			t.Errorf("seed %d: twice as much is %q", seed, got)
		}
		if got := verdictOf(noisy(seed, 100, 15), noisy(seed+1000, 50, 15)); got != lower {
			t.Errorf("seed %d: half as much is %q", seed, got)
		}
	}
	if wrong > 20 { // one in ten; 95 of 100 is what is promised of normal noise and many samples
		t.Errorf("noise was called a difference %d times of 200", wrong)
	}
}

func TestTheSameSamplesAreTheSame(t *testing.T) {
	for seed := range uint64(50) {
		samples := noisy(seed, 10, 3+int(seed%20))
		if got := verdictOf(samples, samples); got != same {
			t.Errorf("seed %d: the same samples are %q", seed, got)
		}
	}
}

func TestTwoSamplesSayNothing(t *testing.T) {
	if got := verdictOf([]float64{1, 1}, []float64{9, 9, 9}); got != few {
		t.Errorf("two samples are enough for %q", got)
	}
}

func TestWhatWasNothingAndIsSomethingIsHigher(t *testing.T) {
	if got := verdictOf([]float64{0, 0, 0}, []float64{4, 4, 5}); got != higher {
		t.Errorf("from 0 to 4 is %q", got)
	}
	if got := verdictOf([]float64{0, 0, 0}, []float64{0, 0, 0}); got != same {
		t.Errorf("from 0 to 0 is %q", got)
	}
}

func TestASmallDifferenceIsNoneHoweverSure(t *testing.T) {
	if got := verdictOf([]float64{100, 100, 100, 100}, []float64{103, 103, 103, 103}); got != same {
		t.Errorf("three of a hundred are %q", got)
	}
}

// put writes a result as a run of a row leaves it.
func put(t *testing.T, folder string, result measure.Result) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, result.Row+".json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func result(row string, load float64, figures ...*measure.Figure) measure.Result {
	return measure.Result{Row: row, Figures: figures, Machine: measure.Facts{Cores: 2, LoadBefore: load}}
}

func figure(name string, samples ...float64) *measure.Figure {
	return &measure.Figure{Name: name, Unit: "ms", Samples: samples}
}

func TestRunsOfOneSetAreTakenTogether(t *testing.T) {
	root := t.TempDir()
	for i, value := range []float64{10, 11, 12} {
		run := string(rune('1' + i))
		put(t, filepath.Join(root, "before", run), result("soak", 0.1, figure("echo <b>", value), figure("gone", 1)))
		put(t, filepath.Join(root, "after", run), result("soak", 3, figure("echo <b>", 2*value), figure("new", 1)))
	}
	if err := os.WriteFile(filepath.Join(root, "after", "other.json"), []byte(`{"a":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	page := filepath.Join(root, "page.html")
	if code := run([]string{"--html", page, filepath.Join(root, "before"), filepath.Join(root, "after")}, &out, &problems); code != 0 {
		t.Fatalf("it ended with %d: %s", code, problems.String())
	}
	for _, want := range []string{"soak", "echo <b>", "11.0 →       22.0 ms", "× 2.00", "higher", "gone: only before", "new: only after", "busy after: load 1.5 per core", "1 JSON files"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, out.String())
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), "<circle"); got != 6 {
		t.Errorf("the page shows %d samples, want 6", got)
	}
	if strings.Contains(string(text), "echo <b>") || !strings.Contains(string(text), "echo &lt;b&gt;") {
		t.Error("a figure's name is markup on the page")
	}
}

func TestWhatCannotBeComparedIsSaid(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "a"), result("soak", 0, figure("echo", 1)))
	put(t, filepath.Join(root, "b"), result("million", 0, figure("open", 1)))
	if err := os.Mkdir(filepath.Join(root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, each := range []struct {
		arguments []string
		code      int
		says      string
	}{
		{[]string{"a"}, 2, "two sets"},
		{[]string{"--nothing", "a", "b"}, 2, "two sets"},
		{[]string{filepath.Join(root, "a"), filepath.Join(root, "absent")}, 1, "absent"},
		{[]string{filepath.Join(root, "a"), filepath.Join(root, "empty")}, 1, "no result"},
		{[]string{filepath.Join(root, "a"), filepath.Join(root, "b")}, 1, "no figure is in both"},
	} {
		var out, problems bytes.Buffer
		if code := run(each.arguments, &out, &problems); code != each.code || !strings.Contains(problems.String(), each.says) {
			t.Errorf("bench %q ended with %d and said %q", each.arguments, code, problems.String())
		}
	}
	var out, problems bytes.Buffer
	if code := run([]string{"--help"}, &out, &problems); code != 0 || !strings.Contains(out.String(), "BEFORE and AFTER are folders") {
		t.Errorf("--help ended with %d and said %q", code, out.String())
	}
}
