package credentials

import (
	"context"

	"keylane/host/composition"
	"keylane/host/home"
)

// Service is the host's credentials.
var Service = composition.NewService[*Store]("credentials")

// Config of the row.
type Config struct {
	// File is where the credentials are; {{home}} is expanded.
	File string `yaml:"file"`
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("credentials", "keys of providers, for the person alone", composition.Definition[Config]{
		Needs:    []composition.Key{home.Service},
		Provides: []composition.Key{Service},
		Defaults: func() Config { return Config{File: "{{home}}/credentials.yml"} },
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			store := Open(composition.Need(s, home.Service).Expand(c.File))
			if err := store.Problem(); err != nil {
				s.Logger().Warn("the credentials", "error", err)
			}
			composition.Provide(s, Service, store)
			return nil
		},
	})
}
