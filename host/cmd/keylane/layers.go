package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gopkg.in/yaml.v3"

	"keylane/host/composition"
	"keylane/host/home"
)

// treeFlags are what every command that reads the composition takes.
type treeFlags struct {
	Home  string   `help:"Folder that holds sessions, config.yml and everything else the host keeps. Default: $$KEYLANE_HOME, or ~/.keylane." placeholder:"DIR"`
	Patch []string `help:"File with patches over the composition; repeatable, later ones win." placeholder:"FILE" sep:"none"`
}

// layers are the person's own file, the --patch files, and what the flags say, in this
// order.
func (f treeFlags) layers() ([]composition.Layer, error) {
	h, err := home.Locate(f.Home)
	if err != nil {
		return nil, err
	}
	var layers []composition.Layer
	own, err := os.ReadFile(h.ConfigFile())
	switch {
	case err == nil:
		layers = append(layers, composition.Layer{Name: h.ConfigFile(), Data: own})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &problem{exit: exitFailed, text: fmt.Sprintf("reading the config: %v", err), next: "put that right; or " + otherHome, err: err}
	}
	for _, name := range f.Patch {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, &problem{exit: exitFailed, text: fmt.Sprintf("reading the patch: %v", err), next: "name a file that can be read with --patch, or do without", err: err}
		}
		layers = append(layers, composition.Layer{Name: name, Data: text})
	}
	patch, err := flagLayer("--home", "home", home.Config{Dir: h.Dir()})
	return append(layers, patch), err
}

// flagLayer says with a patch what a flag says.
func flagLayer(flag, id string, config any) (composition.Layer, error) {
	text, err := yaml.Marshal([]any{map[string]any{"id": id, "config": config}})
	if err != nil {
		return composition.Layer{}, fmt.Errorf("writing the patch of %s: %w", flag, err)
	}
	return composition.Layer{Name: flag, Data: text, Made: true}, nil
}
