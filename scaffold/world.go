package scaffold

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"keylane/host"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold/record/script"
	"keylane/seed"
	"keylane/web"
)

// A world is what one scenario runs in: folders of its own and a booted host. It is ended by close, which attempts everything and
// tells what it could not do.
type world struct {
	root     string // holds the other folders
	folders  Folders
	options  host.Options // what the host is booted with, each time
	host     *composition.Instance
	provider *script.Server // nil unless the scenario has one
	beside   []*composition.Instance
}

// newWorld makes the folders, puts the scenario's cold sessions on disk, and boots the shipped composition with the lane's patches
// and then the scenario's own. The folders are made below parent, which is Chromium's: its watchdog removes that one even when this
// process is killed.
func newWorld(ctx context.Context, parent string, scenario Scenario, logger *slog.Logger) (_ *world, err error) {
	root, err := os.MkdirTemp(parent, "world-")
	if err != nil {
		return nil, fmt.Errorf("scaffold: making the scenario's folders: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("scaffold: making the scenario's folders: %w", err)
	}
	w := &world{root: root, folders: Folders{
		Workspace: filepath.Join(root, "workspace"), // always this base name: it is on the page
		Home:      filepath.Join(root, "home"),
		Sessions:  filepath.Join(root, "sessions"),
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(ctx))
		}
	}()
	for _, folder := range []string{w.folders.Workspace, w.folders.Home, w.folders.Sessions} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return w, fmt.Errorf("scaffold: making the scenario's folders: %w", err)
		}
	}
	if scenario.Prepare != nil {
		if err := scenario.Prepare(w.folders); err != nil {
			return w, fmt.Errorf("scaffold: preparing the scenario: %w", err)
		}
	}
	if err := w.sow(ctx, scenario); err != nil {
		return w, err
	}
	lane, err := w.lanePatches()
	if err != nil {
		return w, err
	}
	client, err := web.Client()
	if err != nil {
		return w, fmt.Errorf("scaffold: %w", err)
	}
	if client, err = edit(client, scenario.Edits); err != nil {
		return w, err
	}
	if client, err = invite(client, scenario.Guests); err != nil {
		return w, err
	}
	provider, err := w.startProvider(ctx, scenario)
	if err != nil {
		return w, err
	}
	layers := slices.Concat([]composition.Layer{lane}, provider, scenario.Patches)
	w.options = host.Options{Layers: layers, Plugins: scenario.Plugins, Logger: logger, Client: client}
	return w, w.boot(ctx)
}

func (w *world) boot(ctx context.Context) error {
	booted, err := host.Boot(ctx, w.options)
	if err != nil {
		return fmt.Errorf("scaffold: booting the host: %w", err)
	}
	w.host = booted
	return nil
}

// reboot closes the host and boots another one over the same folders. It listens on another port.
func (w *world) reboot(ctx context.Context) error {
	closing := w.host
	w.host = nil
	if err := closing.Close(ctx); err != nil {
		return fmt.Errorf("scaffold: closing the host: %w", err)
	}
	return w.boot(ctx)
}

// lanePatches is the difference between the shipped composition and the one under test: where files lie, which port, and no
// provider, so that only what a scenario installs can answer. Sessions may do everything, because a scenario is about what happens when
// tools run; one about approval sets the row approval back to what is shipped. No model names sessions, which would be a call more in
// every scenario, and the rows that read the machine for what to tell a model are disabled: a scenario about them enables them, see Enable.
func (w *world) lanePatches() (composition.Layer, error) {
	type row struct {
		ID       string         `yaml:"id"`
		Config   map[string]any `yaml:"config,omitempty"`
		Disabled bool           `yaml:"disabled,omitempty"`
	}
	text, err := yaml.Marshal([]row{
		{ID: "home", Config: map[string]any{"dir": w.folders.Home}},
		{ID: "session-persistence", Config: map[string]any{"root": w.folders.Sessions}},
		{ID: "workspace", Config: map[string]any{"cwd": w.folders.Workspace}},
		{ID: "approval", Config: map[string]any{"mode": "full"}},
		{ID: "session-title-model", Disabled: true},
		{ID: "llm-deepseek", Disabled: true},
		{ID: "llm-recorded", Disabled: true},
		{ID: "skill-filesystem", Disabled: true},
		{ID: "agent-instructions", Disabled: true},
		{ID: "runtime-context", Disabled: true},
		{ID: "webserver", Config: map[string]any{"host": "127.0.0.1", "port": 0}},
	})
	if err != nil {
		return composition.Layer{}, fmt.Errorf("scaffold: writing the lane's patches: %w", err)
	}
	return composition.Layer{Name: "scaffold/world.go", Data: text}, nil
}

// sow puts the scenario's cold sessions on disk, through the same store that the host will find them with.
func (w *world) sow(ctx context.Context, scenario Scenario) error {
	if len(scenario.Seeds) == 0 {
		return nil
	}
	store, err := jsonl.New(jsonl.Config{Root: w.folders.Sessions}, clock.System())
	if err != nil {
		return fmt.Errorf("scaffold: opening the store to seed: %w", err)
	}
	for _, cold := range scenario.Seeds {
		_, err := seed.Session(ctx, store, cold.Log, seed.Options{
			SessionID: cold.SessionID, Cwd: w.folders.Workspace, LastActivity: cold.LastActivity, AllowOpen: cold.Cut,
		})
		if err != nil {
			return errors.Join(fmt.Errorf("scaffold: seeding session %s: %w", cold.SessionID, err), store.Close(ctx))
		}
	}
	return store.Close(ctx)
}

// close disposes the host, ends the provider and removes the folders.
func (w *world) close(ctx context.Context) error {
	var problems []error
	if w.host != nil {
		if err := w.host.Close(ctx); err != nil {
			problems = append(problems, fmt.Errorf("scaffold: closing the host: %w", err))
		}
	}
	for _, neighbour := range w.beside {
		if err := neighbour.Close(ctx); err != nil {
			problems = append(problems, fmt.Errorf("scaffold: closing another host: %w", err))
		}
	}
	if w.provider != nil {
		if err := w.provider.Close(); err != nil {
			problems = append(problems, fmt.Errorf("scaffold: closing the provider: %w", err))
		}
	}
	if err := os.RemoveAll(w.root); err != nil {
		problems = append(problems, fmt.Errorf("scaffold: removing the scenario's folders: %w", err))
	}
	return errors.Join(problems...)
}

// service is composition.Get for a service that the shipped composition always provides.
func service[S any](w *world, key composition.Service[S]) (S, error) {
	value, ok := composition.Get(w.host, key)
	if !ok {
		return value, fmt.Errorf("scaffold: the booted host has no service %q; boot report:\n%s", key.Name(), w.host.Report())
	}
	return value, nil
}
