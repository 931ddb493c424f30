package host

import (
	"context"
	"errors"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/title"
)

// clockConfig of the row clock.
type clockConfig struct {
	// Start pins the clock: it stands at this time (RFC 3339), and ids and random numbers
	// come from Seed. Empty is the machine's clock.
	Start string `yaml:"start"`
	Seed  int64  `yaml:"seed"`
}

func (c clockConfig) Validate() error {
	if c.Start == "" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, c.Start); err != nil {
		return &composition.FieldError{Path: "start", Err: err}
	}
	return nil
}

func clockPlugin() composition.Plugin {
	return composition.Define("clock", "time, ids and randomness", composition.Definition[clockConfig]{
		Provides: []composition.Key{clock.Service},
		Start: func(_ context.Context, s *composition.Scope, c clockConfig) error {
			if c.Start == "" {
				composition.Provide(s, clock.Service, clock.System())
				return nil
			}
			start, err := time.Parse(time.RFC3339, c.Start)
			if err != nil {
				return err
			}
			composition.Provide[clock.Clock](s, clock.Service, clock.NewManual(start, c.Seed))
			return nil
		},
	})
}

// persistenceConfig of the row session-persistence.
type persistenceConfig struct {
	// Root is the folder of the logs; {{home}} is expanded.
	Root string `yaml:"root"`
	// Compression is zstd or none.
	Compression string `yaml:"compression"`
	// PackChunks stores runs of stream chunks as one row.
	PackChunks bool `yaml:"packChunks"`
	// Cache is the folder of the index that makes lists and pages quick; it may be removed at any time. {{home}} is expanded; empty is no
	// index.
	Cache string `yaml:"cache"`
	// WriteBatchMaxDelayMs is how long an event waits for others before all are written together; what must be durable never waits.
	WriteBatchMaxDelayMs int `yaml:"writeBatchMaxDelayMs"`
}

func (c persistenceConfig) Validate() error {
	if c.WriteBatchMaxDelayMs < 0 || c.WriteBatchMaxDelayMs > 60_000 {
		return &composition.FieldError{Path: "writeBatchMaxDelayMs", Err: errors.New("want 0 to 60000")}
	}
	return nil
}

func persistencePlugin() composition.Plugin {
	return composition.Define("session-persistence", "keeps session logs on disk", composition.Definition[persistenceConfig]{
		Needs:    []composition.Key{home.Service, clock.Service},
		Provides: []composition.Key{persistence.Service, persistence.Delay},
		Defaults: func() persistenceConfig {
			return persistenceConfig{Root: "{{home}}/sessions", Compression: jsonl.CompressionZstd, PackChunks: true,
				Cache: "{{home}}/cache/sessions", WriteBatchMaxDelayMs: int(persistence.Window / time.Millisecond)}
		},
		Start: func(_ context.Context, s *composition.Scope, c persistenceConfig) error {
			h := composition.Need(s, home.Service)
			store, err := jsonl.New(jsonl.Config{
				Root: h.Expand(c.Root), Compression: c.Compression, PackChunks: c.PackChunks, Cache: h.Expand(c.Cache), Logger: s.Logger(),
			}, composition.Need(s, clock.Service))
			if err != nil {
				return err
			}
			composition.Provide[persistence.Store](s, persistence.Service, store)
			composition.Provide(s, persistence.Delay, time.Duration(c.WriteBatchMaxDelayMs)*time.Millisecond)
			s.OnDispose("store", store.Close)
			return nil
		},
	})
}

// titleConfig of the row session-title.
type titleConfig struct {
	// Fallback names a session by the first words of its first message; false leaves it
	// without a name.
	Fallback bool `yaml:"fallback"`
}

func titlePlugin() composition.Plugin {
	return composition.Define("session-title", "names sessions", composition.Definition[titleConfig]{
		Provides: []composition.Key{title.Service},
		Defaults: func() titleConfig { return titleConfig{Fallback: true} },
		Start: func(_ context.Context, s *composition.Scope, c titleConfig) error {
			composition.Provide(s, title.Service, title.NewNamer(c.Fallback))
			return nil
		},
	})
}
