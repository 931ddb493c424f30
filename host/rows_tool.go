package host

import (
	"context"
	"fmt"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/spill"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
	"keylane/host/tool/bash"
	"keylane/host/tool/files"
	"keylane/host/tool/todo"
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

// Validate refuses a time that no call could ask for.
func (c bashConfig) Validate() error {
	if limit := int(bash.MaxTimeout / time.Millisecond); c.TimeoutMs < 0 || c.TimeoutMs > limit {
		return &composition.FieldError{Path: "timeoutMs", Err: fmt.Errorf("must be from 0 to %d", limit)}
	}
	return nil
}

func bashPlugin() composition.Plugin {
	return composition.Define("tool-bash", "runs commands in the session's folder", composition.Definition[bashConfig]{
		Needs:    []composition.Key{tool.Service, spill.Service},
		Defaults: func() bashConfig { return bashConfig{TimeoutMs: 60_000, KillGraceMs: 3_000, OutputCapBytes: 64_000} },
		Start: func(_ context.Context, s *composition.Scope, c bashConfig) error {
			return registerTools(s, bash.New(bash.Config{
				Timeout: time.Duration(c.TimeoutMs) * time.Millisecond, KillGrace: time.Duration(c.KillGraceMs) * time.Millisecond,
				OutputCapBytes: c.OutputCapBytes, Spill: composition.Need(s, spill.Service),
			}))
		},
	})
}

// filesConfig of the row tool-files; 0 means the tools' default.
type filesConfig struct {
	MaxFileBytes   int64    `yaml:"maxFileBytes"`
	ResultCapBytes int      `yaml:"resultCapBytes"`
	Ignore         []string `yaml:"ignore"`
	// Gitignore lets searches leave out what .gitignore files name.
	Gitignore bool `yaml:"gitignore"`
}

func filesPlugin() composition.Plugin {
	return composition.Define("tool-files", "reads, writes, edits and searches the files of the session's folder", composition.Definition[filesConfig]{
		Needs: []composition.Key{tool.Service, spill.Service},
		Defaults: func() filesConfig {
			return filesConfig{MaxFileBytes: 10 << 20, ResultCapBytes: 64_000, Ignore: []string{".git", "node_modules"}, Gitignore: true}
		},
		Start: func(_ context.Context, s *composition.Scope, c filesConfig) error {
			if c.Ignore == nil {
				c.Ignore = []string{} // the row says that nothing is left out
			}
			return registerTools(s, files.New(files.Config{
				MaxFileBytes: c.MaxFileBytes, ResultCapBytes: c.ResultCapBytes, Ignore: c.Ignore, Gitignore: c.Gitignore,
				Spill: composition.Need(s, spill.Service),
			})...)
		},
	})
}

func todoPlugin() composition.Plugin {
	return composition.Define("tool-todo", "the agent's to-do list", composition.Definition[struct{}]{
		Needs: []composition.Key{tool.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error { return registerTools(s, todo.New()) },
	})
}

func questionsPlugin() composition.Plugin {
	return composition.Define("questions", "where questions wait for the person's answer", composition.Definition[struct{}]{
		Needs:    []composition.Key{clock.Service},
		Provides: []composition.Key{askuser.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			composition.Provide(s, askuser.Service, askuser.NewDesk(composition.Need(s, clock.Service)))
			return nil
		},
	})
}

func askUserPlugin() composition.Plugin {
	return composition.Define("tool-ask-user", "lets the agent ask the person", composition.Definition[struct{}]{
		Needs: []composition.Key{tool.Service, askuser.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			return registerTools(s, askuser.New(composition.Need(s, askuser.Service)))
		},
	})
}

// registerTools adds tools for as long as the row lives.
func registerTools(s *composition.Scope, tools ...tool.Tool) error {
	for _, t := range tools {
		dispose, err := composition.Need(s, tool.Service).Register(t)
		if err != nil {
			return err
		}
		s.OnDispose("tool "+t.Schema().Name, func(context.Context) error { dispose(); return nil })
	}
	return nil
}
