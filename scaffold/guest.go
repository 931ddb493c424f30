package scaffold

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing/fstest"

	"keylane/scaffold/chromium"
)

// A Guest is a plugin that the page has not: the host serves it beside the page's own, for scenarios about what a plugin may do to the rest.
// The page itself stays as it is shipped.
type Guest struct {
	// ID is its name in the boot manifest, small letters and dashes.
	ID string
	// Script is its module: it exports activate(scope), and may import from /shared/keylane.js, /shared/preact.js and /shared/signals.js.
	Script string
}

const pageManifest = "manifest.json"

// invite lays guests over a page and returns the page to serve.
func invite(page fs.FS, guests []Guest) (fs.FS, error) {
	if len(guests) == 0 {
		return page, nil
	}
	text, err := fs.ReadFile(page, pageManifest)
	if err != nil {
		return nil, fmt.Errorf("scaffold: inviting guests: %w", err)
	}
	manifest := map[string]any{}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("scaffold: inviting guests: the page's %s: %w", pageManifest, err)
	}
	plugins, ok := manifest["plugins"].([]any)
	if !ok {
		return nil, fmt.Errorf("scaffold: inviting guests: the page's %s has no plugins", pageManifest)
	}
	files := fstest.MapFS{}
	for _, guest := range guests {
		path := "plugins/" + guest.ID + "/client.js"
		if _, err := fs.Stat(page, path); err == nil || files[path] != nil {
			return nil, fmt.Errorf("scaffold: inviting guests: there is a plugin %q already", guest.ID)
		}
		files[path] = &fstest.MapFile{Data: []byte(guest.Script), Mode: 0o444}
		plugins = append(plugins, map[string]string{"id": guest.ID, "path": "/" + path, "rev": "guest"})
	}
	manifest["plugins"] = plugins
	if text, err = json.Marshal(manifest); err != nil {
		return nil, fmt.Errorf("scaffold: inviting guests: %w", err)
	}
	files[pageManifest] = &fstest.MapFile{Data: text, Mode: 0o444}
	return editedPage{page: page, files: files}, nil
}

// expected takes the errors that a scenario says must come out of the trips, each once, and tells which did not come.
func expected(events []chromium.Event, want []string) (rest []chromium.Event, missing []string) {
	missing = append(missing, want...)
	for _, event := range events {
		if at := announced(event, missing); at >= 0 {
			missing = append(missing[:at], missing[at+1:]...)
			continue
		}
		rest = append(rest, event)
	}
	return rest, missing
}

// announced is which of these errors an event is, -1 for none. Nothing but an error in the console or one that nobody caught can be announced.
func announced(event chromium.Event, errors []string) int {
	text := event.String()
	switch data := event.Data.(type) {
	case chromium.PageError:
	case chromium.Console:
		if data.Level != chromium.Error {
			return -1
		}
	default:
		return -1
	}
	return slices.IndexFunc(errors, func(each string) bool { return strings.Contains(text, each) })
}
