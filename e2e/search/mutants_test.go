package search_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"keylane/host/composition"
	"keylane/host/persistence"
	"keylane/host/search"
	"keylane/host/search/fulltext"
	"keylane/scaffold"
)

// A page that shows whichever answer comes last would be seen.
func TestAStaleAnswerThatWinsWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Fixture = false
	mutant.Edits = []scaffold.Edit{{File: "plugins/sidebar/client.js", Find: `(catch\{\w+=\{state:"failed"\}\})this\.#\w+===\w+&&`, Put: "$1"}}
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		hold(s)
		neverShowAStaleAnswer(s)
	}
	mutant.Check = nil
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "found-late.aria differs", "Breakfast")
}

// A page that waits for the host before it shows a name would be seen.
func TestNamesThatWaitForTheHostWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Fixture = false
	mutant.Edits = []scaffold.Edit{{File: "plugins/sidebar/client.js", Find: `items:(\w+)\.slice\(0,(\w+)\)`, Put: `items:this.state.value==="asking"?[]:$1.slice(0,$2)`}}
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		findNamesAtOnce(s)
	}
	mutant.Check = nil
	failures := scaffold.TrialWithin(t, 15*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, `waiting for treeitem containing "Canal locks"`)
}

// frozen is a store that goes on listing what it listed first.
type frozen struct {
	persistence.Store
	once    sync.Once
	entries []persistence.Entry
	err     error
}

func (f *frozen) List(ctx context.Context) ([]persistence.Entry, error) {
	f.once.Do(func() { f.entries, f.err = f.Store.List(ctx) })
	return f.entries, f.err
}

// An index that stays as it was when somebody searched first would be seen.
func TestAnIndexThatIsOfYesterdayWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Plugins = append(mutant.Plugins, composition.Define("frozen-search", "searches what there was", composition.Definition[struct{}]{
		Needs: []composition.Key{search.Service, persistence.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			index := fulltext.New(fulltext.Options{Store: &frozen{Store: composition.Need(s, persistence.Service)}, Logger: s.Logger()})
			s.OnDispose("index", index.Close)
			_, err := composition.Need(s, search.Service).Register(index)
			return err
		},
	}))
	mutant.Patches = scaffold.Patch("frozen search", "- id: session-search\n  disabled: true\n- insert:\n    - id: frozen-search\n      plugin: frozen-search\n")
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		searchFor(s, "windlass")
		told(s, "No matching sessions")
		s.Send(prompt)
		s.Settle()
	}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, `"windlass" is said in []`)
}
