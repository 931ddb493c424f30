package host

import (
	"context"
	"time"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/bash"
)

func toolsPlugin() composition.Plugin {
	return composition.Define("tools", "where tools register", composition.Definition[struct{}]{
		Provides: []composition.Key{tool.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			composition.Provide(s, tool.Service, tool.NewRegistry())
			return nil
		},
	})
}

// bashConfig of the row tool-bash; 0 means the tool's default.
type bashConfig struct {
	TimeoutMs      int `yaml:"timeoutMs"`
	KillGraceMs    int `yaml:"killGraceMs"`
	OutputCapBytes int `yaml:"outputCapBytes"`
}

func bashPlugin() composition.Plugin {
	return composition.Define("tool-bash", "runs commands in the session's folder", composition.Definition[bashConfig]{
		Needs:    []composition.Key{tool.Service},
		Defaults: func() bashConfig { return bashConfig{TimeoutMs: 60_000, KillGraceMs: 3_000, OutputCapBytes: 64_000} },
		Start: func(_ context.Context, s *composition.Scope, c bashConfig) error {
			dispose, err := composition.Need(s, tool.Service).Register(bash.New(bash.Config{
				Timeout: time.Duration(c.TimeoutMs) * time.Millisecond, KillGrace: time.Duration(c.KillGraceMs) * time.Millisecond,
				OutputCapBytes: c.OutputCapBytes,
			}))
			if err != nil {
				return err
			}
			s.OnDispose("tool", func(context.Context) error { dispose(); return nil })
			return nil
		},
	})
}
