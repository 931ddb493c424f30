package host

import (
	"context"

	"keylane/host/agent"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/persistence"
	"keylane/host/search"
	"keylane/host/search/fulltext"
)

func searchPlugin() composition.Plugin {
	return composition.Define("search", "where search engines register", composition.Definition[struct{}]{
		Provides: []composition.Key{search.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			composition.Provide(s, search.Service, &search.Slot{})
			return nil
		},
	})
}

// sessionSearchConfig of the row session-search.
type sessionSearchConfig struct {
	// Cache is the folder of the index, which may be removed while no host runs; {{home}} is expanded; empty is in memory.
	Cache string `yaml:"cache"`
}

func sessionSearchPlugin() composition.Plugin {
	return composition.Define("session-search", "searches what was said in sessions", composition.Definition[sessionSearchConfig]{
		Needs:    []composition.Key{search.Service, persistence.Service, agent.Service, home.Service},
		Defaults: func() sessionSearchConfig { return sessionSearchConfig{Cache: "{{home}}/cache/search"} },
		Start: func(_ context.Context, s *composition.Scope, c sessionSearchConfig) error {
			folder := c.Cache
			if folder != "" {
				folder = composition.Need(s, home.Service).Expand(folder)
			}
			index := fulltext.New(fulltext.Options{Store: composition.Need(s, persistence.Service), Folder: folder, Logger: s.Logger()})
			s.OnDispose("index", index.Close)
			unregister, err := composition.Need(s, search.Service).Register(index)
			if err != nil {
				return err
			}
			s.OnDispose("search", func(context.Context) error { unregister(); return nil })
			// A session that becomes idle has a turn more on disk.
			forget := composition.Need(s, agent.Service).OnChange(func(c agent.Change) {
				if c.Kind == agent.Removed || c.Kind == agent.Status && !c.Running {
					index.Refresh()
				}
			})
			s.OnDispose("following", func(context.Context) error { forget(); return nil })
			return nil
		},
	})
}
