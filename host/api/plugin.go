package api

import (
	"context"
	"fmt"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/credentials"
	"keylane/host/home"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/search"
	"keylane/host/settings"
	"keylane/host/skill"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
	"keylane/host/workspace"
)

// Service is the host's API.
var Service = composition.NewService[*API]("api")

// Build is what the program tells about itself.
type Build struct{ Version string }

// BuildService is supplied by the program, not by a row.
var BuildService = composition.NewService[Build]("build")

// Config of the row.
type Config struct {
	// TrustedHosts are the names under which the page may be reached besides loopback:
	// "name" for any port, "name:port" for one.
	TrustedHosts []string `yaml:"trustedHosts"`
	// KeptFrames, KeptBytes, BodyBytes, WriteMs and HeartbeatMs are Limits; 0 too means its
	// default.
	KeptFrames  int   `yaml:"keptFrames"`
	KeptBytes   int   `yaml:"keptBytes"`
	BodyBytes   int64 `yaml:"bodyBytes"`
	WriteMs     int   `yaml:"writeMs"`
	HeartbeatMs int   `yaml:"heartbeatMs"`
}

// defaults says the limits as numbers, so that a dump of the composition shows them.
func defaults() Config {
	l := Limits{}.withDefaults()
	return Config{KeptFrames: l.Frames, KeptBytes: l.Bytes, BodyBytes: l.BodyBytes, WriteMs: l.WriteMs, HeartbeatMs: l.HeartbeatMs}
}

// Validate checks the trusted hosts.
func (c Config) Validate() error {
	for i, entry := range c.TrustedHosts {
		if _, err := NewFence([]string{entry}); err != nil {
			return &composition.FieldError{Path: fmt.Sprintf("trustedHosts.%d", i), Err: err}
		}
	}
	return nil
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("api", "the calls and streams of the page", composition.Definition[Config]{
		Needs: []composition.Key{agent.Service, persistence.Service, llm.Service, workspace.Service, home.Service, tool.Service, askuser.Service, approval.Service,
			skill.Service, search.Service, settings.Service, credentials.Service, clock.Service, BuildService, composition.Reporting},
		Provides: []composition.Key{Service},
		Defaults: defaults,
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			a, err := New(Options{
				Agents: composition.Need(s, agent.Service), Store: composition.Need(s, persistence.Service),
				Models: composition.Need(s, llm.Service), Tools: composition.Need(s, tool.Service), Workspaces: composition.Need(s, workspace.Service),
				Home: composition.Need(s, home.Service), Clock: composition.Need(s, clock.Service), Logger: s.Logger(),
				Questions: composition.Need(s, askuser.Service), Approvals: composition.Need(s, approval.Service),
				Skills: composition.Need(s, skill.Service), Search: composition.Need(s, search.Service), Settings: composition.Need(s, settings.Service), Credentials: composition.Need(s, credentials.Service),
				Version: composition.Need(s, BuildService).Version, Report: composition.Need(s, composition.Reporting), TrustedHosts: c.TrustedHosts,
				Limits: Limits{Frames: c.KeptFrames, Bytes: c.KeptBytes, BodyBytes: c.BodyBytes, WriteMs: c.WriteMs, HeartbeatMs: c.HeartbeatMs},
			})
			if err != nil {
				return err
			}
			composition.Provide(s, Service, a)
			s.OnDispose("streams", a.Close)
			return nil
		},
	})
}
