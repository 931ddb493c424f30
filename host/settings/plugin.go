package settings

import (
	"context"

	"keylane/host/composition"
	"keylane/host/home"
)

// Service is the host's settings.
var Service = composition.NewService[*Store]("settings")

// Config of the row.
type Config struct {
	// File is where the settings are; {{home}} is expanded.
	File string `yaml:"file"`
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("settings", "what a person prefers", composition.Definition[Config]{
		Needs:    []composition.Key{home.Service},
		Provides: []composition.Key{Service},
		Defaults: func() Config { return Config{File: "{{home}}/settings.yml"} },
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			store := Open(composition.Need(s, home.Service).Expand(c.File))
			if p := store.Read().Problem; p != nil {
				s.Logger().Warn("the settings do not all count", "file", p.File, "line", p.Line, "cause", p.Cause)
			}
			stop, err := store.Watch(s.Logger())
			if err != nil {
				// Everything else works: what others change is seen when a page is opened.
				s.Logger().Warn("changes of the settings by others are not seen at once", "error", err)
			} else {
				s.OnDispose("watch", stop)
			}
			composition.Provide(s, Service, store)
			return nil
		},
	})
}
