package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// sharedURL maps the bare import names that all bundles share to the URL they
// load them from. One module instance per page: two copies of Preact would
// not see each other's hooks, two copies of the model not each other's state.
var sharedURL = map[string]string{
	"preact":               "/shared/preact.js",
	"preact/hooks":         "/shared/preact.js",
	"preact/jsx-runtime":   "/shared/preact.js",
	"@preact/signals":      "/shared/signals.js",
	"@preact/signals-core": "/shared/signals.js",
	"keylane":              "/shared/keylane.js",
}

// sharedImports leaves imports of shared modules out of a bundle and points
// them at their URL, except those listed in inside, which the bundle is about.
func sharedImports(inside ...string) api.Plugin {
	return api.Plugin{Name: "shared-imports", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^(preact|@preact/|keylane$)`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			for _, name := range inside {
				if args.Path == name {
					return api.OnResolveResult{}, nil
				}
			}
			url, shared := sharedURL[args.Path]
			if !shared {
				return api.OnResolveResult{}, fmt.Errorf("%q is not among the shared modules", args.Path)
			}
			return api.OnResolveResult{Path: url, External: true}, nil
		})
	}}
}

// ownFolder refuses a script import that leaves room: what another room
// offers comes from the module "keylane", or the bundle would silently carry
// its own copy of that room's state. Style sheets and licences carry none.
func ownFolder(room string) api.Plugin {
	return api.Plugin{Name: "own-folder", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			target := filepath.Join(args.ResolveDir, args.Path)
			inRoom := strings.HasPrefix(args.ResolveDir+string(filepath.Separator), room+string(filepath.Separator))
			stays := strings.HasPrefix(target, room+string(filepath.Separator))
			if inRoom && !stays && !strings.HasSuffix(args.Path, ".css") && !strings.HasSuffix(args.Path, licenceSuffix) {
				return api.OnResolveResult{}, fmt.Errorf("%q leaves the bundle's own folder: import it from \"keylane\"", args.Path)
			}
			return api.OnResolveResult{}, nil
		})
	}}
}
