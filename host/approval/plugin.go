package approval

import (
	"context"

	"keylane/host/composition"
)

// Config of the row.
type Config struct {
	// Mode of sessions that have none of their own: ask, read-only or full.
	Mode string `yaml:"mode"`
}

// Validate checks the mode.
func (c Config) Validate() error {
	if _, err := ParseMode(c.Mode); err != nil {
		return &composition.FieldError{Path: "mode", Err: err}
	}
	return nil
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("approval", "what sessions may do, and where calls wait for the person's leave", composition.Definition[Config]{
		Provides: []composition.Key{Service},
		Defaults: func() Config { return Config{Mode: string(Ask)} },
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			mode, err := ParseMode(c.Mode)
			if err != nil {
				return err
			}
			composition.Provide(s, Service, NewDesk(mode))
			return nil
		},
	})
}
