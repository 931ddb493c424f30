package host

import (
	"context"
	"time"

	"keylane/host/agent"
	"keylane/host/compaction"
	"keylane/host/composition"
	"keylane/host/title"
)

// titleModelConfig of the row session-title-model.
type titleModelConfig struct {
	// TargetWords is how long a title shall be; TargetCJKCharacters says it for scripts that do not part words.
	TargetWords         int `yaml:"targetWords"`
	TargetCJKCharacters int `yaml:"targetCjkCharacters"`
	// MaxInputBytes bounds what of the first message the model is shown, MaxOutputTokens its answer.
	MaxInputBytes   int `yaml:"maxInputBytes"`
	MaxOutputTokens int `yaml:"maxOutputTokens"`
	// TimeoutMs is how long the answer may take.
	TimeoutMs int `yaml:"timeoutMs"`
}

func (c titleModelConfig) model() title.Model {
	return title.Model{
		TargetWords: c.TargetWords, TargetCJKCharacters: c.TargetCJKCharacters, MaxInputBytes: c.MaxInputBytes,
		MaxOutputTokens: c.MaxOutputTokens, Timeout: time.Duration(c.TimeoutMs) * time.Millisecond,
	}
}

func (c titleModelConfig) Validate() error {
	if field, err := c.model().Check(); err != nil {
		return &composition.FieldError{Path: field, Err: err}
	}
	return nil
}

func titleModelPlugin() composition.Plugin {
	return composition.Define("session-title-model", "has a model name sessions", composition.Definition[titleModelConfig]{
		Needs: []composition.Key{title.Service},
		Defaults: func() titleModelConfig {
			shipped := title.DefaultModel()
			return titleModelConfig{
				TargetWords: shipped.TargetWords, TargetCJKCharacters: shipped.TargetCJKCharacters, MaxInputBytes: shipped.MaxInputBytes,
				MaxOutputTokens: shipped.MaxOutputTokens, TimeoutMs: int(shipped.Timeout.Milliseconds()),
			}
		},
		Start: func(_ context.Context, s *composition.Scope, c titleModelConfig) error {
			dispose, err := composition.Need(s, title.Service).SetModel(c.model())
			if err != nil {
				return err
			}
			s.OnDispose("title model", func(context.Context) error { dispose(); return nil })
			return nil
		},
	})
}

// compactionConfig of the row compaction. Parts are of the model's context window.
type compactionConfig struct {
	TriggerPart        float64 `yaml:"triggerPart"`
	KeepPart           float64 `yaml:"keepPart"`
	MaxSummaryTokens   int     `yaml:"maxSummaryTokens"`
	Retries            int     `yaml:"retries"`
	OverflowRecoveries int     `yaml:"overflowRecoveries"`
}

func (c compactionConfig) Validate() error {
	if field, err := compaction.Config(c).Check(); err != nil {
		return &composition.FieldError{Path: field, Err: err}
	}
	return nil
}

func compactionPlugin() composition.Plugin {
	return composition.Define("compaction", "shortens histories that fill the model's window", composition.Definition[compactionConfig]{
		Needs:    []composition.Key{agent.Service},
		Defaults: func() compactionConfig { return compactionConfig(compaction.Defaults()) },
		Start: func(_ context.Context, s *composition.Scope, c compactionConfig) error {
			dispose, err := composition.Need(s, agent.Service).SetCompaction(compaction.Config(c))
			if err != nil {
				return err
			}
			s.OnDispose("compaction", func(context.Context) error { dispose(); return nil })
			return nil
		},
	})
}
