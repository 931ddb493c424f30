package host

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/credentials"
	"keylane/host/llm"
	"keylane/host/llm/deepseek"
	"keylane/host/llm/recorded"
	"keylane/host/llm/retry"
)

func llmPlugin() composition.Plugin {
	return composition.Define("llm", "where model providers register", composition.Definition[struct{}]{
		Provides: []composition.Key{llm.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			composition.Provide(s, llm.Service, llm.NewRegistry())
			return nil
		},
	})
}

// deepseekConfig of the row llm-deepseek.
type deepseekConfig struct {
	// BaseURL of the endpoint; empty asks the variable BaseURLEnv, then takes the vendor's.
	BaseURL string `yaml:"baseURL"`
	// APIKey; empty asks the variable APIKeyEnv, then the credentials. Without a key the provider is listed as not
	// ready.
	APIKey        string `yaml:"apiKey"`
	APIKeyEnv     string `yaml:"apiKeyEnv"`
	BaseURLEnv    string `yaml:"baseURLEnv"`
	IdleTimeoutMs int    `yaml:"idleTimeoutMs"`
	// Models is the catalogue; empty is the vendor's.
	Models []modelConfig `yaml:"models"`
}

type modelConfig struct {
	ID            string `yaml:"id"`
	Name          string `yaml:"name"`
	ContextWindow int    `yaml:"contextWindow"`
}

func (c deepseekConfig) Validate() error {
	// What the variable says is nobody's mistake in a file: the page tells of it.
	if c.BaseURL != "" && !deepseek.IsBaseURL(c.BaseURL) {
		return &composition.FieldError{Path: "baseURL", Err: fmt.Errorf("%q: want an http or https URL", c.BaseURL)}
	}
	for i, m := range c.Models {
		if m.ID == "" {
			return &composition.FieldError{Path: fmt.Sprintf("models.%d", i), Err: fmt.Errorf("id is missing")}
		}
	}
	return nil
}

func deepseekPlugin() composition.Plugin {
	return composition.Define("llm-deepseek", "models over DeepSeek's API and endpoints that speak it", composition.Definition[deepseekConfig]{
		Needs: []composition.Key{llm.Service, credentials.Service, clock.Service},
		Defaults: func() deepseekConfig {
			return deepseekConfig{APIKeyEnv: "DEEPSEEK_API_KEY", BaseURLEnv: "DEEPSEEK_BASE_URL", IdleTimeoutMs: 120_000}
		},
		Start: func(_ context.Context, s *composition.Scope, c deepseekConfig) error {
			config := deepseek.Config{
				BaseURL: orVariable(c.BaseURL, c.BaseURLEnv), APIKey: orVariable(c.APIKey, c.APIKeyEnv),
				IdleTimeout: time.Duration(c.IdleTimeoutMs) * time.Millisecond,
			}
			for _, m := range c.Models {
				name := m.Name
				if name == "" {
					name = m.ID
				}
				config.Models = append(config.Models, llm.ModelInfo{ID: m.ID, Name: name, ContextWindow: m.ContextWindow})
			}
			keys := composition.Need(s, credentials.Service)
			use := credentials.Use{Ref: deepseek.ProviderID, Name: deepseek.ProviderName, Variable: c.APIKeyEnv}
			switch {
			case c.APIKey != "":
				use.Elsewhere = credentials.Row
			case config.APIKey != "":
				use.Elsewhere = credentials.Environment
			}
			forget, err := keys.Declare(use)
			if err != nil {
				return err
			}
			s.OnDispose("credential", func(context.Context) error { forget(); return nil })
			config.Key = func() string { return keys.Value(use.Ref) }
			return register(s, deepseek.New(config, composition.Need(s, clock.Service)))
		},
	})
}

func orVariable(value, variable string) string {
	if value == "" && variable != "" {
		return os.Getenv(variable)
	}
	return value
}

func recordedPlugin() composition.Plugin {
	return composition.Define("llm-recorded", "a demo that answers from a recording", composition.Definition[struct{}]{
		Needs: []composition.Key{llm.Service, clock.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			demo, err := recorded.NewDemo(composition.Need(s, clock.Service))
			if err != nil {
				return err
			}
			return register(s, demo)
		},
	})
}

// retryConfig of the row llm-retry.
type retryConfig struct {
	// MaxRetries of a failed model call within a step; 0 makes none.
	MaxRetries int `yaml:"maxRetries"`
	// BaseDelayMs is the wait before the first retry; it doubles with each, up to MaxDelayMs. A provider that asks for more than
	// MaxDelayMs is not waited for.
	BaseDelayMs int `yaml:"baseDelayMs"`
	MaxDelayMs  int `yaml:"maxDelayMs"`
	// Jitter is the part of a wait that is random, from 0 to 1.
	Jitter float64 `yaml:"jitter"`
}

func (c retryConfig) Validate() error {
	wrong := func(path, format string, args ...any) error {
		return &composition.FieldError{Path: path, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case c.MaxRetries < 0:
		return wrong("maxRetries", "%d: want 0 or more", c.MaxRetries)
	case c.BaseDelayMs < 1:
		return wrong("baseDelayMs", "%d: want 1 or more", c.BaseDelayMs)
	case c.MaxDelayMs < c.BaseDelayMs:
		return wrong("maxDelayMs", "%d: want no less than baseDelayMs, which is %d", c.MaxDelayMs, c.BaseDelayMs)
	case !(c.Jitter >= 0 && c.Jitter <= 1):
		return wrong("jitter", "%v: want a part from 0 to 1", c.Jitter)
	}
	return nil
}

func (c retryConfig) policy() retry.Config {
	return retry.Config{
		Max: c.MaxRetries, Base: time.Duration(c.BaseDelayMs) * time.Millisecond, Cap: time.Duration(c.MaxDelayMs) * time.Millisecond, Jitter: c.Jitter,
	}
}

func retryPlugin() composition.Plugin {
	return composition.Define("llm-retry", "makes failed model calls again", composition.Definition[retryConfig]{
		Needs: []composition.Key{llm.Service, clock.Service},
		Defaults: func() retryConfig {
			shipped := retry.Defaults()
			return retryConfig{
				MaxRetries: shipped.Max, BaseDelayMs: int(shipped.Base.Milliseconds()), MaxDelayMs: int(shipped.Cap.Milliseconds()), Jitter: shipped.Jitter,
			}
		},
		Start: func(_ context.Context, s *composition.Scope, c retryConfig) error {
			policy, err := retry.New(c.policy(), composition.Need(s, clock.Service))
			if err != nil {
				return err
			}
			dispose, err := composition.Need(s, llm.Service).SetRetryPolicy(policy)
			if err != nil {
				return err
			}
			s.OnDispose("policy", func(context.Context) error { dispose(); return nil })
			return nil
		},
	})
}

func register(s *composition.Scope, a llm.Adapter) error {
	dispose, err := composition.Need(s, llm.Service).Register(a)
	if err != nil {
		return err
	}
	s.OnDispose("provider", func(context.Context) error {
		dispose()
		if closer, ok := a.(io.Closer); ok {
			return closer.Close()
		}
		return nil
	})
	return nil
}
