package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Result is what one run of one row has measured. Its JSON is what //tools:bench compares.
type Result struct {
	// Row is the row's name, the same in every run.
	Row string `json:"row"`
	// Figures are in the order in which they were first added.
	Figures []*Figure `json:"figures"`
	Machine Facts     `json:"machine"`
}

// A Figure is one thing that was measured once or more often.
type Figure struct {
	Name string `json:"name"`
	// Unit is ms, µs, MiB, count or the like.
	Unit    string    `json:"unit"`
	Samples []float64 `json:"samples"`
}

// Facts are what figures depend on besides the code.
type Facts struct {
	Cores     int    `json:"cores"`
	Processor string `json:"processor"`
	Kernel    string `json:"kernel"`
	// LoadBefore and LoadAfter are the load averages of the last minute when the row began and when it ended: a row of a busy machine
	// says little.
	LoadBefore float64 `json:"loadBefore"`
	LoadAfter  float64 `json:"loadAfter"`
	Go         string  `json:"go"`
	Chromium   string  `json:"chromium,omitempty"`
	// Version is what the measured program says of itself.
	Version string `json:"version,omitempty"`
}

// New begins a result, with what the machine is and how busy it is now. Chromium and version may be empty.
func New(row, chromium, version string) *Result {
	return &Result{Row: row, Machine: Facts{
		Cores: runtime.NumCPU(), Processor: processor(), Kernel: firstLine("/proc/sys/kernel/osrelease"), LoadBefore: load(),
		Go: runtime.Version(), Chromium: chromium, Version: version,
	}}
}

// Add adds samples to a figure; the first time it makes it.
func (r *Result) Add(name, unit string, samples ...float64) {
	at := slices.IndexFunc(r.Figures, func(f *Figure) bool { return f.Name == name })
	if at < 0 {
		at = len(r.Figures)
		r.Figures = append(r.Figures, &Figure{Name: name, Unit: unit})
	}
	r.Figures[at].Samples = append(r.Figures[at].Samples, samples...)
}

// String is the result as a table for people: medians, and how far the samples reach.
func (r *Result) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (load %.1f, at the end %.1f)\n", r.Row, r.Machine.LoadBefore, r.Machine.LoadAfter)
	for _, figure := range r.Figures {
		sorted := slices.Sorted(slices.Values(figure.Samples))
		if len(sorted) == 0 {
			continue
		}
		fmt.Fprintf(&text, "  %-50s %10.1f %-5s", figure.Name, Median(sorted), figure.Unit)
		if len(sorted) > 1 {
			fmt.Fprintf(&text, "  %.1f … %.1f of %d", sorted[0], sorted[len(sorted)-1], len(sorted))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// Write writes the result as <row>.json into the test's undeclared outputs. Without such a folder nothing is written. Runs that are
// repeated have a folder each; //tools:bench takes them together.
func (r *Result) Write() error {
	r.Machine.LoadAfter = load()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("measure: writing the result of %s: %w", r.Row, err)
	}
	return Leave(r.Row+".json", append(text, '\n'))
}

// Leave writes a file into the test's undeclared outputs, such as a profile; where nobody keeps such a thing, it does nothing.
func Leave(name string, content []byte) error {
	folder := os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR")
	if folder == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
		return fmt.Errorf("measure: leaving %s: %w", name, err)
	}
	return nil
}

// Read reads what Write has written.
func Read(path string) (*Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("measure: reading a result: %w", err)
	}
	var result Result
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&result); err != nil {
		return nil, fmt.Errorf("measure: %s is no result: %w", path, err)
	}
	if result.Row == "" {
		return nil, fmt.Errorf("measure: %s is no result: %w", path, errors.New("it names no row"))
	}
	return &result, nil
}

// Median is the middle of sorted samples, or the mean of the two in the middle; 0 for none.
func Median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func load() float64 {
	value, err := strconv.ParseFloat(strings.Fields(firstLine("/proc/loadavg") + " x")[0], 64)
	if err != nil {
		return -1 // a machine that does not tell
	}
	return value
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), "model name")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "\t :"))
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
