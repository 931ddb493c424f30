// Package prompt writes the system prompt: who the agent is and where it works.
// The agent logs the text in request/header, so that what a model sees can be read
// in the session log; nothing may be put into a request behind the log's back.
//
// Keep it deterministic: the same facts give the same text, or every request
// would log a new header.
package prompt

import (
	"context"
	"fmt"
	"strings"

	"keylane/host/composition"
)

// Service is the host's prompt writer.
var Service = composition.NewService[Writer]("system-prompt")

// Facts are what a prompt may mention.
type Facts struct {
	Cwd   string // the session's working directory, absolute
	Model string // the model's name as its provider shows it
}

// Writer writes system prompts. It is a value and safe for concurrent use.
type Writer struct{ persona string }

// New makes a writer; in persona {{cwd}} and {{model}} stand for the facts.
func New(persona string) Writer { return Writer{persona: strings.TrimSpace(persona)} }

// System returns the prompt for the facts; empty when the persona is.
func (w Writer) System(f Facts) string {
	return strings.NewReplacer("{{cwd}}", f.Cwd, "{{model}}", f.Model).Replace(w.persona)
}

// Config of the row.
type Config struct {
	// Persona is the text; {{cwd}} and {{model}} are replaced, any other {{word}} is an error.
	Persona string `yaml:"persona"`
}

// Validate refuses placeholders nobody fills.
func (c Config) Validate() error {
	rest := strings.NewReplacer("{{cwd}}", "", "{{model}}", "").Replace(c.Persona)
	if _, after, found := strings.Cut(rest, "{{"); found {
		name, _, _ := strings.Cut(after, "}}")
		return &composition.FieldError{Path: "persona", Err: fmt.Errorf("nothing fills {{%s}}; known: {{cwd}}, {{model}}", name)}
	}
	return nil
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("system-prompt", "who the agent is", composition.Definition[Config]{
		Provides: []composition.Key{Service},
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			composition.Provide(s, Service, New(c.Persona))
			return nil
		},
	})
}
