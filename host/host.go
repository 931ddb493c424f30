package host

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"keylane/host/composition"
)

// Options of Boot.
type Options struct {
	// Layers are laid over the shipped ones, in order.
	Layers []composition.Layer
	// Plugins are known to the rows in addition to the built-in ones.
	Plugins []composition.Plugin
	// Logger gets the host's records; nil drops them.
	Logger *slog.Logger
	// Client is the page's files, see webserver.Client; nil leaves the slot empty.
	Client fs.FS
}

// Boot boots.
func Boot(ctx context.Context, o Options) (*composition.Instance, error) {
	return nil, errors.New("host: not there yet")
}
