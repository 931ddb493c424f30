package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"keylane/host/session"
	"keylane/scaffold/aria"
	"keylane/scaffold/fixture"
	"keylane/scaffold/golden"
)

// A file is one that has a format.
type file struct {
	path  string // relative to the workspace
	again func(text []byte) ([]byte, error)
}

// look finds the files, in order.
func look(workspace string) ([]file, error) {
	var found []file
	for _, each := range []struct {
		pattern string
		again   func([]byte) ([]byte, error)
	}{{"fixtures/*/" + fixture.LogName, logAgain}, {"goldens/*/*" + golden.TreeExtension, treeAgain}} {
		paths, err := filepath.Glob(filepath.Join(workspace, each.pattern))
		if err != nil {
			return nil, fmt.Errorf("looking for %s: %w", each.pattern, err)
		}
		for _, path := range paths {
			relative, err := filepath.Rel(workspace, path)
			if err != nil {
				return nil, fmt.Errorf("looking for %s: %w", each.pattern, err)
			}
			found = append(found, file{relative, each.again})
		}
	}
	if len(found) == 0 {
		return nil, errors.New("there is no fixture and no golden here")
	}
	return found, nil
}

// migrate writes the file again if that changes it.
func (f file) migrate(workspace string, dryRun bool) (changed bool, err error) {
	path := filepath.Join(workspace, f.path)
	before, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("reading it: %w", err)
	}
	after, err := f.again(before)
	if err != nil || bytes.Equal(before, after) || dryRun {
		return err == nil && !bytes.Equal(before, after), err
	}
	if err := os.WriteFile(path+".new", after, 0o644); err != nil {
		return false, fmt.Errorf("writing it: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return false, fmt.Errorf("writing it: %w", err)
	}
	return true, nil
}

// logAgain prints a recorded log again.
func logAgain(text []byte) ([]byte, error) {
	header, events, err := session.Read(bytes.NewReader(text), session.ReadOptions{Lenient: true})
	if err != nil {
		return nil, err
	}
	again, err := fixture.Scrub(header, events, fixture.Values{})
	if err != nil {
		return nil, err
	}
	_, after, err := session.Read(bytes.NewReader(again), session.ReadOptions{Lenient: true})
	if err != nil {
		return nil, fmt.Errorf("what would be written cannot be read: %w", err)
	}
	if !slices.EqualFunc(events, after, sameEvent) {
		return nil, errors.New("what would be written says something else: record it again")
	}
	return again, nil
}

// sameEvent compares what an event says; seq and time are no part of a projection.
func sameEvent(a, b session.Event) bool {
	var left, right any
	if json.Unmarshal(a.Data, &left) != nil || json.Unmarshal(b.Data, &right) != nil {
		return false
	}
	return a.Type == b.Type && a.Ignorable == b.Ignorable && reflect.DeepEqual(a.SurfaceOp, b.SurfaceOp) && reflect.DeepEqual(left, right)
}

// treeAgain prints a golden tree again.
func treeAgain(text []byte) ([]byte, error) {
	tree, err := aria.Parse(string(text))
	if err != nil {
		return nil, err
	}
	again, err := aria.Print(tree)
	return []byte(again), err
}
