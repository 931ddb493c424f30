package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"keylane/host"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/persistence"
)

// sessionsCommand looks after stored sessions without a host.
type sessionsCommand struct {
	List   listCommand   `cmd:"" help:"List the sessions, newest first."`
	Show   showCommand   `cmd:"" help:"Show one session: what it amounts to, its events, or one of its turns."`
	Export exportCommand `cmd:"" help:"Write sessions as JSON lines or as a transcript."`
	Repair repairCommand `cmd:"" help:"Make a damaged session whole again; the log as it was is kept."`
	Delete deleteCommand `cmd:"" help:"Delete sessions for good."`
}

// Help is what kong shows below the commands.
func (sessionsCommand) Help() string {
	return `These commands read the same composition as "keylane web" (HOME/config.yml, --patch FILE), find the sessions where it keeps them, and start nothing else. A session that a running keylane has open can be listed, shown and exported; repair and delete refuse it and name the process.

Examples:

    keylane sessions list --cwd .                    of this project
    keylane sessions list --damaged                  what needs care
    keylane sessions show ID --turn 3
    keylane sessions export ID --format markdown > transcript.md
    keylane sessions export --all --to backup/
    keylane sessions repair ID --dry-run             what would be lost

With --json a command prints one JSON object; docs/cli.md describes it. Without, a terminal gets text for people and a pipe plain lines.

` + exitCodes
}

// sessionFlags are what every command about sessions takes.
type sessionFlags struct {
	treeFlags
	JSON bool `help:"Print JSON, in the shape that docs/cli.md describes." name:"json"`
}

// shelf is the session store of the person's composition, opened for one command.
type shelf struct {
	store    persistence.Store
	ctx      context.Context // ends when the person interrupts
	out, err screen
	now      time.Time
	flags    sessionFlags
	c        console
}

// with opens the store, runs the command on it, and closes it again.
func (f sessionFlags) with(c console, do func(*shelf) error) error {
	layers, err := f.layers()
	if err != nil {
		return err
	}
	h, err := home.Locate(f.Home)
	if err != nil {
		return err
	}
	if _, err := os.Stat(h.Dir()); errors.Is(err, fs.ErrNotExist) {
		return &problem{exit: exitNotFound, text: fmt.Sprintf("there is no folder %s, so there are no sessions in it", h.Dir()),
			next: "--home DIR or " + home.Variable + " names another; keylane web makes it", err: err}
	}
	logger := slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	in, err := host.Sessions(c.stop, host.Options{Layers: layers, Logger: logger})
	if err != nil {
		return err
	}
	err = f.use(c, in, do)
	return errors.Join(err, in.Close(context.WithoutCancel(c.stop)))
}

func (f sessionFlags) use(c console, in *composition.Instance, do func(*shelf) error) error {
	store, stored := composition.Get(in, persistence.Service)
	times, timed := composition.Get(in, clock.Service)
	if !stored || !timed {
		return &problem{exit: exitFailed, text: "this composition has no session store:\n" + in.Report().String(), next: "keylane config dump"}
	}
	return do(&shelf{store: store, ctx: c.stop, out: newScreen(c.out), err: newScreen(c.err), now: times.Now(), flags: f, c: c})
}

// command is the text of another `keylane sessions` command on the same store.
func (s *shelf) command(words ...string) string {
	all := []string{"sessions"}
	for _, word := range words {
		all = append(all, quoted(word))
	}
	return s.flags.command(all...)
}

func (s *shelf) explain(id string, err error) *problem { return explain(id, err, s.command) }

// json prints a value as one indented object.
func (s *shelf) json(value any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// entry finds what the list knows of a session.
func (s *shelf) entry(id string) (persistence.Entry, error) {
	entries, err := s.store.List(s.ctx)
	if err != nil {
		return persistence.Entry{}, err
	}
	for _, e := range entries {
		if e.Header.ID == id {
			return e, nil
		}
	}
	return persistence.Entry{}, s.explain(id, persistence.ErrNotFound)
}
