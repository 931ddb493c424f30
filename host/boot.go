package host

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"

	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/config"
	"keylane/host/webserver"
)

// Version is keylane's version. A release build sets it with -X keylane/host.Version.
var Version = "0.1.0-dev"

// Options of Boot. The zero value boots the shipped composition without a page.
type Options struct {
	// Layers are patches over the shipped rows, applied in order.
	Layers []composition.Layer
	// Plugins are known to the rows in addition to the built-in ones.
	Plugins []composition.Plugin
	// Logger gets the host's records; nil drops them.
	Logger *slog.Logger
	// Client is the page's files, see webserver.Client. Without it the row webserver
	// waits for ever, which is a boot error unless a patch disables it.
	Client fs.FS
}

// Layers returns the shipped composition: base.yml and the patches of web.yml.
func Layers() []composition.Layer {
	return []composition.Layer{
		{Name: "base.yml", Data: config.Base, Base: true},
		{Name: "web.yml", Data: config.Web},
	}
}

// Tree returns the shipped composition with the patches applied.
func Tree(patches ...composition.Layer) (*composition.Tree, error) {
	return composition.Load(append(Layers(), patches...)...)
}

// Boot starts a host. ctx bounds the boot, not the host: Close the instance to end it.
func Boot(ctx context.Context, o Options) (*composition.Instance, error) {
	tree, err := Tree(o.Layers...)
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	in, err := composition.Boot(ctx, tree, append(Plugins(), o.Plugins...), composition.Options{Logger: o.Logger, Supplied: o.supplied()})
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	return in, nil
}

// Check says everything that would keep Boot from starting and can be known without starting anything.
func Check(o Options) (composition.Report, error) {
	tree, err := Tree(o.Layers...)
	if err != nil {
		return composition.Report{}, fmt.Errorf("host: %w", err)
	}
	report, err := composition.Check(tree, append(Plugins(), o.Plugins...), composition.Options{Supplied: o.supplied()})
	if err != nil {
		return composition.Report{}, fmt.Errorf("host: %w", err)
	}
	return report, nil
}

func (o Options) supplied() []composition.Supplied {
	out := []composition.Supplied{composition.Supply(api.BuildService, api.Build{Version: Version})}
	if o.Client != nil {
		out = append(out, composition.Supply(webserver.Client, o.Client))
	}
	return out
}
