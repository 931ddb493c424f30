package scaffold

import (
	"context"
	"fmt"
	"maps"

	"gopkg.in/yaml.v3"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/scaffold/record/script"
)

// A Provider answers the model calls of a scenario about the provider's adapter: a server on the loopback interface that speaks the
// vendor's wire format. The row llm-deepseek, which is disabled otherwise, is enabled and pointed at it, so the real adapter runs. A
// request that nothing in the script fits, and a reply nobody asked for, fail the scenario. All other scenarios have a fixture.
type Provider struct {
	// Script is the text of a script, see scaffold/record/script.
	Script string
	// Config is further config of the row llm-deepseek, such as idleTimeoutMs. The base URL and the key are the lane's.
	Config map[string]any
	// Keyless leaves the row without a key, also without one of the environment: the person enters it.
	Keyless bool
}

// ProviderKey is the key that a Provider is asked with. It has no shape by which a credential could be known, so that what hides
// credentials cannot hide that it got somewhere.
const ProviderKey = "loopback-credential-of-the-lane"

// startProvider starts the scenario's provider, if it has one, and returns the patch that points the host at it.
func (w *world) startProvider(ctx context.Context, scenario Scenario) ([]composition.Layer, error) {
	if scenario.Provider == nil {
		return nil, nil
	}
	if scenario.Fixture {
		return nil, fmt.Errorf("scaffold: %s has a fixture and a provider: only one of them can answer", scenario.Name)
	}
	server, err := script.Start(ctx, "provider of "+scenario.Name, []byte(scenario.Provider.Script), clock.System())
	if err != nil {
		return nil, fmt.Errorf("scaffold: starting the provider: %w", err)
	}
	w.provider = server
	config, key := scenario.Provider.Config, ProviderKey
	if scenario.Provider.Keyless {
		config, key = maps.Clone(config), ""
		if config == nil {
			config = map[string]any{}
		}
		config["apiKeyEnv"] = ""
	}
	layer, err := adapterAt(server.URL(), key, config)
	return []composition.Layer{layer}, err
}

// adapterAt is the patch that enables the real adapter and points it at a server; without a base URL it stays the environment's.
func adapterAt(baseURL, key string, further map[string]any) (composition.Layer, error) {
	config := maps.Clone(further)
	if config == nil {
		config = map[string]any{}
	}
	if baseURL != "" {
		config["baseURL"], config["apiKey"] = baseURL, key
	}
	text, err := yaml.Marshal([]map[string]any{{"id": "llm-deepseek", "disabled": false, "config": config}})
	if err != nil {
		return composition.Layer{}, fmt.Errorf("scaffold: writing the provider's patch: %w", err)
	}
	return composition.Layer{Name: "scaffold/provider.go", Data: text}, nil
}
