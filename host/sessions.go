package host

import (
	"context"
	"fmt"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/persistence"
)

// Sessions starts no more of a host than its session store, as the same layers would have it: for who looks after sessions while no host
// runs, or beside one. Of the services only persistence.Service, home.Service and clock.Service are there, and the first only when a row
// provides it. Client is not used. Close the instance: it holds the locks of what was changed through it.
func Sessions(ctx context.Context, o Options) (*composition.Instance, error) {
	tree, err := Tree(o.Layers...)
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	plugins := append(Plugins(), o.Plugins...)
	part := tree.Part(plugins, persistence.Service, home.Service, clock.Service)
	in, err := composition.Boot(ctx, part, plugins, composition.Options{Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	return in, nil
}
