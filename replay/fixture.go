package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
)

// recording is one recorded session of a fixture.
type recording struct {
	name       string // file name, as a person sees it
	header     session.Header
	seeded     bool // it began with events of its parent
	firstText  string
	unfinished []*recorded.UnfinishedError // turn calls that were cut; they need an override
	scripts    map[llm.Purpose]*script
	place      int    // among the sessions that begin alike, from 1; 0 when the override does not say
	claimedBy  string // the live session's id, "" while unbound
}

// overridden tells whether a turn call does not end as it was recorded.
func (r *recording) overridden(index int) bool {
	_, ok := r.scripts[llm.PurposeTurn].endings[index]
	return ok
}

// alike tells whether a live session could be bound to either: both stand at the same place, and begin with the same text.
func (r *recording) alike(other *recording) bool {
	return r.header.ParentSession == other.header.ParentSession && r.firstText == other.firstText
}

type script struct {
	calls   []recorded.Call
	endings map[int]ending // of overridden calls
	// appended says that the last call was not recorded: an override added it, and it may follow anything.
	appended bool
	next     int
}

// load reads every session of the fixture, the main one first.
func load(o Options) ([]*recording, error) {
	paths, err := filepath.Glob(filepath.Join(globEscape(filepath.Dir(o.Fixture)), "session.*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("replay: looking for the sessions of %s: %w", o.Fixture, err)
	}
	sort.Strings(paths)
	overrides, err := readOverride(o.Override)
	if err != nil {
		return nil, err
	}
	var recordings []*recording
	for _, path := range append([]string{o.Fixture}, paths...) {
		if len(recordings) > 0 && filepath.Base(path) == filepath.Base(o.Fixture) {
			continue
		}
		main := len(recordings) == 0 && path == o.Fixture
		loaded, err := loadOne(path, o.Transform)
		if err != nil {
			return nil, err
		}
		if main {
			if err := overrides.lay(loaded); err != nil {
				return nil, err
			}
		}
		for _, unfinished := range loaded.unfinished {
			if !loaded.overridden(unfinished.Index) {
				return nil, fmt.Errorf("replay: the fixture %s cannot be replayed: %w", path, unfinished)
			}
		}
		if len(loaded.scripts) > 0 {
			recordings = append(recordings, loaded)
		}
	}
	if len(recordings) == 0 {
		return nil, fmt.Errorf("replay: the fixture %s holds no model call, so there is nothing to replay: run the scenario without a fixture", o.Fixture)
	}
	return recordings, overrides.bind(recordings)
}

func loadOne(path string, transform func([]byte) []byte) (*recording, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("replay: the fixture %s is not there: record it with `%s`: %w", path, recordCommand(path), err)
	}
	if err != nil {
		return nil, fmt.Errorf("replay: reading the fixture: %w", err)
	}
	if transform != nil {
		data = transform(data)
	}
	header, events, err := session.Read(bytes.NewReader(data), session.ReadOptions{Lenient: true})
	if err != nil {
		return nil, fmt.Errorf("replay: reading the fixture %s: %w", path, err)
	}
	scripts, err := recorded.DeriveSession(header, events)
	unfinished, err := recorded.Unfinished(err)
	if err != nil {
		return nil, fmt.Errorf("replay: the fixture %s cannot be replayed: %w", path, err)
	}
	loaded := &recording{
		name: filepath.Base(path), header: header, seeded: header.SeedLength > 0, unfinished: unfinished, scripts: map[llm.Purpose]*script{},
	}
	if loaded.firstText, err = firstText(events[header.SeedLength:]); err != nil {
		return nil, fmt.Errorf("replay: reading the fixture %s: %w", path, err)
	}
	for _, derived := range scripts {
		loaded.scripts[derived.Purpose] = &script{calls: derived.Calls}
	}
	return loaded, nil
}

// firstText is what a person said first in a session's own events.
func firstText(events []session.Event) (string, error) {
	var said []session.Message
	for _, event := range events {
		if event.Type != session.TypeUserMessage && event.Type != session.TypeSteeringMessage || event.SurfaceOp != nil && event.SurfaceOp.Replace {
			continue
		}
		message, _, err := session.MessageOf(event)
		if err != nil {
			return "", err
		}
		said = append(said, message)
	}
	return llm.FirstUserText(said), nil
}

// recordCommand is the command that records the scenario a fixture belongs to: its folder has the scenario's name.
func recordCommand(path string) string {
	scenario := "<scenario>"
	if folder := filepath.Base(filepath.Dir(path)); folder != "." && folder != string(filepath.Separator) {
		scenario = folder
	}
	return "./bazelw run //tools:record -- " + scenario
}

// globEscape makes a folder's name safe inside a glob pattern.
func globEscape(folder string) string {
	var escaped []byte
	for i := 0; i < len(folder); i++ {
		switch folder[i] {
		case '*', '?', '[', '\\':
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, folder[i])
	}
	return string(escaped)
}
