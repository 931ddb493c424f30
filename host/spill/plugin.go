package spill

import (
	"context"
	"errors"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
)

// rowConfig of the row.
type rowConfig struct {
	// Dir is the folder; {{home}} is expanded.
	Dir string `yaml:"dir"`
	// MaxFileBytes is how much one file holds; the rest of an output is dropped, and said to be.
	MaxFileBytes int64 `yaml:"maxFileBytes"`
	// KeepHours is how long a file stays; it goes with the first start of a host after that.
	KeepHours int `yaml:"keepHours"`
}

// Validate refuses bounds that are none.
func (c rowConfig) Validate() error {
	switch {
	case c.MaxFileBytes <= 0:
		return &composition.FieldError{Path: "maxFileBytes", Err: errors.New("must be greater than 0")}
	case c.KeepHours <= 0:
		return &composition.FieldError{Path: "keepHours", Err: errors.New("must be greater than 0")}
	}
	return nil
}

// Plugin provides Service. It sweeps at the start; a folder that cannot be swept is logged and stops nothing.
func Plugin() composition.Plugin {
	return composition.Define("spill", "where output lies that is too long for a result", composition.Definition[rowConfig]{
		Needs:    []composition.Key{clock.Service, home.Service},
		Provides: []composition.Key{Service},
		Defaults: func() rowConfig {
			return rowConfig{Dir: "{{home}}/spill", MaxFileBytes: DefaultMaxBytes, KeepHours: int(DefaultKeep / time.Hour)}
		},
		Start: func(_ context.Context, s *composition.Scope, c rowConfig) error {
			folder, err := New(Config{
				Dir: composition.Need(s, home.Service).Expand(c.Dir), MaxBytes: c.MaxFileBytes, Keep: time.Duration(c.KeepHours) * time.Hour,
			})
			if err != nil {
				return err
			}
			if err := folder.Sweep(composition.Need(s, clock.Service).Now()); err != nil {
				s.Logger().Warn("old output could not be removed; delete it by hand", "error", err)
			}
			composition.Provide(s, Service, folder)
			return nil
		},
	})
}
