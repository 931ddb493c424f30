package workspace

import (
	"context"
	"fmt"
	"os"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
)

// Service is the host's workspaces.
var Service = composition.NewService[*Registry]("workspace")

// Config of the row.
type Config struct {
	// Cwd is the default folder; {{home}} is expanded, empty means the folder the host was
	// started in.
	Cwd string `yaml:"cwd"`
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("workspace", "the folders a person works in", composition.Definition[Config]{
		Needs:    []composition.Key{home.Service, clock.Service},
		Provides: []composition.Key{Service},
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			h := composition.Need(s, home.Service)
			cwd := h.Expand(c.Cwd)
			if cwd == "" {
				var err error
				if cwd, err = os.Getwd(); err != nil {
					return fmt.Errorf("workspace: the folder the host was started in: %w; set cwd", err)
				}
			}
			r, err := Open(Options{File: h.Path("workspaces.json"), NewFolders: h.Path("workspaces"), Cwd: cwd, Clock: composition.Need(s, clock.Service)})
			if err != nil {
				return err
			}
			composition.Provide(s, Service, r)
			return nil
		},
	})
}
