// Package record turns a session that has just been driven against a provider into a fixture.
//
// Harvest takes the session from the host's memory, once the host is idle, never from disk: it is the log itself that is recorded,
// not what a reader made of it. The log is scrubbed of everything that belongs to the run, and of nothing else. A fixture made
// this way is not worth anything yet: the scaffold replays it with all checks before it lets anybody keep it.
//
// The provider is a live one, or a script (package scaffold/record/script) that speaks the provider's wire format over HTTP, so
// that the real adapter is what is recorded. Which of the two it was stands in fixture.yml.
package record

import (
	"fmt"
	"time"

	"keylane/host/session"
	"keylane/scaffold/fixture"
)

// A Recording is the content of a fixture directory.
type Recording struct {
	Log  []byte // session.jsonl
	Meta []byte // fixture.yml
}

// Options say where a recording comes from.
type Options struct {
	Scenario string
	Script   string // the script's name; empty for a live provider
	Provider string
	Model    string
	Values   fixture.Values // what belongs to the run; the session's id is taken from its log
	Day      time.Time
}

// Harvest makes a recording of a session. The log must hold at least one completed turn and no open one.
func Harvest(log *session.Log, options Options) (Recording, error) {
	events := log.Events(0, -1)
	if projection := log.Projection(); projection.OpenTurn != 0 {
		return Recording{}, fmt.Errorf("record: turn %d of session %s is still open: settle before the scenario ends", projection.OpenTurn, log.ID())
	} else if projection.Turns == 0 {
		return Recording{}, fmt.Errorf("record: session %s has no turn: the scenario drove no prompt", log.ID())
	}
	source := "live"
	if options.Script != "" {
		source = "script"
		// A script has no times worth keeping, and without them recording it again gives the same text.
		for i := range events {
			events[i].Time = 0
		}
	}
	values := options.Values
	values.SessionID = log.ID()
	text, err := fixture.Scrub(log.Header(), events, values)
	if err != nil {
		return Recording{}, fmt.Errorf("record: %w", err)
	}
	meta, err := fixture.Meta{
		Format: fixture.Format, Scenario: options.Scenario, Source: source, Script: options.Script,
		Provider: options.Provider, Model: options.Model, Recorded: options.Day.UTC().Format(time.DateOnly),
	}.Print()
	if err != nil {
		return Recording{}, fmt.Errorf("record: %w", err)
	}
	return Recording{Log: text, Meta: meta}, nil
}
