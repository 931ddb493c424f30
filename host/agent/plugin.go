package agent

import (
	"context"

	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/prompt"
	"keylane/host/session"
	"keylane/host/title"
	"keylane/host/tool"
)

// Service is the host's agents.
var Service = composition.NewService[Manager]("agent")

// Config of the row.
type Config struct {
	// Provider and Model are what a session uses that chose nothing. They need not be
	// registered; a turn then fails and says so.
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	// MaxSteps bounds the model calls of one turn; 0 does not.
	MaxSteps int `yaml:"maxSteps"`
	// MaxParallelToolCalls bounds how many calls of one step run side by side; 0 is
	// DefaultParallelCalls, 1 is one after the other.
	MaxParallelToolCalls int `yaml:"maxParallelToolCalls"`
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("agent", "runs sessions: prompts, model calls, tools", composition.Definition[Config]{
		Needs: []composition.Key{persistence.Service, persistence.Delay, llm.Service, tool.Service, prompt.Service, approval.Service, title.Service,
			clock.Service},
		Provides: []composition.Key{Service},
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			m := New(Options{
				Store: composition.Need(s, persistence.Service), Models: composition.Need(s, llm.Service),
				Tools: composition.Need(s, tool.Service), Prompt: composition.Need(s, prompt.Service),
				Approvals: composition.Need(s, approval.Service),
				Titles:    composition.Need(s, title.Service), Clock: composition.Need(s, clock.Service), Logger: s.Logger(),
				Default: session.ModelTarget{Provider: c.Provider, Model: c.Model}, MaxSteps: c.MaxSteps,
				ParallelCalls: c.MaxParallelToolCalls, Writing: []persistence.Option{persistence.WithDelay(composition.Need(s, persistence.Delay))},
			})
			composition.Provide(s, Service, m)
			s.OnDispose("agents", m.Close)
			return nil
		},
	})
}
