package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"keylane/scaffold/measure"
)

// A set is what is in one folder: the results of all runs, in the order of their paths.
type set struct {
	Path    string
	Results []*measure.Result
	// Passed counts JSON files that are no results.
	Passed int
}

// readSet reads all results at or below a path.
func readSet(path string) (set, error) {
	s := set{Path: path}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		result, err := measure.Read(name)
		if err != nil {
			s.Passed++
			return nil
		}
		s.Results = append(s.Results, result)
		return nil
	})
	switch {
	case err != nil:
		return s, fmt.Errorf("bench: reading a set: %w", err)
	case len(s.Results) == 0:
		return s, fmt.Errorf("bench: %s holds no result of a row (%d other JSON files): give a folder with outputs of `./bazelw test --config=perf`", path, s.Passed)
	}
	return s, nil
}

// key tells figures apart.
type key struct{ row, figure string }

// samples are those of all runs by figure, and the figures in the order in which they were first met.
func (s set) samples() (order []key, units map[key]string, all map[key][]float64) {
	units, all = map[key]string{}, map[key][]float64{}
	for _, result := range s.Results {
		for _, figure := range result.Figures {
			k := key{result.Row, figure.Name}
			if _, known := all[k]; !known {
				order, units[k] = append(order, k), figure.Unit
			}
			all[k] = append(all[k], figure.Samples...)
		}
	}
	return order, units, all
}

// busy is the highest load average per core that a result of the set tells.
func (s set) busy() float64 {
	most := 0.0
	for _, result := range s.Results {
		if cores := float64(result.Machine.Cores); cores > 0 {
			most = max(most, result.Machine.LoadBefore/cores, result.Machine.LoadAfter/cores)
		}
	}
	return most
}

// machine is what the first result tells of where it was taken; of the program only what does not change with it.
func (s set) machine() string {
	m := s.Results[0].Machine
	return fmt.Sprintf("%d cores of %s, Linux %s, %s, %s", m.Cores, m.Processor, m.Kernel, m.Go, m.Chromium)
}
