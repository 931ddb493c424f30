// Package home is the folder that belongs to the host: the person's config,
// sessions, workspaces. Everything the host keeps between runs lies below it.
//
// A row whose config holds a path may write {{home}} for it; the plugin that owns
// the row expands it with Expand. There are no other expressions in configs.
//
// The folder is made when the row starts: a home that cannot be made is better said at the start than at the first prompt.
package home

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"keylane/host/composition"
)

// Variable is the environment variable that names the home folder.
const Variable = "KEYLANE_HOME"

// Service is the host's home.
var Service = composition.NewService[Home]("home")

// token is what Expand replaces.
const token = "{{home}}"

// Home is the host's folder. The zero value is not one; see Locate.
type Home struct{ dir string }

// Locate returns the home at dir; an empty dir means $KEYLANE_HOME, and without
// that ~/.keylane. The folder need not exist.
func Locate(dir string) (Home, error) {
	if dir == "" {
		dir = os.Getenv(Variable)
	}
	if dir == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return Home{}, fmt.Errorf("home: locating: %w; set %s", err, Variable)
		}
		dir = filepath.Join(user, ".keylane")
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("home: locating %q: %w", dir, err)
	}
	return Home{dir: absolute}, nil
}

// Dir is the folder's absolute path.
func (h Home) Dir() string { return h.dir }

// Path joins elements below the folder.
func (h Home) Path(elements ...string) string {
	return filepath.Join(append([]string{h.dir}, elements...)...)
}

// ConfigFile is the person's own layer of the composition; it may be absent.
func (h Home) ConfigFile() string { return h.Path("config.yml") }

// Expand replaces every {{home}} in s by the folder's path.
func (h Home) Expand(s string) string { return strings.ReplaceAll(s, token, h.dir) }

// Config of the row.
type Config struct {
	// Dir is the folder; empty means $KEYLANE_HOME, and without that ~/.keylane.
	Dir string `yaml:"dir"`
}

// Validate refuses a home in terms of itself.
func (c Config) Validate() error {
	if strings.Contains(c.Dir, token) {
		return &composition.FieldError{Path: "dir", Err: errors.New("the home cannot be written in terms of {{home}}")}
	}
	return nil
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("home", "the folder that holds what the host keeps", composition.Definition[Config]{
		Provides: []composition.Key{Service},
		Start: func(_ context.Context, s *composition.Scope, c Config) error {
			h, err := Locate(c.Dir)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(h.dir, 0o700); err != nil {
				return fmt.Errorf("home: making the folder: %w; choose another with --home or %s", err, Variable)
			}
			composition.Provide(s, Service, h)
			return nil
		},
	})
}
