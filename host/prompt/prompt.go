// Package prompt writes what a model is told besides the conversation: the system prompt, and context messages.
//
// The system prompt says who the agent is and where it works; the agent logs it in request/header. A context message is a user/message
// that no person wrote: instructions from files, the skills there are, where the session runs. Each kind has a [Source]; before a request
// the agent asks [Writer.Due] what has to be said that the model's history does not say already, logs that, and only then builds the
// request from the log. So what a model sees can be read in the session log, and nothing is put into a request behind the log's back.
//
// What changes within a session belongs into a context message, never into the system prompt: a new message at the end leaves the
// beginning of the request as it was, which the provider has cached.
//
// Keep everything deterministic: the same facts give the same text, or every request would say it again.
package prompt

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"keylane/host/composition"
)

// Service is the host's prompt writer.
var Service = composition.NewService[*Writer]("system-prompt")

// Facts are what a prompt may mention.
type Facts struct {
	Cwd   string // the session's working directory, absolute
	Model string // the model's name as its provider shows it
	Mode  string // what the session may do without asking, see package approval; only context messages may mention it, since it changes
}

// Writer writes system prompts and context messages. It is safe for concurrent use.
type Writer struct {
	persona string

	mu      sync.Mutex // guards sources
	sources []*Source  // by rank
}

// New makes a writer without context messages; in persona {{cwd}} and {{model}} stand for the facts.
func New(persona string) *Writer { return &Writer{persona: strings.TrimSpace(persona)} }

// System returns the prompt for the facts; empty when the persona is.
func (w *Writer) System(f Facts) string {
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
